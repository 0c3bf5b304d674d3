"""The keys of one run: the digest of what each stage's output depends on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runner import keys, plugins, splits
from runner.config import GROUPS, Component
from runner.dataset import stage as dataset_stage
from runner.errors import DataError, RequestError
from runner.measure_names import CURVE
from runner.metrics.contract import Family, family_of, parse_measure
from runner.parts import Parts
from runner.session import Session

_DECIDING = ("documents", "queries", "judgments", "given")
"""Parts of a data set in a run's key; the others act through the headers that they decide, or not at all."""


@dataclass(frozen=True, slots=True)
class Keyring:
    """Keys of the stages of a run; a stage that does not apply has none."""

    corpus: str
    fingerprints: dict[str, str]
    chunks: str
    kg: str | None
    enrichment: str | None
    model: str | None
    embedding: str | None
    indexes: dict[str, str]
    legs: dict[str, str]
    run: str
    identities: dict[str, Any]


def keyring(p: Parts, session: Session) -> Keyring:
    """The keys of a run.

    Reads the data set (once, then its cached form) and digests model files; loads no model.
    """
    corpus, meta = corpus_meta(p, session)
    prints: dict[str, str] = meta["fingerprints"]
    tokenizer = p.tokenizer.identity()
    identities: dict[str, Any] = {"tokenizer": tokenizer}
    model = embedding = graph = headers = None
    inputs = [prints["documents"], f"{tokenizer}/v{plugins.edition(p.config.tokenizer)}"]
    # Whether a strategy looks at them is its own affair: a key too many costs a chunking, no more.
    inputs += [prints["given"]] if "given" in prints else []
    if p.strategy.reads_vectors:
        inputs += [keys.digest(["model", plugins.identity(p.embedding)]), p.embedding.prompts().document]
    chunks = _key("strategy", p.config.strategy, inputs)
    if p.reads_vectors:
        identities["embedding"] = plugins.identity(p.embedding)
        model = keys.digest(["model", identities["embedding"]])
        if not p.enrichment.off:
            graph, headers = _enriched(p, prints, chunks, identities)
        settings = {**p.embedding.prompts()._asdict(), "on_truncate": p.embedding.on_truncate}
        embedding = keys.stage_key("embedding", "vectors", 2, settings, [model, chunks, headers or "off"])
    indexes, legs = {}, {}
    for name, leg in p.legs.items():
        source = str(embedding) if leg.reads == "vectors" else chunks
        knobs, what, code = leg.settings(), leg.identity(), plugins.edition(leg)
        asked = {field: knobs.pop(field) for field in sorted(leg.search_fields)}
        indexes[name] = keys.stage_key("index", leg.name, code, {**knobs, **what}, [source])
        legs[name] = keys.stage_key("leg", leg.name, code, asked, [indexes[name], prints["queries"]])
        if what:
            identities[f"retrieval.{name}"] = what
    if not p.reranker.off:
        identities["reranker"] = plugins.identity(p.reranker)
    idle = {g for g, key in (("kg", graph), ("enrichment", headers)) if key is None}
    chosen = (getattr(p.config, g) for g in GROUPS if g not in idle)
    foreign = plugins.used([*chosen, *p.legs.values(), *families(p)])
    identities |= {"plugins": foreign} if foreign else {}
    return Keyring(
        corpus,
        prints,
        chunks,
        graph,
        headers,
        model,
        embedding,
        indexes,
        legs,
        _run_key(p, prints, legs, identities),
        identities,
    )


def _enriched(
    p: Parts, prints: dict[str, str], chunks: str, identities: dict[str, Any]
) -> tuple[str | None, str]:
    """The keys of the graph (None: not read) and of the headers; what they are made with is an identity."""
    graph = None
    if p.enrichment.reads_graph:
        lacks = [part for part in dataset_stage.GRAPH if part not in prints]
        if p.kg.reads_own and lacks:
            raise RequestError(
                f"kg={p.kg.name}: the data set {p.dataset.name} brings no graph, which enrichment="
                f"{p.enrichment.name} reads; kg=extract makes one from its texts"
            )
        own = [prints[part] for part in dataset_stage.GRAPH] if p.kg.reads_own else []
        identities["kg"] = {"name": p.kg.name, **p.kg.identity()}
        graph = _key("kg", p.config.kg, [prints["documents"], keys.digest(p.kg.identity()), *own])
    if p.enrichment.reads_situating and "situating" not in prints:
        raise RequestError(
            f"enrichment={p.enrichment.name}: the data set {p.dataset.name} brings no situating texts "
            "(a native one keeps them in situating.jsonl)"
        )
    identity = p.enrichment.identity()
    if identity:
        identities["enrichment"] = identity
    texts = prints["situating"] if p.enrichment.reads_situating else "none"
    inputs = [
        chunks,
        prints["documents"],
        graph or "none",
        texts,
        keys.digest(identity),
        identities["tokenizer"],
    ]
    return graph, _key("enrichment", p.config.enrichment, inputs)


