"""Which questions have a page: those that some cells answer and others lose, then losses, then drawn ones."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from runner.comparison.scores import lost_at
from runner.errors import StoreError
from runner.report.setups import Setup


@dataclass(frozen=True, slots=True)
class Telling:
    """One question and why it was chosen."""

    query_id: str
    why: Literal["flips", "lost", "drawn"]


def lost(setup: Setup) -> dict[str, str]:
    """By question the stage that lost its first lost gold item; empty where all of it is in the context."""
    try:
        return lost_at(setup.run)
    except StoreError:
        return {}  # recorded before runs said where gold was lost


def telling(setups: Sequence[Setup], limit: int) -> list[Telling]:
    """At most `limit` questions of one data set: flips, then losses in every cell, then drawn ones.

    What is drawn depends on the questions alone: by SHA-256 of their fingerprint and id.
    """
    found = [lost(s) for s in setups]
    seed = setups[0].run.meta["fingerprints"]["queries"]
    asked = pl.concat([s.run.table("queries").select("query_id") for s in setups]).unique()
    kinds: dict[str, Literal["flips", "lost", "drawn"]] = {}
    for query_id in asked["query_id"]:
        outcomes = {bool(f[query_id]) for f in found if query_id in f}
        kinds[query_id] = "flips" if len(outcomes) > 1 else "lost" if outcomes == {True} else "drawn"
    order = ("flips", "lost", "drawn")
    ranked = sorted(kinds, key=lambda q: (order.index(kinds[q]), _draw(seed, q)))
    return [Telling(q, kinds[q]) for q in ranked[:limit]]


def _draw(seed: str, query_id: str) -> str:
    return hashlib.sha256(f"{seed} {query_id}".encode("utf-8", "surrogatepass")).hexdigest()
