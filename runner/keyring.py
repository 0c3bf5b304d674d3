"""The keys of one run: the digest of what each stage's output depends on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runner import keys
from runner.config import Component
from runner.dataset import stage as dataset_stage
from runner.errors import DataError
from runner.metrics.contract import family_of, parse_measure
from runner.parts import Parts
from runner.session import Session


@dataclass(frozen=True, slots=True)
class Keyring:
    """Keys of the stages of a run; a stage that does not apply has none."""

    corpus: str
    fingerprints: dict[str, str]
    chunks: str
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
    model = embedding = None
    inputs = [prints["documents"], f"{tokenizer}/v{p.config.tokenizer.version}"]
    # Whether a strategy looks at them is its own affair: a key too many costs a chunking, no more.
    inputs += [prints["given"]] if "given" in prints else []
    if p.strategy.reads_vectors:
        inputs += [keys.digest(["model", p.embedding.identity()]), p.embedding.prompts().document]
    chunks = _key("strategy", p.config.strategy, inputs)
    if p.reads_vectors:
        identities["embedding"] = p.embedding.identity()
        model = keys.digest(["model", identities["embedding"]])
        enrichment = None if p.enrichment.off else _key("enrichment", p.config.enrichment, [chunks])
        settings = {**p.embedding.prompts()._asdict(), "on_truncate": p.embedding.on_truncate}
        embedding = keys.stage_key("embedding", "vectors", 1, settings, [model, chunks, enrichment or "off"])
    indexes, legs = {}, {}
    for name, leg in p.legs.items():
        source = str(embedding) if leg.reads == "vectors" else chunks
        knobs, what = leg.settings(), leg.identity()
        asked = {field: knobs.pop(field) for field in sorted(leg.search_fields)}
        indexes[name] = keys.stage_key("index", leg.name, leg.version, {**knobs, **what}, [source])
        legs[name] = keys.stage_key("leg", leg.name, leg.version, asked, [indexes[name], prints["queries"]])
        if what:
            identities[f"retrieval.{name}"] = what
    if not p.reranker.off:
        identities["reranker"] = p.reranker.identity()
    return Keyring(
        corpus,
        prints,
        chunks,
        model,
        embedding,
        indexes,
        legs,
        _run_key(p, prints, legs, identities),
        identities,
    )


def corpus_meta(p: Parts, session: Session) -> tuple[str, dict[str, Any]]:
    """The key of the parsed data set, and its manifest (`fingerprints`, counts); parsed at the first call."""
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
        }

    return key, session.store.obtain("corpus", key, write).meta


def _source_key(dataset: Component) -> str:
    try:
        return dataset_stage.source_key(dataset)
    except OSError as e:
        raise DataError(f"dataset {dataset.name}: {e.filename} cannot be read ({e.strerror})") from e


def _key(stage: str, component: Component, inputs: list[str]) -> str:
    return keys.stage_key(stage, component.name, component.version, component.settings(), inputs)


def _run_key(p: Parts, prints: dict[str, str], legs: dict[str, str], identities: dict[str, Any]) -> str:
    """What decides a run's recorded bytes: leg hits by key, and every choice after them that applies."""
    config = p.config
    families = sorted({(f.name, f.version) for f in (family_of(parse_measure(m)) for m in p.measures)})
    threshold = config.threshold.model_dump(mode="json")
    if "threshold.similarity" in p.not_applied:
        threshold["similarity"] = None
    return keys.digest(
        {
            "stage": "run",
            "legs": legs,
            "data": prints,
            "fusion": None
            if len(p.legs) == 1
            else [config.fusion.name, config.fusion.version, config.fusion.settings()],
            "threshold": threshold,
            "filter": config.filter,
            # What decides a score is in the identity; where files lie and how a service is reached does not.
            "reranker": [
                config.reranker.name,
                config.reranker.version,
                {k: v for k, v in config.reranker.settings().items() if k in {"pool", "on_error"}},
            ],
            "reranker_identity": identities.get("reranker"),
            "top_k": config.top_k,
            "neighbors": list(p.neighbors),
            "measures": [p.measures, [list(f) for f in families]],
            "seed": config.seed,
        }
    )
