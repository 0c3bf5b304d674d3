"""Why two runs differ at a stage: the settings, keys and identities in which they do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from runner.inspector.query import FALLBACK
from runner.inspector.query_records import Difference, Reason
from runner.inspector.stored import Stored


def differences(a: Stored, b: Stored) -> Iterator[Difference]:
    """Every config field, fingerprint and identity in which two runs differ, by its dotted path."""
    for what in ("config", "fingerprints", "identities"):
        mine, other = (dict(_leaves(s.run.meta[what], "" if what == "config" else what)) for s in (a, b))
        for path in sorted({*mine, *other}):
            values = [str(side.get(path, "–")) for side in (mine, other)]
            if values[0] != values[1]:
                yield Difference(path, *values)


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}" if path else str(key))
    else:
        yield path, value


def reason(stage: str, a: Stored, b: Stored, said: tuple[str, str]) -> Reason:
    """Why a stage differs, given that all before it gave the same.

    Args:
        stage: its name in `outputs`.
        a: one run.
        b: the other.
        said: for the query at hand, what each recorded as not having happened.
    """
    if stage.startswith("retrieval."):
        return _of_leg(stage.removeprefix("retrieval."), a, b)
    if stage == "reranker" and any(FALLBACK in s for s in said):
        return "reranker_fallback"
    config = [s.run.config for s in (a, b)]
    asked: dict[str, tuple[tuple[str, Reason], ...]] = {
        "filter": (("filter", "other_filter"),),
        "threshold.similarity": (("threshold", "other_threshold"),),
        "threshold.score": (("threshold", "other_threshold"),),
        "fusion": (("threshold", "other_threshold"), ("fusion", "other_fusion")),
        "reranker": (("reranker", "other_reranker"),),
        "cut": (("top_k", "other_top_k"),),
        "expansion": (("neighbor_prev", "other_neighbors"), ("neighbor_next", "other_neighbors")),
    }
    for field, named in asked[stage]:
        if config[0][field] != config[1][field]:
            return named
    models = [s.run.meta["identities"].get("reranker") for s in (a, b)]
    return "other_reranker" if stage == "reranker" and models[0] != models[1] else "same_settings"


def _of_leg(leg: str, a: Stored, b: Stored) -> Reason:
    if leg not in a.run.legs or leg not in b.run.legs:
        return "leg_in_one_only"
    asked: list[dict[str, Any]] = [dict(s.run.config["retrieval"]["legs"][leg]) for s in (a, b)]
    depths = [settings.pop("depth") for settings in asked]
    reads = {f.leg: f.reads for f in (*(a.legs or ()), *(b.legs or ()))}
    by_vector = reads.get(leg) == "vectors"
    sides = [s.run.meta for s in (a, b)]
    compared: list[tuple[Reason, list[Any]]] = [
        ("other_corpus", [m["fingerprints"]["documents"] for m in sides]),
        ("other_chunks", [m["keys"]["chunks"] for m in sides]),
        ("other_leg_settings", asked),
        ("other_model", [by_vector and m["keys"]["model"] for m in sides]),
        ("other_embedding_input", [by_vector and m["keys"]["embedding"] for m in sides]),
        ("other_library", [m["identities"].get(f"retrieval.{leg}") for m in sides]),
        ("other_depth", depths),
    ]
    return next((why for why, (mine, other) in compared if mine != other), "same_settings")
