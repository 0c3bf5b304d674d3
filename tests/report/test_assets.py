"""Style, script and data: small, named by content, under a policy without holes, unable to break out."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from report import gallery
from report.javascript import evaluate

from runner.report import frame
from runner.report.assets import bundle, data
from runner.report.assets.bundle import Asset

KILOBYTE = 1024


class Attributes(HTMLParser):
    """The names of all attributes of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.names += [name for name, _ in attrs]


ASSETS = [bundle.style(), bundle.script(), bundle.comparing()]


def test_what_every_page_loads_is_small() -> None:
    assert len((bundle.style().text + bundle.script().text).encode()) <= 40 * KILOBYTE
    assert len(bundle.comparing().text.encode()) <= 36 * KILOBYTE


def test_a_name_is_that_of_the_content(tmp_path: Path) -> None:
    one, two = Asset("report", "css", "a{}"), Asset("report", "css", "b{}")
    assert one.name == f"report.{hashlib.sha256(b'a{}').hexdigest()[:8]}.css"
    assert one.name != two.name
    bundle.write(tmp_path)
    bundle.write(tmp_path)
    assert {p.name for p in (tmp_path / "assets").iterdir()} == {a.name for a in ASSETS}
    for asset in ASSETS:
        assert (tmp_path / "assets" / asset.name).read_text("utf-8") == asset.text


def test_the_policies() -> None:
    assert bundle.policy() == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    css = base64.b64encode(hashlib.sha256(bundle.style().text.encode()).digest()).decode()
    inside = frame.alone().policy
    assert f"style-src 'sha256-{css}'; img-src" in inside
    assert "'self'" not in inside
    assert "unsafe" not in inside


def test_assets_load_nothing_and_close_no_tag() -> None:
    for asset in ASSETS:
        assert not re.search(r"https?:|url\(|@import|</s(cript|tyle)|<!--|eval\(|Function\(", asset.text), (
            asset.name
        )
        assert asset.text.isascii()
        assert not re.search(r"^\s|\n\n|^//", asset.text, re.MULTILINE)


def test_data_cannot_break_out() -> None:
    text = data.as_json({"a": "</script><!--&\u2028\u2029\ud800é"})
    assert text == r'{"a":"\u003c/script\u003e\u003c!--\u0026\u2028\u2029\ud800é"}'
    assert json.loads(text) == {"a": "</script><!--&\u2028\u2029\ud800é"}
    assert data.put("run-1", [1]) == 'report.put("run-1",[1]);\n'
    block = data.block("a-b", {"x": "</script>"})
    assert block == r'<script type="application/json" id="data-a-b">{"x":"\u003c/script\u003e"}</script>'
    for bad in (math.nan, math.inf):
        with pytest.raises(ValueError, match="JSON"):
            data.as_json([bad])


@pytest.mark.parametrize("key", ["", "../x", "A", "a--b", "-a", "a/b", "a.js", "a\n", '"'])
def test_a_key_is_a_plain_name(key: str) -> None:
    with pytest.raises(ValueError, match="a key of data"):
        data.put(key, 1)
    assert evaluate(f"/^[a-z0-9]+(-[a-z0-9]+)*$/.test({json.dumps(key)})") is False


def test_numbers_arrive_as_they_are() -> None:
    values = [0.1, 1 / 3, -2.5e-17, 0.0, math.nan]
    told = evaluate(f"Array.from(floats({json.dumps(data.floats(values))}))")
    assert told == [*values[:-1], None]


def test_one_page_is_one_file_or_stands_beside_its_assets(tmp_path: Path) -> None:
    beside = gallery.write(tmp_path).read_text("utf-8")
    assert f'href="../assets/{bundle.style().name}"' in beside
    assert f'src="../assets/{bundle.script().name}"' in beside
    assert beside.startswith("<!doctype html>")
    alone = gallery.write(tmp_path, inside=True).read_text("utf-8")
    assert bundle.style().text in alone
    assert not re.search(r'<(link rel="stylesheet"|script src)', alone)
    assert gallery.write(tmp_path).read_text("utf-8") == beside
    for html in (beside, alone):
        names = Attributes(html).names
        assert len(names) > 50
        assert not [n for n in names if n.startswith("on") or n in {"style", "srcdoc", "action"}]
        assert "\u202e" not in html
    assert len(frame.beside(comparing=True).scripts) == 2
