"""The parts of a run: its components typed by their contracts, checked against each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from runner import registry
from runner.config import RunConfig
from runner.dataset.contract import Dataset
from runner.embedding.contract import Embedding
from runner.enrichment.contract import Enrichment
from runner.errors import RequestError
from runner.fusion.contract import Fusion
from runner.kg.contract import KnowledgeGraph
from runner.metrics.contract import Metrics
from runner.reranker.contract import Reranker
from runner.retrieval.contract import Leg, Retrieval
from runner.strategy.contract import Strategy
from runner.tokenizer.contract import Tokenizer


@dataclass(frozen=True, slots=True)
class Parts:
    """The components of a run, typed by their contracts, and what of the request does not apply."""

    config: RunConfig
    dataset: Dataset
    tokenizer: Tokenizer
    strategy: Strategy
    kg: KnowledgeGraph
    enrichment: Enrichment
    embedding: Embedding
    legs: Mapping[str, Leg]
    fusion: Fusion
    reranker: Reranker
    measures: list[str]
    neighbors: tuple[int, int]
    """(previous, next) as they take effect: 0, 0 where the strategy has no windows."""
    not_applied: dict[str, str] = field(default_factory=dict)
    """Config path -> why it does nothing here."""

    @property
    def reads_vectors(self) -> bool:
        """Whether any leg needs the embedding model."""
        return any(leg.reads == "vectors" for leg in self.legs.values())


def parts(config: RunConfig) -> Parts:
    """The components of `config`.

    Raises:
        RequestError: choices that do not fit each other (a formula and its legs, a threshold out of reach).
    """
    retrieval = registry.as_contract(config.retrieval, Retrieval)
    strategy = registry.as_contract(config.strategy, Strategy)
    fusion = registry.as_contract(config.fusion, Fusion)
    made = Parts(
        config=config,
        dataset=registry.as_contract(config.dataset, Dataset),
        tokenizer=registry.as_contract(config.tokenizer, Tokenizer),
        strategy=strategy,
        kg=registry.as_contract(config.kg, KnowledgeGraph),
        enrichment=registry.as_contract(config.enrichment, Enrichment),
        embedding=registry.as_contract(config.embedding, Embedding),
        legs=retrieval.legs,
        fusion=fusion,
        reranker=registry.as_contract(config.reranker, Reranker),
        measures=list(registry.as_contract(config.metrics, Metrics).measures),
        neighbors=(config.neighbor_prev, config.neighbor_next) if strategy.windows else (0, 0),
        not_applied=_not_applied(config, strategy, retrieval.legs),
    )
    _check(made)
    return made


def _not_applied(config: RunConfig, strategy: Strategy, legs: Mapping[str, Leg]) -> dict[str, str]:
    out: dict[str, str] = {}
    if not strategy.windows:
        for knob in ("neighbor_prev", "neighbor_next"):
            if getattr(config, knob):
                out[knob] = f"strategy {strategy.name} has no windows to widen"
    if not any(leg.reads == "vectors" for leg in legs.values()):
        out["embedding"] = out["enrichment"] = f"no leg reads vectors ({', '.join(legs)})"
    if not any(leg.similarity for leg in legs.values()) and config.threshold.similarity is not None:
        out["threshold.similarity"] = f"no leg gives similarities ({', '.join(legs)})"
    if len(legs) == 1:
        out["fusion"] = f"one leg ({next(iter(legs))}): its scores are the fused scores"
    return out


def _check(made: Parts) -> None:
    names = list(made.legs)
    limit = made.config.threshold.score
    try:
        if len(names) > 1:
            made.fusion.check(names)
    except ValueError as e:
        raise RequestError(str(e)) from None
    if limit is None:
        return
    if len(names) > 1:
        ceiling = made.fusion.ceiling(names)
    elif made.legs[names[0]].similarity:
        ceiling = 1.0
    else:
        return
    if limit > ceiling:
        raise RequestError(
            f"threshold.score: {limit:g} is above {ceiling:.7g}, the most that "
            f"{made.fusion.formula() if len(names) > 1 else names[0]} can give; it would drop all. "
            "A cut-off on cosine is threshold.similarity"
        )
