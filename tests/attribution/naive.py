"""Loss attribution the slow and plain way: sets of code points and loops, from the legs' raw hits on."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl
import reference
from reference import Chunk, Row

from runner.dataset.stage import filter_mask
from runner.runs import Run

Points = frozenset[int]


@dataclass(frozen=True)
class Fate:
    """What the plain way says of one gold item."""

    stage: str
    held: float
    covered: float
    covered_expanded: float
    chunk: int | None
    """The chunk that decided it."""
    reach: frozenset[str]
    """The stages that have it within reach."""


@dataclass(frozen=True)
class Setting:
    """What of a run the plain way needs."""

    legs: Sequence[str]
    top_k: int
    pool: int | None
    neighbors: tuple[int, int]
    doc_ids: Sequence[str]
    """Of each chunk."""
    spans: Sequence[tuple[int, int]]
    """What each chunk returns."""
    lossy: bool = False


def fate(rows: Sequence[Row], doc_id: str, start: int | None, end: int | None, s: Setting) -> Fate:
    """The fate of one item, given the candidates of its query (`reference.candidates`)."""
    mine = _touching(doc_id, start, end or 0, s)
    gold: Points = frozenset({0}) if start is None else frozenset(range(start, end or 0))

    def points(some: Iterable[int]) -> Points:
        held = (range(*s.spans[i]) if start is not None else (0,) for i in some if i in mine)
        return gold.intersection(itertools.chain(*held))

    if not mine:
        return Fate("not_in_corpus", 0.0, 0.0, 0.0, None, frozenset())
    size = len(gold) if s.lossy else len(points(mine))
    prev, following = s.neighbors

    def share(some: Iterable[int]) -> float:
        return len(points(some)) / size

    def window(chunk: int) -> range:
        return range(chunk - prev, chunk + following + 1)

    near = [i for i in range(mine[0] - following, mine[-1] + prev + 1) if s.doc_ids[i : i + 1] == [doc_id]]
    carriers = [i for i in mine if share([i]) == 1] or [i for i in near if share(window(i)) == 1]
    hits = [r.chunk for r in rows if r.final_rank is not None and r.chunk in near]
    flat = [i for h in hits for i in window(h)]
    deciding = carriers or [min(mine, key=lambda i: (-share([i]), i))]
    lost, chunk = _lost([r for r in rows if r.chunk in deciding], rows, s)
    if not carriers:
        lost = "split_by_chunking"
    if share(flat) == 1:
        lost = "expansion_recovered"
    if share(hits) == 1:
        lost = "found"
    by_leg = {leg: share(r.chunk for r in rows if leg in r.rank) >= share(hits) for leg in s.legs}
    return Fate(
        lost,
        max(share(window(i)) for i in near),
        share(hits),
        share(flat),
        min(deciding) if chunk is None else chunk,
        _reach([r for r in rows if r.chunk in carriers], bool(carriers), lost, by_leg, s),
    )


def _touching(doc_id: str, start: int | None, end: int, s: Setting) -> list[int]:
    places = enumerate(zip(s.doc_ids, s.spans, strict=True))
    return [i for i, (d, (a, b)) in places if d == doc_id and (start is None or (a < end and b > start))]


def _lost(carriers: Sequence[Row], rows: Sequence[Row], s: Setting) -> tuple[str, int | None]:
    """Where a carrier was last in hand, looked for from the end of the pipeline backwards."""
    ranked = [r for r in carriers if r.drop and r.drop[0] == "cut"]
    places = {leg: _places([r for r in rows if leg in r.norm], leg) for leg in s.legs}
    of_leg = {r.chunk: min((p[r.chunk] for p in places.values() if r.chunk in p), default=s.top_k + 1)
              for r in ranked}  # fmt: skip
    seen = [r for r in ranked if s.pool is None or (r.fused_rank or 0) <= s.pool]
    dropped = {
        stage: [r for r in carriers if r.drop and r.drop[0] == stage] for stage in ("threshold", "filter")
    }

    def final(r: Row) -> float:
        return r.drop[2] or 0 if r.drop else r.final_rank or 0

    def fused(r: Row) -> float:
        return r.fused_rank or 0

    def leg(r: Row) -> float:
        return min(r.rank.values())

    looked: list[tuple[str, list[Row], Callable[[Row], float]]] = [
        ("found", [r for r in carriers if r.final_rank is not None], final),
        ("rerank", [r for r in ranked if fused(r) <= s.top_k], fused),
        ("fusion", [r for r in ranked if of_leg[r.chunk] <= s.top_k], lambda r: of_leg[r.chunk]),
        ("below_similarity", [r for r in ranked if _withheld(r, s)], leg),
        ("top_k", seen, final),
        ("beyond_pool", ranked, final),
        ("below_score", [r for r in dropped["threshold"] if r.fused_rank is not None], fused),
        ("below_similarity", dropped["threshold"], leg),
        ("filtered", dropped["filter"], leg),
    ]
    for stage, some, key in looked:
        if some:
            return stage, min(some, key=lambda r: (key(r), r.chunk)).chunk
    return "outside_window", None


def _withheld(row: Row, s: Setting) -> bool:
    return any(rank <= s.top_k for leg, rank in row.rank.items() if leg not in row.norm)


def _places(rows: Sequence[Row], leg: str) -> dict[int, int]:
    return {r.chunk: place for place, r in enumerate(sorted(rows, key=lambda r: r.rank[leg]), 1)}


def _reach(
    mine: Sequence[Row], carried: bool, stage: str, by_leg: Mapping[str, bool], s: Setting
) -> frozenset[str]:
    within = stage in ("found", "expansion_recovered")
    out = {
        "chunking": carried or within,
        "window": bool(mine) or within,
        "cut": stage == "found",
        "expansion": within,
    }
    for leg in s.legs:
        out[f"leg.{leg}"] = any(leg in r.rank for r in mine) or (within and by_leg[leg])
    if s.pool is not None:
        alive = [r for r in mine if r.drop is None or r.drop[0] == "cut"]
        out["pool"] = any((r.fused_rank or 0) <= s.pool for r in alive) or within
    return frozenset(name for name, yes in out.items() if yes)


def check(run: Run) -> Counter[str]:
    """Compare a recorded run with the plain way, item by item; returns how many items had which fate."""
    config = run.config
    documents = run.corpus("documents")
    allowed = dict(zip(documents["doc_id"], filter_mask(documents, config["filter"]), strict=True))
    texts = run.chunks.select("chunk_id", "doc_id", "text", "tokens").iter_rows()
    chunks = [Chunk(*row, allowed=allowed[row[1]]) for row in texts]
    said = run.meta["expansion"]
    setting = Setting(
        legs=run.legs,
        top_k=config["top_k"],
        pool=config["reranker"].get("pool") if config["reranker"]["name"] != "none" else None,
        neighbors=(said["prev"], said["next"]) if said["applied"] else (0, 0),
        doc_ids=run.chunks["doc_id"].to_list(),
        spans=list(run.chunks.select("start", "end").iter_rows()),
    )
    legs = {leg: _hits(run, leg) for leg in run.legs}
    gold = run.judgments.filter(pl.col("grade") >= 1)
    attributed = {
        tuple(row[c] for c in ("query_id", "doc_id", "start", "end")): row
        for row in run.table("attribution").to_dicts()
    }
    assert len(attributed) == gold.height == run.meta["attribution"]["n"]
    counts: Counter[str] = Counter()
    reach: Counter[str] = Counter()
    for i, (query_id, text) in enumerate(run.table("queries").select("query_id", "text").iter_rows()):
        items = gold.filter(query_id=query_id).select("doc_id", "start", "end").rows()
        found = {leg: legs[leg].get(i, {}) for leg in run.legs}
        rows = reference.candidates(config, found, chunks, text) if items else []
        for doc_id, start, end in items:
            right = fate(rows, doc_id, start, end, setting)
            row = attributed[query_id, doc_id, start, end]
            assert row["stage"] == right.stage, (query_id, doc_id, start, end, row, right)
            assert (row["held"], row["covered"], row["covered_expanded"]) == (
                right.held, right.covered, right.covered_expanded,
            )  # fmt: skip
            assert row["chunk_id"] == (None if right.chunk is None else chunks[right.chunk].chunk_id)
            counts[right.stage] += 1
            reach.update(right.reach)
    facts = run.meta["attribution"]
    assert {k: n for k, n in facts["stages"].items() if n} == dict(counts)
    assert facts["ceilings"] == {name: reach[name] for name in facts["ceilings"]}
    assert set(reach) <= set(facts["ceilings"])
    return counts


def _hits(run: Run, leg: str) -> dict[int, dict[int, float]]:
    """The raw hits of a leg as they lie in the store: by query row, score by chunk."""
    folder = run.outputs / "store" / "legs" / run.meta["keys"]["legs"][leg]
    out: dict[int, dict[int, float]] = {}
    for query, chunk, score in (
        pl.read_parquet(folder / "hits.parquet").select("query", "chunk", "score").iter_rows()
    ):
        out.setdefault(query, {})[chunk] = score
    return out
