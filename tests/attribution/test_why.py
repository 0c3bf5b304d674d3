"""`why`: the waterfall and the fates of a question, as a person and as a program read them."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from command import Line
from dataset.native_folders import folder
from helpers import done
from house.source import ROOT

from runner.fates import STAGES
from runner.inspector.forms import render
from runner.loss_records import WhyRun
from runner.losses import text as written
from runner.losses import waterfall
from runner.losses.said import MEANING
from runner.runs import Run
from runner.tracking import contents

PUBLISHED = ROOT / "docs" / "why.schema.json"


def test_the_published_schema_is_that_of_the_records() -> None:
    """To publish a change of shape, write `json.dumps(schema(), indent=1)` and a line break to the file."""
    assert PUBLISHED.read_text("utf-8") == json.dumps(waterfall.schema(), indent=1) + "\n"


def _json(line: Line, *words: str) -> Any:
    said = line("why", *words, "--json")
    assert (said.code, said.err) == (0, "")
    found = json.loads(said.out)
    shape = waterfall.adapter()
    assert shape.dump_python(shape.validate_python(found), mode="json") == found
    return found


@pytest.fixture
def run(line: Line) -> Line:
    """bm25, one hit: q1 found; q2 found and cut off; q3 in no leg's hits; q5 lies across two chunks."""
    assert line.fast("retrieval=bm25", "top_k=1").code == 0
    return line


def test_the_waterfall_by_hand(run: Line) -> None:
    found = _json(run)
    assert (found["view"], found["n"], found["questions"]) == ("why", 5, 4)
    steps = {s["stage"]: (s["items"], s["share"], s["left"], s["questions"]) for s in found["stages"]}
    assert list(steps) == list(STAGES)
    assert steps["split_by_chunking"] == (1, 1 / 5, 4 / 5, 1)
    assert steps["outside_window"] == (1, 1 / 5, 3 / 5, 1)
    assert steps["top_k"] == (1, 1 / 5, 2 / 5, 1)
    assert steps["found"] == (2, 2 / 5, 2 / 5, 2)
    assert sum(s["items"] for s in found["stages"]) == 5
    assert found["ceilings"] == [
        {"stage": "chunking", "items": 4, "share": 4 / 5},
        {"stage": "leg.bm25", "items": 3, "share": 3 / 5},
        {"stage": "window", "items": 3, "share": 3 / 5},
        {"stage": "cut", "items": 2, "share": 2 / 5},
        {"stage": "expansion", "items": 2, "share": 2 / 5},
    ]
    worst = {s["stage"]: s["worst"] for s in found["stages"]}
    assert worst["found"] == []
    (lost,) = worst["top_k"]
    assert (lost["query_id"], lost["text"], lost["lost"], lost["n_gold"]) == ("q2", "copper", 1, 2)
    assert (lost["item"]["doc_id"], lost["item"]["quote"]) == ("trees", "copper")
    assert lost["item"]["says"] == "trees#0000 (bm25 2, fused 2): place 2, top_k 1"


def test_the_text_says_the_same(run: Line) -> None:
    said = run("why", "latest", "--plain").out
    assert "5 gold items of 4 questions." in said
    assert all(f"{stage} " in said and meaning.split()[0] in said for stage, meaning in MEANING.items())
    assert "top_k −1 20.0% 40.0% ranked below top_k throughout" in " ".join(said.split())
    assert "top_k: 1 item of 1 question, the worst of them" in said


def test_a_question(run: Line) -> None:
    found = _json(run, "latest", "q5")
    (item,) = found["items"]
    assert (found["text"], item["stage"]) == ("osprey raven titanium", "split_by_chunking")
    # Of the eighteen characters of `raven swift linnet` twelve are in birds#0002, which no word led to.
    assert (item["held"], item["chunk_id"]) == (12 / 18, "birds#0002")
    assert (item["value"], item["legs"]) == (None, {"bm25": None})
    assert _json(run, "latest", "osprey raven titanium") == found  # by its text
    assert "no gold" in run("why", "latest", "q4", "--plain").out


def test_a_deeper_look_only_when_asked(run: Line) -> None:
    assert all(not q["item"]["deeper"] for s in _json(run)["stages"] for q in s["worst"])
    (item,) = _json(run, "latest", "q3")["items"]
    nowhere = {"leg": "bm25", "rank": None, "chunk_id": None, "score": None, "of": 0, "depth": 100}
    assert item["deeper"] == [nowhere]
    deep = _json(run, "latest", "--deeper")
    (outside,) = [s for s in deep["stages"] if s["stage"] == "outside_window"]
    assert outside["worst"][0]["item"]["deeper"] == [nowhere]
    assert deep["notes"][0] == "at 2 times the depth, 0 of 1 items outside the window would be inside"
    assert "no part of the run): bm25: at no depth" in run("why", "latest", "q3", "--plain").out


