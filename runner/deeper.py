"""A deeper look, after the run: at what depth a leg would have had what it did not find; all is ranked."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from runner import artifacts, parents, registry, searching
from runner.carriers import carriers
from runner.config import RunConfig
from runner.keyring import keyring
from runner.loss_records import Depth
from runner.parts import parts
from runner.retrieval.contract import Leg
from runner.session import Session

_BLOCK = 32
"""Questions searched at a time: each ranks the whole corpus."""
Item = tuple[str, str, int | None, int | None]
"""Query, document, start and end."""


def depths(config: RunConfig, session: Session, items: Sequence[Item]) -> dict[Item, tuple[Depth, ...]]:
    """For each gold item where every leg has the best of its carriers.

    An approximate leg is looked up by exact search over the same vectors. Nothing is written, but for vectors
    and an index that the store has lost.

    Args:
        config: of the run.
        session: over the store that it left.
        items: of any questions; those without a carrier come back without a depth.
    """
    p = parts(config)
    k = keyring(p, session)
    table, _ = artifacts.chunks(p, k, session)
    gold = pl.DataFrame(
        [{"doc_id": d, "start": s, "end": e} for _, d, s, e in items],
        schema={"doc_id": pl.String, "start": pl.Int64, "end": pl.Int64},
    )
    held = carriers(gold, parents.returned(table), p.neighbors, lossy=p.strategy.lossy)
    of_item: dict[Item, list[int]] = {
        item: held.by_chunk[held.by_item == i].tolist() for i, item in enumerate(items) if held.carried[i]
    }
    texts = dict(artifacts.table(k, session, "queries").select("query_id", "text").iter_rows())
    asked = list(dict.fromkeys(q for q, *_ in of_item))
    out: dict[Item, tuple[Depth, ...]] = dict.fromkeys(items, ())
    for first in range(0, len(asked), _BLOCK):
        block = asked[first : first + _BLOCK]
        for name, leg in p.legs.items():
            exact = _exact(leg, table.height)
            found = searching.search(p, k, session, name, exact, [texts[q] for q in block]).frame
            for row, query in enumerate(block):
                mine = found.filter(query=row)
                for item in (i for i in of_item if i[0] == query):
                    out[item] += (_depth(name, leg.depth, mine, of_item[item], table["chunk_id"]),)
    return out


def _exact(leg: Leg, n: int) -> Leg:
    """The same search to the depth of the corpus, and exact where the leg's own is approximate."""
    if leg.reads == "vectors" and leg.similarity:
        return registry.as_contract(
            registry.parse_component("retrieval", {"name": "vector", "depth": n}), Leg
        )
    return leg.model_copy(update={"depth": n})


def _depth(name: str, depth: int, found: pl.DataFrame, chunks: Sequence[int], chunk_ids: pl.Series) -> Depth:
    """The best of `chunks` among all that a leg ranks for a query (`chunk, score, rank`)."""
    mine = found.filter(pl.col("chunk").is_in(list(chunks))).sort("rank").head(1).to_dicts()
    at = {"of": found.height, "depth": depth}
    if not mine:
        return Depth(name, None, None, None, **at)
    return Depth(name, mine[0]["rank"], chunk_ids[mine[0]["chunk"]], mine[0]["score"], **at)
