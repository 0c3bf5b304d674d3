"""The model of a run and its vectors in the store: what is missing is embedded, in slices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runner import keys, plugins
from runner.embedding import stage as embedding_stage
from runner.parts import Parts
from runner.session import Bar, Session
from runner.vectors import Rows, Vectors

_SLICE = 128
"""Texts embedded between two publications: what a killed sweep can lose at most."""


def vectors(p: Parts, session: Session) -> Vectors:
    """The stored vectors of the run's model."""
    identity = plugins.identity(p.embedding)
    found = session.memo("vectors", keys.digest(identity), lambda: Vectors(session.store, identity))
    found.refresh()
    return found


def embed(p: Parts, session: Session, wanted: Sequence[str]) -> Vectors:
    """The store of the model's vectors, with every one of `wanted` in it; what is missing is embedded now.

    Of several processes that want the same model one works at a time: the others then find what it left.
    """
    stored = vectors(p, session)
    due = stored.missing(wanted)
    if not due:
        return stored
    with session.store.lock(f"model-{stored.key[:24]}"):
        stored.refresh()
        due = stored.missing(wanted)
        bar = session.progress(f"embedding with {p.embedding.name}", len(due))
        for first in range(0, len(due), _SLICE):
            keep(p, session, stored, due[first : first + _SLICE], bar)
    return stored


def keep(p: Parts, session: Session, stored: Vectors, part: list[str], bar: Bar) -> None:
    """Embed `part` now and store it; another process that does the same meanwhile gets equal bits."""
    made = embedding_stage.checked(part, encoder(p, session, stored.key).encode(part, bar), p.embedding.name)
    rows = Rows(made.vectors, made.tokens_total, made.tokens_embedded)
    stored.add(part, rows, tokens_billed=made.tokens_billed)
    session.counters.texts_embedded += len(part)
    session.counters.tokens_billed += made.tokens_billed


def encoder(p: Parts, session: Session, key: str) -> Any:
    """The loaded model, once a process."""
    return session.memo(
        "encoder", key, lambda: p.embedding.load(session.runtime.threads, session.runtime.device)
    )
