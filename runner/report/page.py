"""What all pages share: the templates, the names of files, writing in one step."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from runner.report import numbers, prose
from runner.runs import Experiment
from runner.store import publish_file
from runner.text import visible

_HOME = Path(__file__).parent


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
