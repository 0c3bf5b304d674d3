"""Hostile text in documents, ids and queries: displayed inert, JSON valid, the width respected."""

from __future__ import annotations

import json
import unicodedata

import helpers
import pytest
from command import Line
from inspector.shown import said, text
from rich.cells import cell_len

from runner.runs import Run
from runner.text import as_json, visible

MARKUP = "[red]bold[/red] <script>alert(1)</script> [link=file:///x]here[/link] \\[escaped]"
ESCAPES = "\x1b[2J\x1b]0;owned\x07 bell \x9b31m C1 \x7f"
RTL = "\u202egnirts\u202c \u2066isolate\u2069 \u200fmark \u2028line"
WIDE = "木の葉 " * 40
VAST = "vast " * 200_000
SOLID = "x" * 1_000_000
IDS = ["plain", "solid", "[bold]id[/bold]", "esc\x1b[31mid", "rtl\u202edi", "木"]
OF_ID = [["chunks", "ID", "--boundaries", "--health"], ["neighbors", "ID#0000"]]
VIEWS = [
    *([w.replace("ID", doc_id) for w in words] for words in OF_ID for doc_id in IDS),
    ["query", "vast bell isolate", "--explain", "--show-misses"],
    ["query", f"bell {ESCAPES} {RTL} {MARKUP}", "--show-misses"],
    ["diff", "latest", "latest"],
    ["diff", "latest", "latest", f"q{IDS[3]}"],
]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    at = tmp_path_factory.mktemp("hostile")
    texts = [VAST, SOLID, MARKUP, ESCAPES, RTL, WIDE]
    documents = [
        {"doc_id": d, "text": t, "title": t[:60], "metadata": {"note": t[:60]}}
        for d, t in zip(IDS, texts, strict=True)
    ]
    queries = [
        {"query_id": f"q{d}", "text": f"vast bell isolate {t[:300]}"} for d, t in zip(IDS, texts, strict=True)
    ]
    gold = [{"query_id": f"q{IDS[3]}", "doc_id": IDS[3], "quote": " bell "}]
    data = helpers.tiny(at / "data", documents=documents, queries=queries, gold=gold)
    return helpers.done(data, at / "out", strategy="document", enrichment="title")


@pytest.mark.parametrize("given", VIEWS, ids=lambda w: ascii(" ".join(w[:2]))[:30])
def test_nothing_reaches_the_terminal_but_text(
    run: Run, given: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for width in (40, 100):
        monkeypatch.setenv("COLUMNS", str(width))
        for form in ([], ["--plain"]):
            shown = text(run, *given, *form)
            hidden = {c for c in shown if unicodedata.category(c) in {"Cc", "Cf", "Cs"}} - {"\n"}
            assert not hidden
            assert max(map(cell_len, shown.split("\n"))) <= width
    value = said(run, *given)
    written = as_json(value)
    assert not {c for c in written if unicodedata.category(c) in {"Cc", "Cf", "Cs"}} - {"\n"}
    assert json.loads(written) == value


def test_markup_stands_as_it_is(run: Run) -> None:
    shown = text(run, "chunks", "[bold]id[/bold]")
    assert "[bold]id[/bold]" in shown
    assert "[red]bold[/red] <script>" in " ".join(shown.split())


def test_json_has_the_text_as_it_is(run: Run) -> None:
    (row,) = said(run, "chunks", "esc\x1b[31mid")["document"]["rows"]
    assert row["chunks"][0]["text"] == ESCAPES
    assert len(said(run, "chunks", "plain")["document"]["rows"][0]["chunks"][0]["text"]) == len(VAST)


def test_a_query_that_is_no_unicode_is_answered_and_said_so(line: Line) -> None:
    """A command line can hold bytes that are no UTF-8; Python makes lone surrogates of them."""
    line.fast("retrieval=bm25")
    shown = line("inspect", "query", "finch\udcff magpie")
    assert shown.code == 0, shown
    assert "1 characters of the query were no Unicode text" in " ".join(shown.out.split())
    value = json.loads(line("inspect", "query", "finch\udcff magpie", "--json").out)
    assert value["text"] == "finch\N{REPLACEMENT CHARACTER} magpie"
    assert value["hits"][0]["doc_id"] == "birds"
    for words in (
        ["chunks", "bi\udcffrds"],
        ["neighbors", "\udcff\x1b[2J#0000"],
        ["diff", "latest", "\udcff"],
    ):
        refused = line("inspect", *words)
        assert refused.code == 2
        assert visible(refused.err) == refused.err


def test_visible_and_json_agree_with_the_slow_way() -> None:
    """Every character of the basic plane and a lone surrogate; JSON reads back what was written."""
    plane = [chr(c) for c in range(0x10000) if not 0xD800 < c < 0xE000]
    every = "".join(plane) + "\U000e0001\U0001f600"
    categories = {"Cc", "Cf", "Cs", "Co", "Cn"}
    slow = "".join(
        f"[U+{ord(c):04X}]" if unicodedata.category(c) in categories and c not in "\n\t" else c for c in every
    )
    assert visible(every) == slow
    assert json.loads(as_json({"a": every, every[:40]: 1.5})) == {"a": every, every[:40]: 1.5}
