"""The page that compares any runs: a file of data per run, from which a browser computes as Python does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runner import keys, named
from runner.comparison import comparability
from runner.comparison.paired import MARGIN
from runner.comparison.record import FILLED
from runner.comparison.scores import Scores, scores
from runner.errors import RunnerError
from runner.measure_names import BUDGETS, on_curve
from runner.report import badge, caveats, claim, frame, listing, notices, numbers, page, question_pages
from runner.report.assets import data
from runner.report.glossary import key_columns
from runner.report.setups import Setup, setups
from runner.report.telling import lost
from runner.report.wording import TAGS, TEMPLATES
from runner.runs import Experiment, Run
from runner.text import visible

MEASURES = 8
"""Measures of a run that its file carries, besides those of the budget curve."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One run that can be compared."""

    setup: Setup
    experiment: Experiment
    badge: badge.Shown
    page: str

    @property
    def key(self) -> str:
        """The key of the run."""
        return self.setup.run.key


def write(outputs: Path, reports: Path) -> Path:
    """Write `compare.html`, and `data/<run>.js` of every recorded run that has none that is new enough."""
    found = choices(outputs, reports)
    for c in found:
        path = reports / "data" / f"{c.key}.js"
        if not _is_new(path, c, reports):
            page.replace(path, data.put(c.key, run_data(c, reports)).encode("utf-8"))
    path = reports / "compare.html"
    page.replace(path, compare_page(found).encode("utf-8"))
    return path


def _is_new(path: Path, choice: Choice, reports: Path) -> bool:
    """Whether a file is younger than all it says: the run, the pages of its questions, and this program."""
    if not path.is_file():
        return False
    run, pages = choice.setup.run, reports / page.stem(choice.experiment)
    said = [run.path / "run.json", pages, pages / "q", Path(__file__)]
    return all(p.stat().st_mtime_ns < path.stat().st_mtime_ns for p in said if p.exists())


def compare_page(found: Sequence[Choice]) -> str:
    """The page; which runs it shows is in its address: `#runs=key,key&base=key`."""
    words = {
        "tags": TAGS, "templates": TEMPLATES, "phrases": claim.PHRASES, "notices": notices.TEMPLATES,
        "margin": MARGIN, "budgets": BUDGETS, "filled": FILLED,
    }  # fmt: skip
    template = page.environment().get_template("compare.html.j2")
    around = frame.beside(comparing=True)
    return template.render(frame=around, choices=found, words=data.block("words", words))


def choices(outputs: Path, reports: Path) -> list[Choice]:
    """Every run of every experiment, newest experiment first, each once."""
    out: dict[str, Choice] = {}
    for key in named.experiment_keys(outputs):
        try:
            experiment = Experiment(outputs, key)
        except RunnerError:
            continue
        address = listing.page_of(experiment, reports)
        for s in setups(experiment, texts=False)[0]:
            shown = badge.badges([badge.setting(s.run)])[0]
            out.setdefault(s.run.key, Choice(s, experiment, shown, address))
    return list(out.values())


def run_data(choice: Choice, reports: Path) -> dict[str, Any]:
    """What the page knows of a run: identities, values per question, losses, warnings."""
    run = choice.setup.run
    said = {
        "key": run.key, "short": run.short, "name": visible(" ".join(choice.setup.overrides)) or run.short,
        "experiment": choice.experiment.name, "page": choice.page, "badge": _badge(choice.badge),
        "prev": run.badge.prev, "next": run.badge.following, "facts": comparability.facts(run),
        "cut": run.stage("embedding").get("truncated", 0),
        "hits": keys.digest(_plain(comparability.without_knobs(run))), "cards": _cards(run),
        "warnings": [n.text for n in caveats.notes([choice.setup])],
    }  # fmt: skip
    try:
        return {**said, **_values(scores([run]), run), **_questions(choice, reports)}
    except RunnerError as e:
        return {**said, "missing": str(e)}


def _badge(b: badge.Shown) -> dict[str, str]:
    return {"form": b.form, "text": b.text, "tooltip": b.tooltip, "label": b.label}


def _plain(value: object) -> Any:
    """Tuples as lists, for a digest."""
    return [_plain(v) for v in value] if isinstance(value, tuple | list) else value


def _cards(run: Run) -> list[tuple[str, str]]:
    """What a card says of the run, by name; a fact of the same name underlines it where runs differ."""
    formula = next((s["formula"] for s in run.meta["stages"] if s.get("formula")), "")
    config, model = run.config, run.meta["keys"]["model"] or "none"
    plain = {k: v for k, v in config["strategy"].items() if k != "name" and not isinstance(v, dict)}
    sizes = ", ".join(f"{k} {v}" for k, v in plain.items())
    return [
        ("Embedding Model", f"{config['embedding']['name']} {model[: numbers.SHORT]}"),
        ("strategy", f"{config['strategy']['name']}{f': {sizes}' if sizes else ''}"),
        ("enrichment", config["enrichment"]["name"]),
        ("fusion", " ".join([config["fusion"]["name"], formula]).strip()),
        ("reranker", config["reranker"]["name"]),
        ("top_k", numbers.count(config["top_k"])),
    ]  # fmt: skip


def _values(found: Scores, run: Run) -> dict[str, Any]:
    """Per measure the values of the questions in the order of `queries`, exact; NaN: no value."""
    every = [m["measure"] for m in run.measures]
    telling = [c.measure for c in key_columns(every)]
    asked = list(dict.fromkeys([*every[:1], *(f"{m}+" for m in every[:1]), *telling, *every]))[:MEASURES]
    curve = [m for m in found.measures if on_curve(m)]
    kept = list(dict.fromkeys([*(m for m in asked if m in found.measures), *curve]))
    return {
        "seed": f"{found.seed:016x}",
        "queries": list(found.queries),
        "clusters": None if found.clusters is None else found.clusters.tolist(),
        "measures": {m: data.floats(found.of(m)[:, 0]) for m in kept},
        "tokens": data.floats(found.tokens[:, 0]),
        "chunk": float(found.chunk[0]),
    }


def _questions(choice: Choice, reports: Path) -> Mapping[str, Any]:
    """Texts, losing stages, and the pages of those questions that have one."""
    folder = f"{page.stem(choice.experiment)}/q"
    asked = choice.setup.run.table("queries").select("query_id", "text").iter_rows()
    texts = {query: _cut(text) for query, text in asked}
    places = {q: f"{folder}/{question_pages.address(q)}" for q in texts}
    there = {q: p for q, p in places.items() if (reports / p).is_file()}
    return {"texts": texts, "lost": lost(choice.setup), "pages": there}


def _cut(text: str, limit: int = 300) -> str:
    return text if len(text) <= limit else f"{text[:limit]}…"
