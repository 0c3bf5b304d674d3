"""Small sweeps over hostile data, and their pages taken apart: what the tests of the report start from."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from dataset.native_folders import lines

from runner import cli
from runner.named import open_experiment
from runner.report import site
from runner.report.question_pages import Panel, panels
from runner.runs import Experiment

DOC = '"><script>1</script>'
IMG = "<img src=x onerror=alert(1)>"
TITLE = "javascript:alert(1)"
ASKED = "{{7*7}}"
OVERRIDE = "\u202e"
"""Turns the direction of what follows it; must never reach a page as it is."""
GOLD = "Mice sleep by day"
WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau"
TEXT = f"Owls hunt at night near the barn. {GOLD}{OVERRIDE} under the floor. {WORDS}."
QUERIES = {
    "q1": ASKED,
    "q2": "when do mice sleep",
    "q3": "where do owls hunt",
    "q4": "zzz",
    "q5": "img alert",
}
QUOTES = [("q1", "alpha beta gamma"), ("q2", GOLD), ("q3", "Owls hunt at night"), ("q3", "near the barn")]
_VOID = {"meta", "br", "hr", "link", "img", "input", "col", "area", "base", "wbr", "source"}


class Parsed(HTMLParser):
    """Elements with their attributes, and text. Refuses what is not quoted, not closed, or there twice."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.raw = html
        self.tags: list[tuple[str, dict[str, str]]] = []
        self._texts: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        raw = self.get_starttag_text() or ""
        rest = re.sub(r'\s[A-Za-z0-9-]+="[^"]*"', "", raw)
        bare = r"<[a-z0-9]+(\s(open|hidden|disabled|data-(sort|tabs)))*\s*/?>"
        assert re.fullmatch(bare, rest), f"not quoted: {raw}"
        assert len(dict(attrs)) == len(attrs), f"an attribute twice: {raw}"
        self.tags.append((tag, {k: v or "" for k, v in attrs}))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-1:] != ["style"]:
            self._texts.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self._texts).split())

    def having(self, attribute: str) -> list[dict[str, str]]:
        return [a for _, a in self.tags if attribute in a]

    def of_class(self, name: str) -> list[dict[str, str]]:
        return [a for _, a in self.tags if name in a.get("class", "").split()]


def within_main(html: str) -> Parsed:
    """What a page of the site shows between its frame."""
    return Parsed(html[html.index("<main ") : html.index("</main>") + len("</main>")])


def dataset(at: Path) -> Path:
    at.mkdir()
    documents = [
        {"doc_id": DOC, "text": TEXT, "title": TITLE},
        {"doc_id": "b", "text": "Owls and mice: an old story of barns. " * 4},
        {"doc_id": "c", "text": IMG},
    ]
    (at / "documents.jsonl").write_bytes(lines(documents))
    (at / "queries.jsonl").write_bytes(lines([{"query_id": q, "text": t} for q, t in QUERIES.items()]))
    gold = [{"query_id": q, "doc_id": DOC, "quote": t} for q, t in QUOTES]
    (at / "gold.jsonl").write_bytes(lines(gold))
    return at


def sweep(home: Path, *overrides: str, name: str) -> int:
    """Run a sweep in the current folder, `home`; returns the exit code."""
    data = home / "data" if (home / "data").exists() else dataset(home / "data")
    base = {
        "dataset": "native", "dataset.path": str(data), "embedding": "hashing", "tokenizer": "words",
        "tracking": "off", "experiment.name": name, "top_k": "3",
    }  # fmt: skip
    own = {o.partition("=")[0] for o in overrides}
    return cli.main(["-m", *(f"{k}={v}" for k, v in base.items() if k not in own), *overrides])


def experiment(home: Path, name: str) -> Experiment:
    return open_experiment(home / "outputs", name)


def parsed(home: Path, name: str, questions: int = 30) -> Parsed:
    """The page of an experiment, without the frame that all pages share."""
    made = site.render(experiment(home, name), home / "again", questions=questions)
    return within_main(made["report"].read_text("utf-8"))


def asked(home: Path, name: str) -> list[Panel]:
    """The telling questions of an experiment as its pages show them."""
    return [p for mine in panels(experiment(home, name), 30) for p in mine]
