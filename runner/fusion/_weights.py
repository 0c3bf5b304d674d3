"""Weights by leg: all of them or none, each above 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def check(weights: Mapping[str, float], legs: Sequence[str]) -> None:
    """Raise ValueError unless `weights` is empty or names exactly the legs, each with a positive weight."""
    if weights and set(weights) != set(legs):
        raise ValueError(f"fusion.weights name {sorted(weights)}, retrieval has the legs {sorted(legs)}")
    if any(w <= 0 for w in weights.values()):
        raise ValueError("fusion.weights: a weight must be above 0; leave the leg out instead")
