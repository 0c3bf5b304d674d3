"""Pages of the telling questions: what the index saw, what the model saw, and where the answer was lost."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from runner.comparison import record
from runner.errors import RunnerError
from runner.losses import Losses
from runner.records import QueryTrace
from runner.report import badge, frame, gold, numbers, page, prose, searched, trees
from runner.report.gold import Gold
from runner.report.setups import Setup, setups
from runner.report.telling import PAGES, Telling, lost, telling
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


def write(experiment: Experiment, reports: Path, limit: int = PAGES) -> dict[str, str]:
    """Write `<experiment>/q/<digest>.html` for at most `limit` telling questions of each data set.

    Returns:
        By query id, the address from the folder of the experiment's page: `q/0f3a….html`.
    """
    found, _ = setups(experiment)
    out: dict[str, str] = {}
    folder = page.stem(experiment)
    for data in dict.fromkeys(s.data for s in found):
        mine = [s for s in found if s.data == data]
        for name, html in _pages(experiment, mine, telling(mine, limit)):
            out[name] = f"q/{address(name)}"
            page.replace(reports / folder / out[name], html.encode("utf-8"))
    return out


def _pages(experiment: Experiment, mine: Sequence[Setup], chosen: Sequence[Telling]) -> list[tuple[str, str]]:
    """The pages of one data set; each table is read once."""
    shown = _leading(experiment, mine)[:CELLS]
    recorded = record.read(experiment)
    # Only what is compared has an answer page; else the page of all cells is above a question.
    back = "../index.html" if recorded and recorded[0]["groups"] else f"../../{page.stem(experiment)}.html"
    ids = [t.query_id for t in chosen]
    golds = next((gold.gold_of(s, ids) for s in shown if s.texts), {})
    found = {s.run.key: {t.query_id: t for t in traces(s.run, ids, texts=s.texts)} for s in shown}
    known = {s.run.key: _Known(s) for s in shown}
    template = page.environment().get_template("question.html.j2")
    out = []
    for at, t in enumerate(chosen):
        mine_gold = golds.get(t.query_id, Gold())
        answers = [
            _answer(number, s, found[s.run.key][t.query_id], mine_gold, known[s.run.key])
            for number, s in enumerate(shown)
        ]
        around: dict[str, Any] = {
            "previous": address(ids[at - 1]) if at else "",
            "following": address(ids[at + 1]) if at + 1 < len(ids) else "",
        }
        html = template.render(
            frame=frame.beside(2), experiment=experiment, query_id=t.query_id, why=_WHY[t.why],
            text=answers[0].trace.text, gold=mine_gold.items[: gold.QUOTES],
            more_gold=max(0, len(mine_gold.items) - gold.QUOTES), answers=answers, cells=len(mine),
            back=back, readable=any(s.texts for s in shown), measured=numbers.measured, **around,
        )  # fmt: skip
        out.append((t.query_id, html))
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
    shelf = trees.Shelf(number, found)
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
