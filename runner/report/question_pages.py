"""Pages of the telling questions: what the index saw, what the model saw, and where the answer was lost."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from runner.comparison import record
from runner.errors import RunnerError
from runner.losses.waterfall import Losses
from runner.records import QueryTrace
from runner.report import badge, frame, gold, numbers, page, prose, searched, trees
from runner.report.gold import Gold
from runner.report.setups import Setup, setups
from runner.report.telling import Telling, lost, telling
from runner.runs import Experiment
from runner.traces import traces

CELLS = 3
"""Set-ups shown of a question: baseline, the one that the answer is about, then the first others."""
_WHY = {
    "flips": "some cells answer it and others lose it",
    "lost": "every cell loses some of its gold",
    "drawn": "drawn by a seed from the rest",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What one set-up did with the question."""

    setup: Setup
    badge: badge.Shown
    number: int
    trace: QueryTrace
    lost: str | None
    """The losing stage; empty: all gold is in the context; None: nobody judged the question."""
    finding: list[str]
    tree: list[trees.Branch]
    context: list[trees.Line]
    texts: dict[str, Markup]
    cards: dict[str, searched.Row]
    columns: list[str]
    rows: list[searched.Row]
    chart: Markup | None
    facts: list[tuple[str, str]]
    chunks: int
    command: str

    def place(self, chunk_id: str) -> str:
        """The anchor of a chunk in the context, which any id may name."""
        return f"c{self.number}-{hashlib.sha256(chunk_id.encode()).hexdigest()[:10]}"


def address(query_id: str) -> str:
    """The file of a question below its experiment's `q/`: a digest, because an id may hold anything."""
    return f"{hashlib.sha256(query_id.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}.html"


@dataclass(frozen=True, slots=True)
class Panel:
    """One question: why it was chosen, its gold, and what the leading set-ups did with it."""

    query_id: str
    why: str
    text: str
    gold: list[gold.Item]
    more_gold: int
    answers: list[Answer]
    cells: int
    """Set-ups of its data set; only the first are among `answers`."""
    readable: bool
    """Whether the store still has the texts."""

    @property
    def address(self) -> str:
        """Its page, from the folder of the experiment."""
        return f"q/{address(self.query_id)}"


def panels(experiment: Experiment, limit: int) -> list[list[Panel]]:
    """At most `limit` telling questions of each data set. Every table is read once."""
    found, _ = setups(experiment)
    out: list[list[Panel]] = []
    for data in dict.fromkeys(s.data for s in found):
        mine = [s for s in found if s.data == data]
        start = sum(len(p) for p in out)
        out.append(_panels(_leading(experiment, mine)[:CELLS], telling(mine, limit), len(mine), start))
    return out


def _panels(shown: Sequence[Setup], chosen: Sequence[Telling], cells: int, start: int) -> list[Panel]:
    ids = [t.query_id for t in chosen]
    golds = next((gold.gold_of(s, ids) for s in shown if s.texts), {})
    found = {s.run.key: {t.query_id: t for t in traces(s.run, ids, texts=s.texts)} for s in shown}
    known = {s.run.key: _Known(s) for s in shown}
    out = []
    for place, t in enumerate(chosen, start):
        mine = golds.get(t.query_id, Gold())
        answers = [
            _answer(place * CELLS + number, s, found[s.run.key][t.query_id], mine, known[s.run.key])
            for number, s in enumerate(shown)
        ]
        items = mine.items[: gold.QUOTES]
        more = max(0, len(mine.items) - gold.QUOTES)
        readable = any(s.texts for s in shown)
        out.append(
            Panel(t.query_id, _WHY[t.why], answers[0].trace.text, items, more, answers, cells, readable)
        )
    return out


def write(experiment: Experiment, reports: Path, made: Sequence[Sequence[Panel]]) -> None:
    """Write `<experiment>/q/<digest>.html` of every panel, and `q/index.html` with all questions."""
    folder = reports / page.stem(experiment)
    template = page.environment().get_template("question.html.j2")
    for mine in made:
        names = [address(p.query_id) for p in mine]
        for at, panel in enumerate(mine):
            html = template.render(
                frame=frame.beside(2), experiment=experiment, panel=panel, measured=numbers.measured,
                previous=names[at - 1] if at else "", following=names[at + 1] if at + 1 < len(names) else "",
            )  # fmt: skip
            page.replace(folder / panel.address, html.encode("utf-8"))
    html = (
        page.environment()
        .get_template("question_index.html.j2")
        .render(frame=frame.beside(2), experiment=experiment, parts=_lists(experiment, made))
    )
    page.replace(folder / "q" / "index.html", html.encode("utf-8"))


