"""Loss attribution: for every gold item the one stage that lost it, from the recorded window alone.

- `found`: what the hits return (`parents.returned`) holds the whole item, of a document any chunk; several
  may hold it together. `expansion_recovered`: the context does, and the hits do not.
- `not_in_corpus`: no chunk has any of it. `split_by_chunking`: some have, but no chunk holds it whole, and
  where windows are on no window does.
- Else its carriers decide: the chunks that hold it whole, or where there is none those whose window does.
  None is a candidate: `outside_window`. A stage dropped all those that are: the last one in the pipeline that
  did, `filtered`, `below_similarity` or `below_score`.
- Else some carrier was ranked, and top_k cut it off. The last place where it was within top_k names the loss:
  `rerank`, the fused order; `fusion`, what a leg gave to the fusion; `below_similarity`, a leg from which a
  threshold withheld it. It never was: `beyond_pool` if there is a reranker that did not see it, else `top_k`.

So `rerank` says that the run without its reranker would have returned a carrier, and `fusion` that a leg
alone would have. Places count what can still be returned: not filtered, not withheld, one chunk per parent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from runner import parents, reached
from runner.carriers import Carriers, carriers
from runner.fates import FOUND, STAGES
from runner.order import Ints
from runner.reached import ORDER, Bools, Limits


@dataclass(frozen=True, slots=True)
class Attributed:
    """The gold of a run."""

    items: pl.DataFrame
    """`query, doc_id, start, end, grade` as given, then what `fates.Attribution` adds; a row per item."""
    ceilings: dict[str, int]
    """By stage: items that would be in the context if everything after it were perfect."""

    @property
    def facts(self) -> dict[str, object]:
        """For the record: number of items, items by fate (all twelve, which add up to it), and ceilings."""
        counted = dict(self.items["stage"].value_counts().iter_rows())
        stages = {stage: int(counted.get(stage, 0)) for stage in STAGES}
        return {"n": self.items.height, "stages": stages, "ceilings": self.ceilings}


def attribute(
    gold: pl.DataFrame, chunks: pl.DataFrame, candidates: pl.DataFrame, context: pl.DataFrame, limits: Limits
) -> Attributed:
    """The fate of every item of `gold` (`query, doc_id, start, end, grade`: positive judgments).

    Args:
        gold: no start and no end: the item is the whole document.
        chunks: the chunk table.
        candidates: the window with every rank and fate; a row per query and chunk.
        context: `query, chunk`: what is returned, neighbors included.
        limits: of the run.
    """
    held = carriers(gold, parents.returned(chunks), limits.neighbors, lossy=limits.lossy)
    query = gold["query"].to_numpy()
    seen = reached.rows(candidates, query[held.item], held.chunk)
    covered = expanded = held.covered(reached.known(candidates, "final_rank", seen))
    if any(limits.neighbors):
        expanded = held.covered(reached.rows(context, query[held.item], held.chunk) >= 0)
    unit = parents.units(chunks) if parents.has_parents(chunks) else None
    facts = reached.progress(held.by_item, query[held.by_item], held.by_chunk, candidates, unit, limits)
    deciding = reached.furthest(facts)
    stage = _stages(held, deciding, covered, expanded)
    size = np.maximum(held.size, 1)
    ranks = [c for c in candidates.columns if c.endswith("_rank") and not c.startswith("order_")]
    shown = ["item", "chunk", *ranks, "drop_reason", "drop_value", "drop_limit"]
    items = gold.with_columns(
        pl.Series("stage", stage, pl.String),
        pl.Series("held", held.held),
        pl.Series("covered", covered / size),
        pl.Series("covered_expanded", expanded / size),
        pl.Series("item", np.arange(gold.height)),
    ).join(deciding.select(shown), on="item", how="left", maintain_order="left")
    within = pl.Series(stage, dtype=pl.String).is_in(FOUND).to_numpy()
    ceilings = _ceilings(held, facts, within, limits)
    for leg in limits.legs:  # several of its hits may hold together what none of them holds
        alone = held.covered(reached.known(candidates, f"{leg}_rank", seen))
        ceilings[f"leg.{leg}"] |= within & (alone >= covered)
    ceilings |= {"cut": np.asarray(stage == "found"), "expansion": within}
    return Attributed(items.drop("item"), {name: int(flags.sum()) for name, flags in ceilings.items()})


def _stages(held: Carriers, deciding: pl.DataFrame, covered: Ints, expanded: Ints) -> np.ndarray:
    """The fate of each item, shape (n,)."""
    stage = np.full(len(held.size), "not_in_corpus", dtype=object)
    stage[deciding["item"].to_numpy()] = np.array(ORDER, dtype=object)[deciding["order"].to_numpy()]
    stage[stage == "found"] = "split_by_chunking"  # a carrier is a hit; below it is seen what it brought
    there = held.size > 0
    stage[there & ~held.carried] = "split_by_chunking"
    stage[there & (expanded == held.size)] = "expansion_recovered"
    stage[there & (covered == held.size)] = "found"
    return stage


def _ceilings(held: Carriers, facts: pl.DataFrame, within: Bools, limits: Limits) -> dict[str, Bools]:
    """Which items each stage has a carrier of; those in the context are in reach of what all hits pass."""
    item = facts["item"].to_numpy()
    carried = held.carried[item]

    def of(which: pl.Series) -> Bools:
        out = np.zeros(len(held.size), np.bool_)
        out[item[carried & which.fill_null(value=False).to_numpy()]] = True
        return out

    out = {"chunking": held.carried | within}
    out |= {f"leg.{leg}": of(facts[f"{leg}_rank"].is_not_null()) for leg in limits.legs}
    out["window"] = of(facts["row"] >= 0) | within
    if limits.pool is not None:
        alive = facts["drop_stage"].fill_null("cut").is_in(["cut", "parent"])
        out["pool"] = of(alive & (facts["fused_rank"] <= limits.pool)) | within
    return out