def test_confirm(run: Line) -> None:
    """Nothing is recorded by it, and the text tells what is confirmed from what is inferred."""
    before = run.bytes()
    found = _json(run, "latest", "q2", "--confirm")
    (verdict,) = found["confirmation"]["verdicts"]
    assert (verdict["confirmed"], verdict["by"]) == (True, ["top_k 1 → 2"])
    said = run("why", "latest", "q2", "--confirm", "--plain").out
    assert "item 2: top_k CONFIRMED: top_k 1 → 2 brings it back, nothing else changed." in said
    said = run("why", "latest", "q3", "--confirm", "--plain").out
    assert "outside_window inferred, not confirmed" in said
    assert run.bytes() == before
    assert len(run.runs()) == 1


def test_the_tracker_gets_shares_that_add_up(run: Line) -> None:
    """Of five items two are found, and one is lost at each of three stages."""
    (key,) = run.runs()
    sent = contents.metrics(Run(run.outputs, key))
    shares = {s: sent[f"attribution/{s}"] for s in STAGES}
    assert (shares["found"], shares["top_k"], shares["fusion"]) == (2 / 5, 1 / 5, 0.0)
    assert sum(Fraction(v).limit_denominator(5) for v in shares.values()) == 1


def test_refusals(run: Line) -> None:
    for words, what in (
        (["latest", "--confirm"], "why --confirm: name a run and one of its questions"),
        (["latest", "q9"], "has no question 'q9'; did you mean"),
        (["latest", "q1", "q2"], "why: 'q2' is one argument too many"),
        (["latest", "--deep"], "there is no option '--deep'; did you mean '--deeper'"),
    ):
        said = run("why", *words)
        assert said.code == 2
        assert what in said.err


def test_a_run_of_an_older_kind(run: Line) -> None:
    (key,) = run.runs()
    file = run.outputs / "runs" / key / "run.json"
    body = json.loads(file.read_text("utf-8"))
    del body["attribution"]
    file.write_text(json.dumps(body), "utf-8")
    said = run("why")
    assert said.code == 2
    assert "was recorded before a run said where its gold was lost" in said.err


def test_data_that_are_gone_leave_the_record(run: Line) -> None:
    """The deeper look needs the data set where it was; all else is in the record."""
    (run.at / "data" / "documents.jsonl").unlink()
    found = _json(run, "latest", "q3")
    assert found["items"][0]["stage"] == "outside_window"
    assert found["items"][0]["deeper"] == []
    assert found["notes"][0].startswith("no deeper look: ")


def test_no_gold(tmp_path: Path) -> None:
    data = folder(
        tmp_path / "data",
        documents=[{"doc_id": "a", "text": "heron kestrel"}],
        queries=[{"query_id": "q", "text": "heron"}],
        gold=[],
    )
    made = done(data, tmp_path / "out", retrieval="bm25")
    view = waterfall.Losses(made).waterfall()
    assert (view.n, {s.items for s in view.stages}, {s.share for s in view.stages}) == (0, {0}, {0.0})
    assert "0 gold items of 0 questions." in _text(view)


def _text(view: WhyRun) -> str:
    return render(written.run(view), width=100, plain=True, color=False)


def test_hostile_text_is_inert(tmp_path: Path) -> None:
    text = "[bold]heron[/bold] \x1b[31mkestrel\x1b[0m \u202eosprey"
    data = folder(
        tmp_path / "data",
        documents=[{"doc_id": "a\x1b[2J", "text": text}],
        queries=[{"query_id": "q\x1b]0;x\x07", "text": "wren \x1b[31m"}],
        gold=[{"query_id": "q\x1b]0;x\x07", "doc_id": "a\x1b[2J", "quote": "\x1b[31mkestrel"}],
    )
    made = done(data, tmp_path / "out", retrieval="bm25")
    lost = waterfall.Losses(made)
    said = _text(lost.waterfall()) + render(
        written.query(lost.question("q\x1b]0;x\x07")), width=60, plain=True, color=False
    )
    assert not {"\x1b", "\x07", "\u202e"} & set(said)
    assert "[U+001B]" in said


def test_the_worst_are_those_that_lost_most(tmp_path: Path) -> None:
    """Four questions lose at top_k: both items, one of two at place 5, at 4, and one that found the other."""
    texts = [f"w{i} common" for i in range(8)]
    documents = [{"doc_id": f"d{i}", "text": t} for i, t in enumerate(texts)]
    gold = [("a", 5), ("a", 6), ("b", 0), ("b", 7), ("c", 0), ("c", 3), ("d", 0), ("d", 4)]
    data = folder(
        tmp_path / "data",
        documents=documents,
        queries=[{"query_id": q, "text": "common"} for q in "abcd"],
        gold=[{"query_id": q, "doc_id": f"d{i}", "quote": f"w{i}"} for q, i in gold],
    )
    made = done(data, tmp_path / "out", retrieval="bm25", top_k=2)
    (step,) = [s for s in waterfall.Losses(made).waterfall().stages if s.stage == "top_k"]
    assert [(q.query_id, q.lost, q.n_gold, q.item.doc_id, q.item.value) for q in step.worst] == [
        ("a", 2, 2, "d6", 7.0), ("b", 1, 2, "d7", 8.0), ("d", 1, 2, "d4", 5.0),
    ]  # fmt: skip
