"""The report is safe: data is text and never markup, nothing is fetched, nothing runs (A57)."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest
from report.pages import ASKED, DOC, IMG, OVERRIDE, TITLE, Parsed, experiment, parsed, within_main

from runner.report import page, site

ACTIVE = {"script", "img", "iframe", "object", "embed", "link", "base", "form"}


@pytest.mark.parametrize("name", ["windows", "mixed"])
def test_a57_data_is_text_and_never_markup(home: Path, name: str) -> None:
    path = site.single(experiment(home, name), home / "alone", questions=30)
    html = within_main(path.read_text("utf-8"))
    assert not {t for t, _ in html.tags} & ACTIVE
    for tag, attributes in html.tags:
        assert not [a for a in attributes if a.startswith("on") or a in {"style", "src", "srcdoc"}], tag
        assert not [v for v in attributes.values() if "javascript:" in v], tag
        assert attributes.get("href", "#").startswith("#"), "a link is never made from data"
    for literal in (DOC, IMG, TITLE, ASKED):
        assert literal in html.text


def test_characters_that_hide_are_seen(home: Path) -> None:
    raw = site.single(experiment(home, "windows"), home / "alone", questions=30).read_text("utf-8")
    assert OVERRIDE not in raw
    assert "U+202E" in Parsed(raw).text


def test_links_of_a_single_file_lead_to_places_in_it(home: Path) -> None:
    for name in ("mixed", "windows"):
        raw = site.single(experiment(home, name), home / "alone", questions=30).read_text("utf-8")
        html = Parsed(raw)
        ids = [a["id"] for a in html.having("id")]
        assert len(ids) == len(set(ids))
        links = [a["href"] for t, a in html.tags if t == "a"]
        assert {x.removeprefix("#") for x in links} <= set(ids)


def test_a_single_file_lets_its_own_style_and_script_run_and_nothing_else(home: Path) -> None:
    raw = site.single(experiment(home, "windows"), home / "alone", questions=30).read_text("utf-8")
    (policy,) = [a["content"] for a in Parsed(raw).having("http-equiv")]
    for tag, rule in (("style", "style-src"), ("script", "script-src")):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", raw, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{rule} 'sha256-{digest}'" in policy
        assert not re.search(r"url\(|@import", text)
    assert policy.startswith("default-src 'none'")
    assert not re.search(r"https?://(?!www\.w3\.org)", raw)


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
