"""Text as a person may safely meet it: control characters visible, long text cut, columns aligned."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from typing import Any

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn"}


def is_blank(text: str) -> bool:
    """True when `text` holds no visible character (white space only, or nothing)."""
    return not text or text.isspace()


def visible(text: str, *, keep: str = "\n\t") -> str:
    """`text` with every control, format or unassigned character as [U+XXXX], but for those in `keep`."""
    return text.translate({ord(c): f"[U+{ord(c):04X}]" for c in _hidden(text) - set(keep)})


def _hidden(text: str) -> set[str]:
    return {c for c in set(text) if unicodedata.category(c) in _HIDDEN}


def as_json(value: Any) -> str:
    """`value` as indented JSON; hidden characters are escaped, so that no terminal obeys them."""
    raw = json.dumps(value, indent=1, ensure_ascii=False)
    return raw.translate({ord(c): _escaped(ord(c)) for c in _hidden(raw) - {"\n"}})


def _escaped(code: int) -> str:
    return f"\\u{code:04x}" if code < 0x10000 else json.dumps(chr(code))[1:-1]


def one_line(text: str, limit: int = 80) -> str:
    """`text` on one line of at most `limit` characters, safe for a terminal."""
    flat = visible(" ".join(text.split()), keep="")
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def grid(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Rows under a head, in columns as wide as their widest cell; the columns `right` are right-aligned."""
    cells = [list(head), *([one_line(c, 100) for c in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]

    def line(row: Sequence[str]) -> str:
        padded = (
            c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))
        )
        return "  ".join(padded).rstrip()

    return "\n".join([line(cells[0]), "  ".join("─" * w for w in widths), *map(line, cells[1:])])


def seconds(value: float) -> str:
    """A duration as a person reads it: `0.4 s`, `12 s`, `3 min 20 s`."""
    if value < 10:
        return f"{value:.1f} s"
    if value < 120:
        return f"{value:.0f} s"
    return f"{value // 60:.0f} min {value % 60:.0f} s"


def thousandths(counts: Sequence[int]) -> list[int]:
    """The shares of `counts` in thousandths that add up to 1,000, so that shown shares add up to 100.0%.

    Largest remainder (Hamilton's apportionment); of equal remainders the earlier is rounded up. All 0: zeros.
    """
    n = sum(counts)
    if not n:
        return [0] * len(counts)
    whole = [1000 * c // n for c in counts]
    by_rest = sorted(range(len(counts)), key=lambda i: -(1000 * counts[i] % n))
    for i in by_rest[: 1000 - sum(whole)]:
        whole[i] += 1
    return whole
