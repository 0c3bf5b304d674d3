"""One HTML page per sweep: needs no script and no network, and shows data as text, never as markup."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from runner.report import numbers, prose
from runner.report.view import Page, page
from runner.runs import Experiment
from runner.store import publish_file
from runner.text import visible

_HOME = Path(__file__).parent


def render(experiment: Experiment, reports: Path, *, questions: int) -> Path:
    """Write the page of an experiment; the same records give the same bytes.

    Args:
        experiment: the recorded sweep.
        reports: the folder of pages, made if it is not there.
        questions: how many questions are shown with their trees and contexts.

    Returns:
        `reports/<name>-<key>.html`.
    """
    html = _html(page(experiment, questions))
    path = reports / f"{stem(experiment)}.html"
    replace(path, html.encode("utf-8"))
    return path


def _html(shown: Page) -> str:
    css = (_HOME / "style.css").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(css.encode("utf-8")).digest()).decode("ascii")
    template = environment().get_template("sweep.html.j2")
    return template.render(page=shown, css=Markup(css), style_digest=digest)  # noqa: S704 - our own file


@cache
def environment() -> Environment:
    """The templates of every page. Autoescape always, whatever one is called; an unknown name is an error."""
    made = Environment(
        loader=FileSystemLoader(_HOME / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_inert,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"data": prose.data, "count": numbers.count, "several": numbers.several}
    made.globals["short"] = numbers.SHORT
    return made


def _inert(value: object) -> object:
    """The net under every expression: hidden characters are visible even where no filter was written."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def stem(experiment: Experiment) -> str:
    """What the pages of an experiment are called, without extension."""
    return f"{_safe(experiment.name)}-{experiment.key[: numbers.SHORT]}"


def _safe(name: str) -> str:
    """A file name of letters, digits, `.`, `_` and `-`, not hidden and not too long."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:60] or "experiment"


def replace(path: Path, content: bytes) -> None:
    """Write under a name that may exist already, in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    publish_file(path, lambda draft: draft.write_bytes(content))
