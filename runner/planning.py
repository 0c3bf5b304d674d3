"""The plan of a sweep: what is cached, what is due, and how many seconds to expect, before the first cell.

Pairs of a reranker are not counted: which chunks it will see is known only once the legs have been searched.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from runner import embedded, encoding, enriching
from runner.config import RunConfig
from runner.keyring import Keyring, keyring
from runner.parts import Parts, parts
from runner.session import Session

_PROBE = 8
"""Texts embedded to learn the speed of the model here; they are kept, so the probe costs nothing extra."""


@dataclass(slots=True)
class Count:
    """Distinct pieces of work of one kind."""

    cached: int = 0
    due: int = 0


@dataclass(slots=True)
class Plan:
    """What a sweep would do."""

    cells: int
    runs: Count = field(default_factory=Count)
    chunkings: Count = field(default_factory=Count)
    texts: Count = field(default_factory=Count)
    indexes: Count = field(default_factory=Count)
    searches: Count = field(default_factory=Count)
    seconds: float | None = None
    """To expect for embedding, from a probe; None: nothing to embed, or by a service, which is not probed."""
    run_keys: list[str | None] = field(default_factory=list)
    """By cell; None where the request of the cell is invalid."""


def plan(configs: Sequence[RunConfig | None], session: Session, *, probe: bool = True) -> Plan:
    """The plan of the cells `configs` (None: invalid). Chunks what is due: texts must be known to count."""
    out = Plan(len(configs))
    seen: dict[str, tuple[Parts, Keyring]] = {}
    for config in configs:
        if config is None:
            out.run_keys.append(None)
            continue
        p = parts(config)
        k = keyring(p, session)
        out.run_keys.append(k.run)
        seen.setdefault(k.run, (p, k))
    due = [(p, k) for key, (p, k) in seen.items() if not session.run_folder(key).is_dir()]
    out.runs = Count(len(seen) - len(due), len(due))
    store = session.store
    out.chunkings = _count({k.chunks for _, k in due}, lambda key: store.path("chunks", key).is_dir())
    kept = {k.indexes[n]: leg.name for p, k in due for n, leg in p.legs.items() if leg.keeps_index}
    out.indexes = _count(set(kept), lambda key: store.path(f"index-{kept[key]}", key).is_dir())
    out.searches = _count(
        {key for _, k in due for key in k.legs.values()}, lambda key: store.path("legs", key).is_dir()
    )
    _texts(out, due, session, probe=probe)
    return out


def _count(found: set[str], cached: object) -> Count:
    hits = sum(1 for key in found if callable(cached) and cached(key))
    return Count(hits, len(found) - hits)


def _texts(out: Plan, due: Sequence[tuple[Parts, Keyring]], session: Session, *, probe: bool) -> None:
    """Count distinct texts per model, and probe the speed of each model that has work."""
    by_model: dict[str, tuple[Parts, dict[str, None]]] = {}
    done: set[str] = set()
    for p, k in due:
        # A plan asks no service: where headers are to be asked for, texts are not counted.
        if k.model and k.embedding and k.embedding not in done and enriching.known(p, k, session):
            done.add(k.embedding)
            documents, asked = embedded.inputs(p, k, session)
            by_model.setdefault(k.model, (p, {}))[1].update(dict.fromkeys([*documents, *asked]))
    for p, wanted in by_model.values():
        missing = encoding.vectors(p, session).missing(list(wanted))
        out.texts.cached += len(wanted) - len(missing)
        out.texts.due += len(missing)
        if missing and probe and not p.embedding.remote:
            out.seconds = (out.seconds or 0.0) + _seconds(p, session, missing)


def _seconds(p: Parts, session: Session, missing: Sequence[str]) -> float:
    """Seconds for all of `missing`, from a few of every length; loading the model is not in it."""
    by_length = sorted(missing, key=len)
    step = max(1, len(by_length) // _PROBE)
    some = by_length[step // 2 :: step][:_PROBE]
    # Without the model's lock: waiting for another process is not the speed of the model.
    stored = encoding.vectors(p, session)
    encoding.encoder(p, session, stored.key).encode(some[:1], _unseen)
    start = time.perf_counter()
    encoding.keep(p, session, stored, some, _unseen)
    return (time.perf_counter() - start) * len(missing) / len(some)


def _unseen(done: int) -> None:
    """No bar."""
