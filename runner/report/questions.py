"""The questions of a page: gold, and what each set-up retrieved for it. Each run's tables are read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runner.records import QueryTrace
from runner.report import choice, gold, numbers, trees
from runner.report.cells import Value
from runner.report.glossary import Column, key_columns
from runner.report.gold import Gold, Item
from runner.report.setups import Setup
from runner.traces import traces as query_traces


@dataclass(frozen=True, slots=True)
class Answer:
    """What one set-up retrieved for a question."""

    setup: Setup
    anchor: str
    values: list[Value | None]
    reasons: tuple[str, ...]
    candidates: int
    whereabouts: list[str]
    """Per gold item shown."""
    tree: list[trees.Branch]
    context: list[trees.Line]
    open: bool

    @property
    def tokens(self) -> int:
        """Tokens of the whole context."""
        return self.context[-1].running if self.context else 0


@dataclass(frozen=True, slots=True)
class Question:
    """One question with the answers of all set-ups that asked it."""

    number: int
    query_id: str
    text: str
    spread: str
    """The range of the telling measure over the cells."""
    gold: list[Item]
    more_gold: int
    has_gold: bool
    """False as well when the data set is gone from the store; `readable` tells the two apart."""
    readable: bool
    answers: list[Answer]
    whole: list[trees.Whole]


@dataclass(frozen=True, slots=True)
class Section:
    """All questions of a page."""

    rule: str
    total: int
    columns: list[Column]
    questions: list[Question]


def section(setups: Sequence[Setup], limit: int) -> Section:
    """The chosen questions with everything that is shown of them."""
    made = choice.choose(setups, limit)
    asked = {
        key: [c.query_id for c in made.chosen if key in {s.data for s in c.setups}] for key in _data(setups)
    }
    golds = {s.data: gold.gold_of(s, asked[s.data]) for s in setups if s.texts}
    near = {s.chunking: gold.chunks_near(s, golds[s.data]) for s in setups if s.texts}
    traces = {
        s.run.key: {t.query_id: t for t in query_traces(s.run, asked[s.data], texts=s.texts)} for s in setups
    }
    columns = key_columns(m["measure"] for s in setups for m in s.run.measures)
    questions = [
        _question(number, c, made.measure, columns, golds, near, traces)
        for number, c in enumerate(made.chosen, 1)
    ]
    return Section(made.rule, made.total, columns, questions)


def _data(setups: Sequence[Setup]) -> list[str]:
    return list(dict.fromkeys(s.data for s in setups))


def _question(
    number: int,
    chosen: choice.Chosen,
    measure: str | None,
    columns: Sequence[Column],
    golds: Mapping[str, Mapping[str, Gold]],
    near: Mapping[str, Mapping[str, list[tuple[str, int, int]]]],
    traces: Mapping[str, Mapping[str, QueryTrace]],
) -> Question:
    found = golds.get(chosen.setups[0].data)
    mine = (found or {}).get(chosen.query_id, Gold())
    shelf = trees.Shelf(number, mine)
    widest = max(chosen.setups, key=lambda s: sum(s.expansion[:2]))  # the first of the widest
    answers = [
        _answer(
            s,
            f"q{number}c{s.nums[0]}",
            traces[s.run.key][chosen.query_id],
            columns,
            shelf,
            near.get(s.chunking, {}),
            number == 1 and s is widest,
        )
        for s in chosen.setups
    ]
    return Question(
        number,
        chosen.query_id,
        traces[chosen.setups[0].run.key][chosen.query_id].text,
        _spread(measure, chosen),
        mine.items[: gold.QUOTES],
        max(0, len(mine.items) - gold.QUOTES),
        bool(mine.items),
        found is not None,
        answers,
        shelf.whole,
    )


def _answer(
    setup: Setup,
    anchor: str,
    trace: QueryTrace,
    columns: Sequence[Column],
    shelf: trees.Shelf,
    near: Mapping[str, list[tuple[str, int, int]]],
    opened: bool,
) -> Answer:
    return Answer(
        setup,
        anchor,
        [_value(c.measure, trace) for c in columns],
        trace.reasons,
        len(trace.candidates),
        [gold.whereabouts(i, trace, near) for i in shelf.gold.items[: gold.QUOTES]] if setup.texts else [],
        trees.tree(setup, trace, shelf),
        trees.context(setup, trace, shelf),
        opened,
    )


def _value(measure: str, trace: QueryTrace) -> Value | None:
    raw = trace.measures.get(measure)
    return None if raw is None else Value(measure, numbers.measured(measure, raw), raw)


def _spread(measure: str | None, chosen: choice.Chosen) -> str:
    if measure is None or chosen.low is None or chosen.high is None:
        return "no gold"
    low, high = (numbers.measured(measure, v) for v in (chosen.low, chosen.high))
    return f"{measure} {low}" if low == high else f"{measure} {low} to {high}"