def corpus_meta(p: Parts, session: Session) -> tuple[str, dict[str, Any]]:
    """The key of the questions asked and their data set, and its manifest (`fingerprints`, counts)."""
    config = p.config
    whole, meta = _whole(p, session)
    if config.split == "all" and config.questions is None:
        return whole, meta
    said = {"part": config.split, "questions": config.questions, "seed": config.seed}

    def write(folder: Path) -> dict[str, Any]:
        part = splits.taken(dataset_stage.unpack(session.store.path("corpus", whole)), config)
        dataset_stage.pack(part, folder)
        return meta | {
            "fingerprints": dataset_stage.fingerprints(part),
            "queries": part.queries.height,
            "judgments": part.judgments.height,
            "split": said | {"of": meta["queries"]},
        }

    key = keys.stage_key("split", "halves", 1, said, [whole])
    return key, session.store.obtain("corpus", key, write).meta


def _whole(p: Parts, session: Session) -> tuple[str, dict[str, Any]]:
    """The same of the whole data set; parsed at the first call."""
    key = session.memo("corpus_key", keys.digest([p.dataset.name, p.config.dataset.settings()]),
                       lambda: _source_key(p.config.dataset))  # fmt: skip

    def write(folder: Path) -> dict[str, Any]:
        loaded = p.dataset.load()
        dataset_stage.pack(loaded, folder)
        return {
            "dataset": p.dataset.name,
            "fingerprints": dataset_stage.fingerprints(loaded),
            "documents": loaded.documents.height,
            "queries": loaded.queries.height,
            "judgments": loaded.judgments.height,
            "rejected": loaded.rejected,
            "notes": list(loaded.notes),
        }

    return key, session.store.obtain("corpus", key, write).meta


def _source_key(dataset: Component) -> str:
    try:
        return dataset_stage.source_key(dataset)
    except OSError as e:
        raise DataError(f"dataset {dataset.name}: {e.filename} cannot be read ({e.strerror})") from e


def _key(stage: str, component: Component, inputs: list[str]) -> str:
    return keys.stage_key(stage, component.name, plugins.edition(component), component.settings(), inputs)


def families(p: Parts) -> list[Family]:
    """The families that compute the measures asked for, one a measure."""
    return [family_of(parse_measure(m)) for m in p.measures]


def _run_key(p: Parts, prints: dict[str, str], legs: dict[str, str], identities: dict[str, Any]) -> str:
    """What decides a run's recorded bytes: leg hits by key, and every choice after them that applies."""
    config = p.config
    versions = sorted({(f.name, plugins.edition(f)) for f in families(p)})
    threshold = config.threshold.model_dump(mode="json")
    if "threshold.similarity" in p.not_applied:
        threshold["similarity"] = None
    return keys.digest(
        {
            "stage": "run",
            "legs": legs,
            "data": {part: prints[part] for part in _DECIDING if part in prints},
            "fusion": None
            if len(p.legs) == 1
            else [config.fusion.name, plugins.edition(config.fusion), config.fusion.settings()],
            "threshold": threshold,
            "filter": config.filter,
            # What decides a score is in the identity; where files lie and how a service is reached does not.
            "reranker": [
                config.reranker.name,
                plugins.edition(config.reranker),
                {k: v for k, v in config.reranker.settings().items() if k in {"pool", "on_error"}},
            ],
            "reranker_identity": identities.get("reranker"),
            "top_k": config.top_k,
            "neighbors": list(p.neighbors),
            "measures": [p.measures, [list(v) for v in versions]],
            "curve": CURVE,
            "seed": config.seed,
        }
    )
