"""Single changes to a run's config that might bring lost gold back: one stage undone or widened at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from runner import registry
from runner.config import RunConfig, Threshold
from runner.fates import Stage
from runner.parts import Parts, parts

Kind = Literal[
    "window",
    "filter",
    "similarity",
    "score",
    "fusion",
    "leg",
    "pool",
    "reranker",
    "top_k",
    "neighbors",
    "chunking",
]
UNDOES: Mapping[Stage, Sequence[Kind]] = {
    "split_by_chunking": ("chunking", "neighbors"),
    "outside_window": ("window",),
    "filtered": ("filter",),
    "below_similarity": ("similarity",),
    "below_score": ("score",),
    "fusion": ("fusion", "leg"),
    "beyond_pool": ("pool",),
    "rerank": ("reranker",),
    "top_k": ("top_k",),
}
"""The kinds of change that undo what a stage did; there is none to `not_in_corpus`."""
WHOLE_SECTIONS = 1_000_000
"""Characters of a piece: no section is cut."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A config that differs from the run's in one thing."""

    kind: Kind
    says: str
    config: RunConfig


def changes(config: RunConfig, places: Sequence[int], chunks: int) -> Iterator[Changed]:
    """Every single change there is to try.

    Args:
        config: of the run.
        places: the final places of what top_k cut off.
        chunks: how many there are in the corpus.
    """
    p = parts(config)
    yield from _legs(p, chunks)
    yield from _dropping(config)
    yield from _ranking(p)
    for k in sorted({min(places), max(places)}) if places else [2 * config.top_k]:
        yield _with(config, "top_k", f"top_k {config.top_k} → {k}", top_k=k)
    if p.strategy.windows:
        prev, following = p.neighbors
        for more in ((1, 0), (0, 1), (1, 1), (2, 2)):
            wider = (prev + more[0], following + more[1])
            says = f"neighbors ±{prev}/{following} → ±{wider[0]}/{wider[1]}"
            yield _with(config, "neighbors", says, neighbor_prev=wider[0], neighbor_next=wider[1])
    for name, fields in (("heading", {"size": WHOLE_SECTIONS}), ("document", {})):
        other = registry.parse("strategy", {"name": name, **fields})
        if other != config.strategy:
            what = "whole sections" if fields else "whole documents"
            yield _with(config, "chunking", f"strategy {p.strategy.name} → {name} ({what})", strategy=other)


def _with(config: RunConfig, kind: Kind, says: str, **fields: Any) -> Changed:
    return Changed(kind, says, config.model_copy(update=fields))


def _legs(p: Parts, chunks: int) -> Iterator[Changed]:
    config, retrieval = p.config, p.config.retrieval
    if any(leg.depth < chunks for leg in p.legs.values()):
        deep = {name: leg.model_copy(update={"depth": chunks}) for name, leg in p.legs.items()}
        was = ", ".join(f"{name} {leg.depth}" for name, leg in p.legs.items())
        says = f"depth of every leg ({was}) → all {chunks:,} chunks"
        yield _with(config, "window", says, retrieval=retrieval.model_copy(update={"legs": deep}))
    for name in p.legs if len(p.legs) > 1 else ():
        alone = retrieval.model_copy(update={"legs": {name: p.legs[name]}})
        yield _with(config, "leg", f"the leg {name} alone", retrieval=alone)


def _dropping(config: RunConfig) -> Iterator[Changed]:
    limits = config.threshold
    if config.filter:
        said = ", ".join(f"{k}={v}" for k, v in config.filter.items())
        yield _with(config, "filter", f"filter {said} → off", filter={})
    if limits.similarity is not None:
        off = Threshold(similarity=None, score=limits.score)
        yield _with(config, "similarity", f"threshold.similarity {limits.similarity:g} → off", threshold=off)
    if limits.score is not None:
        off = Threshold(similarity=limits.similarity, score=None)
        yield _with(config, "score", f"threshold.score {limits.score:g} → off", threshold=off)


def _ranking(p: Parts) -> Iterator[Changed]:
    config = p.config
    for name in registry.built_in("fusion") if len(p.legs) > 1 else ():
        if name != p.fusion.name:
            other = registry.parse("fusion", {"name": name})
            yield _with(config, "fusion", f"fusion {p.fusion.name} → {name}", fusion=other)
    if not p.reranker.off:
        off = registry.parse("reranker", {"name": "none"})
        yield _with(config, "reranker", f"reranker {p.reranker.name} → none", reranker=off)
        most = sum(leg.depth for leg in p.legs.values())
        if most > p.reranker.pool:
            all_of_it = config.reranker.model_copy(update={"pool": most})
            says = f"reranker.pool {p.reranker.pool} → {most} (all candidates)"
            yield _with(config, "pool", says, reranker=all_of_it)
