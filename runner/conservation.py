"""Conservation: what every run must satisfy. A breach fails the run; it is a fault of ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from runner.errors import RunnerError
from runner.fates import FOUND, STAGES
from runner.order import Ints

_MANY = 1 << 32
"""More than there are chunks."""


class ConservationError(RunnerError):
    """The recorded trace contradicts itself."""


def _require(ok: object, what: str) -> None:
    if not ok:
        raise ConservationError(
            f"conservation: {what}. Nothing was recorded; please report this with the config"
        )


def candidates(frame: pl.DataFrame, legs: Mapping[str, pl.DataFrame]) -> None:
    """Every leg hit is a candidate exactly once, unchanged, and nothing else is one.

    Every candidate has a final rank xor a drop, and says so; ranks are 1…n.
    """
    mine = _pairs(frame)
    by_a_leg = np.zeros(len(mine), np.bool_)
    _require((np.diff(np.sort(mine)) > 0).all(), "a candidate appears twice")
    for leg, hits in legs.items():
        found = frame[f"{leg}_rank"].is_not_null().to_numpy()
        by_a_leg |= found
        kept = int(found.sum())
        _require(kept == hits.height, f"{leg} found {hits.height} hits, {kept} are candidates")
        ours, theirs = np.argsort(mine[found], kind="stable"), np.argsort(_pairs(hits), kind="stable")
        same = (mine[found][ours] == _pairs(hits)[theirs]).all()
        for part in ("score", "rank"):
            same &= (frame[f"{leg}_{part}"].to_numpy()[found][ours] == hits[part].to_numpy()[theirs]).all()
        _require(same, f"scores or ranks of {leg} were changed by a later stage")
    _require(by_a_leg.all(), "there is a candidate that no leg found")
    final = frame["final_rank"].is_not_null()
    fates = final ^ frame["drop_stage"].is_not_null()
    _require(fates.all(), "a candidate has neither or both of a final rank and a drop")
    _require(
        ((frame["fate"] == "hit") == final).all(), "a candidate says it is a hit and is none, or the reverse"
    )
    for rank in [c for c in frame.columns if c.endswith("_rank")]:
        _ranks(frame, rank)


def untouched(before: pl.DataFrame, after: pl.DataFrame) -> None:
    """Later stages add columns and mark fates; every other column of `before` is in `after` as it was."""
    kept = [c for c in before.columns if not c.startswith("drop_")]
    lost = [c for c in kept if c not in after.columns]
    _require(not lost, f"a later stage lost {', '.join(lost)}")
    old, new = before.select(kept), after.select(kept)
    if not old["query"].equals(new["query"]) or not old["chunk"].equals(new["chunk"]):
        old, new = old.sort("query", "chunk"), new.sort("query", "chunk")
    changed = [c for c in kept if not old[c].equals(new[c])]
    _require(not changed, f"a later stage changed {', '.join(changed)}")


def _pairs(frame: pl.DataFrame) -> Ints:
    """One number per (query, chunk)."""
    pairs: Ints = frame["query"].to_numpy() * _MANY + frame["chunk"].to_numpy()
    return pairs


def _ranks(frame: pl.DataFrame, rank: str) -> None:
    """The ranks of each query are a permutation of 1…n."""
    some = frame[rank].is_not_null().to_numpy()
    if not some.any():
        return
    query = frame["query"].to_numpy()[some]
    ranks = frame[rank].to_numpy()[some].astype(np.int64)
    counts = np.bincount(query)
    ends = np.cumsum(counts)
    place = ends[query] - counts[query] + ranks - 1
    within = (ranks >= 1).all() and (ranks <= counts[query]).all()
    _require(within and (np.bincount(place) == 1).all(), f"{rank} is not 1…n without gaps")


def contexts(expansion: pl.DataFrame, context: pl.DataFrame, hits: pl.DataFrame) -> None:
    """The context is the union of the windows, each chunk once.

    The hits in it are the hits of the ranking.
    """
    reached = np.sort(_pairs(expansion))
    union = reached[np.diff(reached, prepend=-1) > 0]
    _require(np.array_equal(np.sort(_pairs(context)), union), "the context is not the union of the windows")
    kept = np.sort(_pairs(context.filter(pl.col("role") == "hit")))
    _require(
        np.array_equal(kept, np.sort(_pairs(hits))), "the hits of the context are not those of the ranking"
    )


def gold(attributed: pl.DataFrame, items: pl.DataFrame) -> None:
    """Every gold item has exactly one fate, and one of the twelve."""
    _require(
        attributed.select(items.columns).equals(items), "the attributed items are not the gold, each once"
    )
    _require(attributed["stage"].is_in(STAGES).all(), "a gold item has no fate that there is")
    for share, fates in (("covered", FOUND[1:]), ("covered_expanded", FOUND)):
        there = attributed["stage"].is_in(fates) == (attributed[share] == 1)
        _require(there.all(), f"a gold item is said to be {' or '.join(fates)} and is not, or the reverse")


def stages(rows: Sequence[Mapping[str, object]]) -> None:
    """For each stage that counts rows: in = out + dropped."""
    for row in rows:
        if "rows_in" in row:
            balance = row["rows_in"] == int(str(row["rows_out"])) + int(str(row["dropped"]))
            _require(
                balance,
                f"stage {row['stage']}: {row['rows_in']} in, {row['rows_out']} out, {row['dropped']} dropped",
            )
