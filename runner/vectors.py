"""Vectors on disk: append-only segments per model identity, found by the digest of the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from runner import keys
from runner.errors import StoreError
from runner.store import Store


@dataclass(frozen=True, slots=True)
class Rows:
    """What is stored of a list of texts, in its order; shapes as in `embedding.contract.Encoded`."""

    vectors: npt.NDArray[np.float32]
    tokens_total: npt.NDArray[np.int32]
    tokens_embedded: npt.NDArray[np.int32]


class Vectors:
    """The vectors of one model identity. Any text is embedded once, whichever strategy or experiment asks."""

    def __init__(self, store: Store, identity: dict[str, Any]) -> None:
        self.key = keys.digest(["model", identity])
        self._identity = identity
        self._store = store
        self._stage = f"vectors/{self.key[:24]}"
        self._tokens: dict[Path, npt.NDArray[np.int32]] = {}
        self._where: dict[bytes, tuple[Path, int]] = {}

    def refresh(self) -> None:
        """Take note of segments that were added since, by this process or another."""
        for path in self._store.segments(self._stage):
            if path not in self._tokens:
                self._tokens[path] = np.load(path / "tokens.npy")
                for row, key in enumerate(np.load(path / "keys.npy")):
                    self._where[key.tobytes()] = (path, row)

    def missing(self, texts: Sequence[str]) -> list[str]:
        """The distinct texts that have no vector yet, in the order of their first place in `texts`."""
        distinct = list(dict.fromkeys(texts))
        return [t for t, k in zip(distinct, keys.text_keys(distinct), strict=True) if k not in self._where]

    def add(self, texts: Sequence[str], rows: Rows, tokens_billed: int = 0) -> None:
        """Publish one segment with the vectors of `texts`.

        Raises:
            StoreError: the vectors have another width than those that are there.
        """
        if self._where:
            width = _vectors(next(iter(self._where.values()))[0]).shape[1]
            if rows.vectors.shape[1] != width:
                raise StoreError(
                    f"{self._store.root / self._stage}: holds vectors of {width} dimensions of this model, "
                    f"which now gave {rows.vectors.shape[1]}: another model answers to its name"
                )
        names = keys.text_keys(texts)
        order = sorted(range(len(names)), key=names.__getitem__)

        def write(folder: Path) -> dict[str, Any]:
            np.save(
                folder / "keys.npy",
                np.frombuffer(b"".join(names[i] for i in order), np.uint8).reshape(-1, 32),
            )
            np.save(folder / "vectors.npy", np.ascontiguousarray(rows.vectors[order]))
            np.save(folder / "tokens.npy", np.stack([rows.tokens_total, rows.tokens_embedded], axis=1)[order])
            return {"identity": self._identity, "texts": len(names), "tokens_billed": tokens_billed}

        self._store.obtain(self._stage, keys.digest([names[i].hex() for i in order])[:24], write)
        self.refresh()

    def segment(self, key: bytes) -> Path | None:
        """The segment with the vector of the text that has this digest; None: there is none."""
        found = self._where.get(key)
        return None if found is None else found[0]

    def rows(self, texts: Sequence[str]) -> Rows:
        """What is stored of `texts`, which must all be there (see `missing`)."""
        return self.by_key(keys.text_keys(texts))

    def by_key(self, wanted: Sequence[bytes]) -> Rows:
        """What is stored of the texts with these digests, which must all be there (see `segment`)."""
        found = [self._where[k] for k in wanted]
        by_segment: dict[Path, list[int]] = {}
        for place, (path, _) in enumerate(found):
            by_segment.setdefault(path, []).append(place)
        width = _vectors(found[0][0]).shape[1] if found else 0
        out = Rows(
            np.empty((len(wanted), width), np.float32), *(np.empty(len(wanted), np.int32) for _ in range(2))
        )
        for path, places in by_segment.items():  # one file open at a time: there may be thousands
            rows = [found[p][1] for p in places]
            out.vectors[places] = _vectors(path)[rows]
            out.tokens_total[places], out.tokens_embedded[places] = self._tokens[path][rows].T
        return out


def _vectors(segment: Path) -> npt.NDArray[np.float32]:
    mapped: npt.NDArray[np.float32] = np.load(segment / "vectors.npy", mmap_mode="r")
    return mapped
