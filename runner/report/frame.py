"""The frame of a page of the site: its assets, beside it or inside, and the policy that follows from that."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from runner.report.assets import bundle
from runner.report.assets.bundle import Asset

VERSION = 2
"""Of the templates: the same record and the same version give the same bytes."""


@dataclass(frozen=True, slots=True)
class Inside:
    """An asset as it stands inside a page."""

    name: str
    text: Markup


@dataclass(frozen=True, slots=True)
class Frame:
    """What `frame.html.j2` shows around a page."""

    root: str
    """From the page's folder to that of the site: empty, or `../`."""
    styles: tuple[Asset | Inside, ...]
    scripts: tuple[Asset | Inside, ...]
    policy: str
    inside: bool
    """Whether style and script stand in the page, as in a report sent as one file."""
    version: int = VERSION


def beside(depth: int = 0, *, comparing: bool = False) -> Frame:
    """The frame of a page of the site.

    Args:
        depth: folders below that of the site.
        comparing: whether it is the page that computes.
    """
    scripts = (bundle.script(), bundle.comparing()) if comparing else (bundle.script(),)
    return Frame("../" * depth, (bundle.style(),), scripts, bundle.policy(), inside=False)


def alone() -> Frame:
    """The frame of a page that is sent as one file: its assets are inside, and nothing else may run."""
    used = (bundle.style(), bundle.script())
    styles, scripts = (
        tuple(Inside(a.name, Markup(a.text)) for a in used if a.suffix == s)  # noqa: S704 - our own files
        for s in ("css", "js")
    )
    return Frame("", styles, scripts, bundle.policy(used), inside=True)
