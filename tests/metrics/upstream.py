"""Chroma's two model-free chunkers as spans, and the ranges (quirks included) its evaluation gives them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

SEPARATORS = ("\n\n", "\n", ".", "?", "!", " ", "")
Piece = tuple[int, int, str]
"""Start and end in the text, and what upstream takes the chunk's text to be."""


def token_text(text: str, encoding: Any, size: int, overlap: int) -> Iterator[Piece]:
    """Windows of `size` token ids at stride `size - overlap`, as FixedTokenChunker cuts them."""
    ids = encoding.encode(text, disallowed_special=())
    offsets = [*encoding.decode_with_offsets(ids)[1], len(text)]
    for i in range(0, len(ids), size - overlap):
        j = min(i + size, len(ids))
        yield offsets[i], offsets[j], encoding.decode(ids[i:j])
        if j == len(ids):
            return


def recursive(  # noqa: C901
    text: str, length: Callable[[str], int], size: int, overlap: int
) -> list[Piece]:
    """As RecursiveTokenChunker with its default separators, each kept at the start of the next piece."""

    def split(a: int, b: int, level: int) -> list[tuple[int, int]]:
        while SEPARATORS[level] and SEPARATORS[level] not in text[a:b]:
            level += 1
        sep = SEPARATORS[level]
        cuts = (
            {m.start() for m in re.compile(re.escape(sep)).finditer(text, a, b)} if sep else set(range(a, b))
        )
        out: list[tuple[int, int]] = []
        small: list[tuple[int, int]] = []
        for piece in pairwise(sorted(cuts | {a, b})):
            if length(text[slice(*piece)]) < size:
                small.append(piece)
                continue
            out += merge(small)
            small = []
            out += split(*piece, level + 1) if sep else [piece]
        return out + merge(small)

    def merge(pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
        out: list[tuple[int, int]] = []
        held: list[tuple[int, int]] = []
        total = 0
        for piece in pieces:
            n = length(text[slice(*piece)])
            if held and total + n > size:
                out.append((held[0][0], held[-1][1]))
                while total > overlap or (total + n > size and total > 0):
                    total -= length(text[slice(*held.pop(0))])
            held.append(piece)
            total += n
        return out + ([(held[0][0], held[-1][1])] if held else [])

    stripped = []
    for a, b in split(0, len(text), 0):
        body = text[a:b].strip()
        if body:
            start = a + len(text[a:b]) - len(text[a:b].lstrip())
            stripped.append((start, start + len(body), body))
    return stripped


def searched(text: str, chunk: str) -> tuple[int, int]:
    """As `rigorous_document_search`: without a trailing ".", where it occurs first, any white space."""
    chunk = chunk.removesuffix(".")
    at = text.find(chunk)
    if at >= 0:
        return at, at + len(chunk)
    found = re.search(r"\s*".join(map(re.escape, chunk.split())), text, re.IGNORECASE)
    assert found, f"upstream would not find {chunk[:40]!r}"
    return found.span()
