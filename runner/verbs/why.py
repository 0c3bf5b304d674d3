"""`why [RUN] [QUERY]`: where a run lost its gold; with --confirm, what a single change would bring back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from runner import counterfactual, deeper, named, single
from runner.errors import RequestError, RunnerError, did_you_mean
from runner.inspector.forms import Block
from runner.loss_records import WhyQuery, WhyRun
from runner.losses import text as written
from runner.losses import waterfall
from runner.losses.waterfall import Depths, Losses
from runner.runs import Run
from runner.verbs.arguments import Answer, at_most, outputs_of, parsed, rendered

_TIMES = (2, 5, 10)
"""Multiples of the depth that a deeper look reports on."""
_FLAGS = ["--plain", "--confirm", "--deeper", "--all"]


def why(words: Sequence[str]) -> Answer:
    """What the words after `why` ask for: text, JSON value, exit code."""
    plain, given = parsed(words, _FLAGS)
    at_most(2, plain, "why")
    run = named.open_run(outputs_of(given), plain[0] if plain else "latest")
    if len(plain) < 2 and {"--confirm", "--all"} & set(given):
        raise RequestError(
            "why --confirm: name a run and one of its questions, python -m runner why RUN QUERY"
        )
    blocks: Callable[[], Iterable[Block]]
    view: WhyRun | WhyQuery
    if len(plain) < 2:
        of_run = _run(run, deep="--deeper" in given)
        view, blocks = of_run, lambda: written.run(of_run)
    else:
        of_query = _query(run, _asked(run, plain[1]), confirm="--confirm" in given, dear="--all" in given)
        view, blocks = of_query, lambda: written.query(of_query)
    if "--json" in given:
        return Answer("", waterfall.adapter().dump_python(view, mode="json"))
    return Answer(rendered(lambda _: blocks(), plain="--plain" in given), None)


def _run(run: Run, *, deep: bool) -> WhyRun:
    lost = Losses(run)
    if not deep:
        return lost.waterfall()
    looked, notes = _looked(run, lost.table)
    return replace(Losses(run, looked).waterfall(), notes=(*notes, *_deep_enough(looked)))


def _deep_enough(looked: Depths) -> Iterator[str]:
    """How many of the items that no leg had would have been in a deeper window."""
    for times in _TIMES if looked else ():
        had = sum(any(d.rank is not None and d.rank <= times * d.depth for d in of) for of in looked.values())
        yield f"at {times} times the depth, {had} of {len(looked)} items outside the window would be inside"


def _query(run: Run, query_id: str, *, confirm: bool, dear: bool) -> WhyQuery:
    lost = Losses(run)
    looked, notes = _looked(run, lost.table.filter(query_id=query_id))
    view = replace(Losses(run, looked).question(query_id), notes=notes)
    if not confirm or not view.items:
        return view
    config, session = single.reopened(run.meta, run.outputs)
    found = counterfactual.confirm(config, session, query_id, all_of_them=dear)
    return replace(view, confirmation=found)


def _looked(run: Run, items: pl.DataFrame) -> tuple[Depths, tuple[str, ...]]:
    """The deeper looks at what no leg found, or why there can be none."""
    outside = items.filter(stage="outside_window").select("query_id", "doc_id", "start", "end").rows()
    if not outside:
        return {}, ()
    wanted: list[Any] = outside
    try:
        return deeper.depths(*single.reopened(run.meta, run.outputs), wanted), ()
    except RunnerError as e:
        return {}, (f"no deeper look: {e}",)


def _asked(run: Run, said: str) -> str:
    """The id of the question that `said` is, by its id or its text."""
    known: Sequence[tuple[str, str]] = run.table("queries").select("query_id", "text").rows()
    for query_id, text in known:
        if said in (query_id, text):
            return query_id
    ids = [q for q, _ in known]
    raise RequestError(f"run {run.short} has no question '{said}'; {did_you_mean(said, ids, ids[:20])}")
