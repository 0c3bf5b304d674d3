"""The style sheet and the scripts as they are written: parts put together, named by content; the policy."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_HOME = Path(__file__).parent
_STYLES = ("base", "verdicts", "tables", "charts", "answers", "cells", "media")
_PAGE = ("data", "page", "tables", "start")
_COMPARE = ("numbers", "distributions", "statistics", "drawn", "budgets", "compared", "compare")
_POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


@dataclass(frozen=True, slots=True)
class Asset:
    """A style sheet or a script."""

    stem: str
    suffix: str
    text: str

    @property
    def name(self) -> str:
        """`report.1a2b3c4d.css`: another text has another name, so no browser mixes old and new."""
        return f"{self.stem}.{hashlib.sha256(self.text.encode()).hexdigest()[:8]}.{self.suffix}"

    @property
    def source(self) -> str:
        """As a source of a policy, for an asset inside a page."""
        digest = hashlib.sha256(self.text.encode()).digest()
        return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


@cache
def style() -> Asset:
    """`report.css`."""
    return Asset("report", "css", _colours() + "".join(_part("style", p, "css") for p in _STYLES))


@cache
def script() -> Asset:
    """`report.js`: what every page has."""
    return Asset("report", "js", _wrapped(_PAGE))


@cache
def comparing() -> Asset:
    """`compare.js`: statistics, numbers and drawn intervals, for the one page that computes."""
    return Asset("compare", "js", _wrapped(_COMPARE))


def policy(inside: tuple[Asset, ...] = ()) -> str:
    """The Content-Security-Policy of a page: its own folder's assets, or exactly those inside it.

    Nothing else may load or run: no inline handler, no style attribute, no address, no form.
    """
    if not inside:
        return _POLICY.format(script="'self'", style="'self'")
    by = {s: " ".join(a.source for a in inside if a.suffix == s) or "'none'" for s in ("js", "css")}
    return _POLICY.format(script=by["js"], style=by["css"])


def write(site: Path) -> None:
    """Write `assets/` of a site; a file of that name is that content, so what is there stays."""
    folder = site / "assets"
    folder.mkdir(parents=True, exist_ok=True)
    for asset in (style(), script(), comparing()):
        path = folder / asset.name
        if not path.exists():
            draft = folder / f".draft-{os.getpid()}-{asset.name}"
            draft.write_text(asset.text, "utf-8", newline="\n")
            draft.replace(path)


def source(*parts: str) -> str:
    """Scripts by their stems, as one text without a frame, for tests that call their functions."""
    return "".join(_part("script", p, "js") for p in parts)


def _wrapped(parts: tuple[str, ...]) -> str:
    """In one function, so that nothing of ours is a global but `report`."""
    return f'"use strict";(function(){{\n{source(*parts)}}})();\n'


def _part(folder: str, name: str, suffix: str) -> str:
    """A part without indentation, lines of comment and empty lines: a fifth of its size."""
    text = (_HOME / folder / f"{name}.{suffix}").read_text("utf-8")
    lines = (line.strip() for line in text.splitlines())
    return "".join(f"{line}\n" for line in lines if line and not re.match(r"//|/\*.*\*/$", line))


def _colours() -> str:
    """The variables: `light-dark()` where it is known, else the light ones."""
    pairs: dict[str, list[str]] = json.loads((_HOME / "colours.json").read_text("utf-8"))
    light = "".join(f"--{name}:{pair[0]};" for name, pair in pairs.items())
    both = "".join(f"--{name}:light-dark({pair[0]},{pair[1]});" for name, pair in pairs.items())
    return f":root{{{light}}}\n@supports (color:light-dark(#000,#fff)){{:root{{{both}}}}}\n"