@dataclass(frozen=True, slots=True)
class Asked:
    """One question in the list of all."""

    query_id: str
    text: str
    page: str
    """From the folder of the list; empty: it has none."""
    stages: list[str | None]
    """Per set-up shown: the stage that lost it; empty: found; None: nobody judged it."""


@dataclass(frozen=True, slots=True)
class Listed:
    """All questions of one data set."""

    data: str
    run: str
    columns: list[str]
    rows: list[Asked]


def _lists(experiment: Experiment, made: Sequence[Sequence[Panel]]) -> list[Listed]:
    """Every question of every data set with what its leading set-ups did."""
    found, _ = setups(experiment, texts=False)
    pages = {p.query_id: address(p.query_id) for mine in made for p in mine}
    out = []
    for data in dict.fromkeys(s.data for s in found):
        shown = _leading(experiment, [s for s in found if s.data == data])[:CELLS]
        stages = [lost(s) for s in shown]
        asked = shown[0].run.table("queries").select("query_id", "text").iter_rows()
        rows = [Asked(q, text, pages.get(q, ""), [s.get(q) for s in stages]) for q, text in asked]
        heads = [s.label.capitalize() for s in shown]
        out.append(Listed(shown[0].run.data, shown[0].run.short, heads, rows))
    return out


def _leading(experiment: Experiment, mine: Sequence[Setup]) -> list[Setup]:
    """The set-ups with those first that the recorded answer compares."""
    found = record.read(experiment)
    groups = found[0]["groups"] if found else []
    first = [k for g in groups for k in (g["baseline"], g.get("answer", {}).get("candidate"))]
    return sorted(mine, key=lambda s: first.index(s.run.key) if s.run.key in first else len(first))


class _Known:
    """What all questions of a set-up share."""

    def __init__(self, setup: Setup) -> None:
        self.lost = lost(setup)
        self.places: dict[str, tuple[str, int, int]] = {}
        if setup.texts:
            rows = setup.run.chunks.select("chunk_id", "doc_id", "start", "end").iter_rows()
            self.places = {chunk: (doc, start, end) for chunk, doc, start, end in rows}
        try:
            self.losses: Losses | None = Losses(setup.run)
        except RunnerError:
            self.losses = None  # recorded before attribution was


def _answer(number: int, setup: Setup, trace: QueryTrace, found: Gold, known: _Known) -> Answer:
    shelf = trees.Shelf(found)
    golden = searched.golden(trace, found, known.places)
    rows = searched.rows(setup, trace, golden)
    drawn = {r.chunk_id: r for r in rows}
    every = trace.retrieved_chunks
    texts = {
        m.chunk_id: prose.passage(m.text, found.marks(m.doc_id, m.start, m.end))
        if setup.texts
        else trees.GONE
        for m in every
    }
    run = setup.run
    command = [
        "python",
        "-m",
        "runner",
        "inspect",
        "query",
        trace.query_id,
        "--run",
        run.short,
        "--show-misses",
    ]
    return Answer(
        setup=setup,
        badge=badge.badges([badge.setting(run)])[0],
        number=number,
        trace=trace,
        lost=known.lost.get(trace.query_id),
        finding=_finding(setup, trace, known),
        tree=trees.tree(setup, trace, shelf),
        context=trees.context(setup, trace, shelf),
        texts=texts,
        cards=drawn,
        columns=searched.columns(setup, reranked=searched.was_reranked(trace)),
        rows=rows,
        chart=searched.chart(setup, trace, golden, f"Candidates and misses of {setup.label}"),
        facts=searched.facts(setup, trace),
        chunks=run.meta["chunking"]["chunks"],
        command=shlex.join(command),
    )


def _finding(setup: Setup, trace: QueryTrace, known: _Known) -> list[str]:
    """Where each gold item ended up, in the words of the run's attribution."""
    if known.losses is None or not setup.texts or trace.query_id not in known.lost:
        return []
    items = known.losses.question(trace.query_id).items
    return [f"{i.stage}: {i.says}" for i in items[: gold.QUOTES]]
