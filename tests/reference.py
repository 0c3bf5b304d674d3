"""Everything after the legs, the slow and plain way: what a run must have recorded of one query."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Any

Config = Mapping[str, Any]


@dataclass
class Chunk:
    """A chunk as the reference needs it."""

    chunk_id: str
    doc_id: str
    text: str
    tokens: int
    allowed: bool


@dataclass
class Row:
    """A candidate: what each leg said, and what became of it."""

    chunk: int
    score: dict[str, float]
    rank: dict[str, int]
    norm: dict[str, float] = field(default_factory=dict)
    fused: float | None = None
    fused_rank: int | None = None
    rerank: float | None = None
    rerank_rank: int | None = None
    final_rank: int | None = None
    final_score: float | None = None
    drop: tuple[str, str, float | None, float | None] | None = None
    """Stage, reason, value, limit."""


def candidates(
    config: Config, legs: Mapping[str, Mapping[int, float]], chunks: Sequence[Chunk], query: str
) -> list[Row]:
    """The candidates of one query from the hits of its legs (score by chunk), hits first."""
    ranks = {leg: _ranks(found) for leg, found in legs.items()}
    rows = [
        Row(
            c,
            {leg: f[c] for leg, f in legs.items() if c in f},
            {leg: r[c] for leg, r in ranks.items() if c in r},
        )
        for c in sorted({c for found in legs.values() for c in found})
    ]
    for row in rows:
        if config["filter"] and not chunks[row.chunk].allowed:
            row.drop = ("filter", "metadata does not match the filter", None, None)
    admitted = _threshold(config, rows)
    _fuse(config, [r for r in rows if r.drop is None], list(legs), admitted)
    limit = config["threshold"]["score"]
    for row in rows:
        if row.drop is None and limit is not None and row.fused is not None and row.fused < limit:
            row.drop = ("threshold", "fused score below the threshold", row.fused, limit)
    _finish(config, [r for r in rows if r.drop is None], chunks, query)
    return sorted(rows, key=lambda r: (r.final_rank or 10**6, r.fused_rank or 10**6, r.chunk))


def _ranks(found: Mapping[int, float]) -> dict[int, int]:
    return {c: r for r, c in enumerate(sorted(found, key=lambda c: (-found[c], c)), 1)}


def _threshold(config: Config, rows: list[Row]) -> dict[int, set[str]]:
    """The legs whose word counts for each chunk."""
    limit = config["threshold"]["similarity"]
    admitted = {}
    for row in rows:
        legs = set(row.score)
        if limit is not None and row.score.get("vector", limit) < limit:
            legs.discard("vector")
            if not legs and row.drop is None:
                reason = "vector similarity below the threshold"
                row.drop = ("threshold", reason, row.score["vector"], limit)
        admitted[row.chunk] = legs
    return admitted


def _fuse(config: Config, rows: list[Row], legs: list[str], admitted: Mapping[int, set[str]]) -> None:
    for leg in legs:
        some = [r for r in rows if leg in admitted[r.chunk]]
        scores = [r.score[leg] for r in some]
        for row in some:
            alone = len(legs) == 1
            row.norm[leg] = row.score[leg] if alone else _norm(config["fusion"], leg, row, scores)
    for row in rows:
        row.fused = _joined(config["fusion"], row, legs)
    for rank, row in enumerate(sorted(rows, key=lambda r: (-(r.fused or 0.0), r.chunk)), 1):
        row.fused_rank = rank


def _norm(fusion: Config, leg: str, row: Row, scores: list[float]) -> float:
    score, low, high = row.score[leg], min(scores), max(scores)
    if fusion["name"] == "rrf":
        return 1 / float(fusion["constant"] + row.rank[leg])
    if fusion["name"] == "isr":
        return 1 / row.rank[leg] ** 2
    if fusion["name"] == "dbsf":
        spread = stdev(scores) if len(scores) > 1 else 0.0
        z = (score - fmean(scores)) / spread if spread else 0.0
        return min(1.0, max(0.0, z / 6 + 0.5))
    if fusion["name"] == "bonus":
        return max(score, 0.0) if leg == "vector" else max(score, 0.0) / high if high > 0 else 0.0
    return (score - low) / (high - low) if high > low else float(score > 0)


def _joined(fusion: Config, row: Row, legs: list[str]) -> float:
    signals = [row.norm.get(leg, 0.0) for leg in legs]
    if len(legs) == 1:
        return signals[0]
    if fusion["name"] in ("rrf", "combsum", "dbsf"):
        return sum(signals)
    if fusion["name"] in ("combmnz", "isr"):
        return len(row.norm) * sum(signals)
    if fusion["name"] == "bonus":
        return max(signals) + fusion["weight"] * min(signals)
    weights = [fusion["weights"].get(leg, 1.0) for leg in legs]
    return sum(w / sum(weights) * s for w, s in zip(weights, signals, strict=True))


def _finish(config: Config, rows: list[Row], chunks: Sequence[Chunk], query: str) -> None:
    ordered = sorted(rows, key=lambda r: r.fused_rank or 0)
    if config["reranker"]["name"] == "overlap":
        pool, tail = ordered[: config["reranker"]["pool"]], ordered[config["reranker"]["pool"] :]
        for row in pool:
            row.rerank = _overlap(query, chunks[row.chunk].text)
        pool.sort(key=lambda r: (-(r.rerank or 0.0), r.chunk))
        for rank, row in enumerate(pool, 1):
            row.rerank_rank = rank
        ordered = pool + tail
    for rank, row in enumerate(ordered, 1):
        if rank <= config["top_k"]:
            row.final_rank = rank
            row.final_score = row.fused if row.rerank is None else row.rerank
        else:
            row.drop = ("cut", "beyond top_k", rank, config["top_k"])


def _overlap(query: str, text: str) -> float:
    asked, found = ({w.lower() for w in re.findall(r"\w\w+", t)} for t in (query, text))
    return len(asked & found) / (len(asked) * len(found)) ** 0.5 if asked and found else 0.0


def windows(
    hits: Sequence[int], chunks: Sequence[Chunk], prev: int, following: int
) -> list[tuple[int, int, int, str]]:
    """(hit rank, offset, chunk, role) of every hit's window."""
    out = []
    for rank, hit in enumerate(hits, 1):
        for offset in range(-prev, following + 1):
            there = hit + offset
            if 0 <= there < len(chunks) and chunks[there].doc_id == chunks[hit].doc_id:
                out.append((rank, offset, there, "hit" if there in hits else "neighbor"))
    return out


def context(
    hits: Sequence[int], window: Sequence[tuple[int, int, int, str]], chunks: Sequence[Chunk]
) -> list[tuple[int, str]]:
    """(chunk, role), once each: documents by their best hit, chunks in order."""
    best: dict[str, int] = {}
    for rank, hit in enumerate(hits, 1):
        best.setdefault(chunks[hit].doc_id, rank)
    roles = {chunk: role for _, _, chunk, role in window}
    return [(c, roles[c]) for c in sorted(roles, key=lambda c: (best[chunks[c].doc_id], c))]
