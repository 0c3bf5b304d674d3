"""Pair scores on disk: append-only segments per reranker identity, found by digest of query and text."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from runner import keys
from runner.store import Store


@dataclass(frozen=True, slots=True)
class Rows:
    """What is stored of a list of pairs, in its order; shapes as in `reranker.contract.Scored`."""

    scores: npt.NDArray[np.float64]
    tokens_total: npt.NDArray[np.int32]
    tokens_read: npt.NDArray[np.int32]


def pair_keys(queries: Sequence[str], texts: Sequence[str]) -> list[bytes]:
    """The key (32 bytes) of each pair of a query text and a chunk text, lists of one length."""
    asked, found = (dict(zip(d, keys.text_keys(d), strict=True)) for d in (set(queries), set(texts)))
    return [hashlib.sha256(asked[q] + found[t]).digest() for q, t in zip(queries, texts, strict=True)]


class Pairs:
    """The scores of one reranker identity. Any pair is scored once, whichever run or sweep asks."""

    def __init__(self, store: Store, identity: dict[str, Any]) -> None:
        self.key = keys.digest(["reranker", identity])
        self._identity = identity
        self._store = store
        self._stage = f"pairs/{self.key[:24]}"
        self._segments: dict[Path, Rows] = {}
        self._where: dict[bytes, tuple[Path, int]] = {}

    def refresh(self) -> None:
        """Take note of segments that were added since, by this process or another."""
        for path in self._store.segments(self._stage):
            if path not in self._segments:
                tokens = np.load(path / "tokens.npy")
                self._segments[path] = Rows(np.load(path / "scores.npy"), tokens[:, 0], tokens[:, 1])
                for row, key in enumerate(np.load(path / "keys.npy")):
                    self._where[key.tobytes()] = (path, row)

    def missing(self, names: Sequence[bytes]) -> list[bytes]:
        """The distinct keys that have no score yet, in the order of their first place in `names`."""
        return [n for n in dict.fromkeys(names) if n not in self._where]

    def add(self, names: Sequence[bytes], rows: Rows) -> None:
        """Publish one segment with the scores of these distinct keys."""
        order = sorted(range(len(names)), key=names.__getitem__)

        def write(folder: Path) -> dict[str, Any]:
            joined = np.frombuffer(b"".join(names[i] for i in order), np.uint8)
            np.save(folder / "keys.npy", joined.reshape(-1, 32))
            np.save(folder / "scores.npy", rows.scores[order])
            np.save(folder / "tokens.npy", np.stack([rows.tokens_total, rows.tokens_read], axis=1)[order])
            return {"identity": self._identity, "pairs": len(names)}

        self._store.obtain(self._stage, keys.digest([names[i].hex() for i in order])[:24], write)
        self.refresh()

    def rows(self, names: Sequence[bytes]) -> Rows:
        """What is stored of `names`, which must all be there (see `missing`)."""
        found = [self._where[n] for n in names]
        by_segment: dict[Path, list[int]] = {}
        for place, (path, _) in enumerate(found):
            by_segment.setdefault(path, []).append(place)
        out = Rows(np.empty(len(names)), *(np.empty(len(names), np.int32) for _ in range(2)))
        for path, places in by_segment.items():
            stored, rows = self._segments[path], [found[p][1] for p in places]
            out.scores[places] = stored.scores[rows]
            out.tokens_total[places] = stored.tokens_total[rows]
            out.tokens_read[places] = stored.tokens_read[rows]
        return out
