"""The report is safe: data is text and never markup, nothing is fetched, nothing runs (A57)."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest
from report.pages import ASKED, DOC, IMG, OVERRIDE, TITLE, parsed

from runner.report import page

ACTIVE = {"script", "img", "iframe", "object", "embed", "link", "base", "form", "svg"}


@pytest.mark.parametrize("name", ["windows", "mixed"])
def test_a57_data_is_text_and_never_markup(home: Path, name: str) -> None:
    html = parsed(home, name)
    assert not {t for t, _ in html.tags} & ACTIVE
    for tag, attributes in html.tags:
        assert not [a for a in attributes if a.startswith("on") or a in {"style", "src", "srcdoc"}], tag
        assert not [v for v in attributes.values() if "javascript:" in v], tag
        assert attributes.get("href", "#").startswith("#"), "a link is never made from data"
    for literal in (DOC, IMG, TITLE, ASKED):
        assert literal in html.text
    assert not re.search(r"(?<!\d)49(?!\d)", html.text.partition("Questions")[2].partition("Pipelines")[0])


def test_characters_that_hide_are_seen(home: Path) -> None:
    html = parsed(home, "windows")
    assert OVERRIDE not in html.raw
    assert "U+202E" in html.text


def test_links_lead_to_places_on_the_page(home: Path) -> None:
    for name in ("mixed", "windows"):
        html = parsed(home, name)
        ids = [a["id"] for a in html.having("id")]
        assert len(ids) == len(set(ids))
        assert {a["href"].removeprefix("#") for a in html.having("href")} <= set(ids)


def test_no_network_and_no_script_by_policy(home: Path) -> None:
    html = parsed(home, "windows")
    policies = [a["content"] for a in html.having("http-equiv")]
    css = html.raw.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    assert policies == [
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    ]
    assert not re.search(r"url\(|@import|//", css)
    assert not re.search(r"https?://", html.raw)


def test_every_table_is_named_and_every_head_has_a_scope(home: Path) -> None:
    html = parsed(home, "mixed")
    tags = [t for t, _ in html.tags]
    assert tags.count("caption") == tags.count("table")
    assert all("scope" in a for t, a in html.tags if t == "th")
    assert all(a.get("tabindex") == "0" for a in html.of_class("scroll"))


def test_every_value_is_escaped_whatever_a_template_is_called() -> None:
    made = page.environment()
    assert made.autoescape is True
    assert made.from_string("{{ x }}").render(x="<b>\u202e") == "&lt;b&gt;[U+202E]"
    for path in (Path(page.__file__).parent / "templates").iterdir():
        assert not re.search(r"\|\s*safe|autoescape|Markup", path.read_text("utf-8")), path.name


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("a/../b", "a-..-b"),
        ("../../x", "x"),
        ("", "experiment"),
        (".hidden", "hidden"),
        ("é" * 9, "experiment"),
    ],
)
def test_a_name_makes_a_plain_file_name(name: str, safe: str) -> None:
    assert page._safe(name) == safe
