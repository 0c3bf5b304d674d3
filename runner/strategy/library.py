"""`library`: splitters of langchain-text-splitters, semantic-text-splitter and chonkie, offsets proven."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import metadata
from typing import Any, ClassVar, Literal, Self

from pydantic import model_validator

from runner.errors import RequestError
from runner.strategy import _spans
from runner.strategy._located import located, proven
from runner.strategy._slices import Slices
from runner.strategy.contract import Span, SpanStrategy
from runner.tokenizer.contract import Tokens


class Library(SpanStrategy):
    """A splitter of another library, for comparison; needs `pip install 'rag-runner[splitters]'`.

    Only its text is taken on trust, never its offsets: each piece must be just what stands at the place the
    library tells, or at the one place where it can lie. Where that cannot be proven the run fails. Sizes are
    counted in the run's own tokens, or in characters.
    """

    version: ClassVar[int] = 1
    name: Literal["library"] = "library"
    splitter: Literal[
        "semantic_text",
        "semantic_markdown",
        "langchain_recursive",
        "langchain_markdown",
        "chonkie_sentence",
        "chonkie_recursive",
    ] = "semantic_text"
    """`<library>_<splitter>`, with the library's own defaults but for size and overlap."""
    size: int = 200
    """Greatest length of a piece; above 0."""
    overlap: int = 0
    """Length that pieces may share; 0 … size - 1; `chonkie_recursive` has none."""
    unit: Literal["tokens", "characters"] = "tokens"
    """Tokens of the run's tokenizer, or code points."""

    @model_validator(mode="after")
    def _advances(self) -> Self:
        _spans.check_window(self.size, self.overlap)
        if self.overlap and self.splitter == "chonkie_recursive":
            raise ValueError(f"overlap {self.overlap}: the splitter chonkie_recursive has none; set it to 0")
        return self

    @property
    def package(self) -> str:
        """The distribution that the splitter is of."""
        family = self.splitter.partition("_")[0]
        known = {"semantic": "semantic-text-splitter", "langchain": "langchain-text-splitters"}
        return known.get(family, family)

    def settings(self) -> dict[str, Any]:
        """The fields, and the library's version: another one may cut elsewhere."""
        try:
            installed = metadata.version(self.package)
        except metadata.PackageNotFoundError:
            installed = "not installed"
        return {**super().settings(), "library": f"{self.package} {installed}"}

    def spans(self, text: str, tokens: Tokens) -> list[Span]:
        """See `Strategy`."""
        slices = Slices(tokens if self.unit == "tokens" else None)
        split = {"semantic": self._semantic, "langchain": self._langchain, "chonkie": self._chonkie}
        try:
            found = split[self.splitter.partition("_")[0]](text, slices)
        except ImportError as e:
            raise RequestError(
                f"strategy.splitter: {self.splitter} needs {self.package} ({e}); "
                "install it: pip install 'rag-runner[splitters]'"
            ) from None
        return _spans.distinct([s for s in found if s[0] < s[1]])

    def _semantic(self, text: str, slices: Slices) -> list[Span]:
        from semantic_text_splitter import MarkdownSplitter, TextSplitter

        kind = TextSplitter if self.splitter == "semantic_text" else MarkdownSplitter
        made = kind.from_callback(slices.count_tokens, self.size, self.overlap).chunk_indices(text)
        return self._spans(text, made)

    def _langchain(self, text: str, slices: Slices) -> list[Span]:
        from langchain_text_splitters import MarkdownTextSplitter, RecursiveCharacterTextSplitter

        markdown = self.splitter == "langchain_markdown"
        kind = MarkdownTextSplitter if markdown else RecursiveCharacterTextSplitter
        made = kind(chunk_size=self.size, chunk_overlap=self.overlap, length_function=slices.count_tokens)
        # Its start_index is found by a search that takes a later copy of a piece for the first one.
        return located(text, made.split_text(text), overlapping=self.overlap > 0)

    def _chonkie(self, text: str, slices: Slices) -> list[Span]:
        import chonkie
        from chonkie.tokenizer import Tokenizer

        # It takes a tokenizer of its own class, or a function that counts and cannot cut a long word.
        bound = type("Bound", (Slices, Tokenizer), {"__repr__": object.__repr__})(slices.tokens)
        kind: Any
        if self.splitter == "chonkie_sentence":
            kind = chonkie.SentenceChunker(bound, chunk_size=self.size, chunk_overlap=self.overlap)
        else:
            kind = chonkie.RecursiveChunker(bound, chunk_size=self.size)
        made = kind.chunk(text) if text else []
        return self._spans(text, [(c.start_index, c.text) for c in made])

    def _spans(self, text: str, made: Sequence[tuple[int, str]]) -> list[Span]:
        """The spans of pieces whose starts the library tells, if that is where they are."""
        spans = proven(text, made)
        if spans is None:
            return located(text, [piece for _, piece in made], overlapping=self.overlap > 0)
        return spans
