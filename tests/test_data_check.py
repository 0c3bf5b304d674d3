"""`data check`: one made-up data set for every lint, with file, line, what and cure."""

from __future__ import annotations

import json
from typing import Any

import pytest
from command import Line
from dataset.native_folders import Rows, folder

from runner.checking import lints
from runner.checking.findings import CURE, CURES

PASSAGE = "the brown bear sleeps in a deep cave all winter until the snow melts"
SOUND: Rows = [{"doc_id": "a", "text": f"First: {PASSAGE}."}, {"doc_id": "b", "text": "foxes do not sleep"}]
ASKED: Rows = [{"query_id": "q1", "text": "Where?"}, {"query_id": "q2", "text": "Who?"}]
GOLD: Rows = [
    {"query_id": "q1", "doc_id": "a", "quote": "deep cave"},
    {"query_id": "q2", "doc_id": "b", "quote": "foxes"},
]


@pytest.fixture(autouse=True)
def whatever_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """These data sets are small on purpose; what is said of that is in test_data_size.py."""
    monkeypatch.setattr(lints, "ENOUGH", 0)
    monkeypatch.setattr(lints, "MOSTLY", 2.0)


def checked(line: Line, *words: str, code: int = 0, **parts: Any) -> dict[str, Any]:
    """What `data check --json` says of a native folder."""
    given = {"documents": SOUND, "queries": ASKED, "gold": GOLD} | parts
    folder(line.at / "set", **given)
    said = line("data", "check", "set", "--json", *words)
    assert (said.code, said.err) == (code, ""), said
    value: dict[str, Any] = json.loads(said.out)
    for found in value["findings"]:
        assert set(found) == {"severity", "lint", "file", "line", "what", "cure"}
        assert found["cure"]
    assert value["errors"] == sum(f["severity"] == "error" for f in value["findings"])
    assert value["errors"] + value["warnings"] == len(value["findings"])
    return value


def only(value: dict[str, Any], lint: str, severity: str = "warning") -> tuple[str, int | None, str]:
    """File (from the data set on), line and text of the only finding."""
    (found,) = value["findings"]
    assert (found["lint"], found["severity"]) == (lint, severity), found
    return found["file"].partition("/set/")[2], found["line"], found["what"]


def test_a_sound_data_set(line: Line) -> None:
    value = checked(line)
    assert value["findings"] == []
    assert (value["form"], value["documents"], value["queries"], value["judgments"]) == ("native", 2, 2, 2)
    assert value["gold too short to look for repeats"] == 2
    assert line("data", "check", "set").out.endswith("nothing to complain of\n")


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"doc_id": "a", "quote": "low cave"}, "quote not found", "the quote 'low cave' does not occur in 'a'"),
    ({"doc_id": "a", "quote": "the"}, "ambiguous quote", "the quote 'the' occurs 2 times in 'a'; say which"),
    ({"doc_id": "z", "quote": "x"}, "unknown document", "judges document 'z', which there is not"),
    ({"doc_id": "a", "start": 5, "end": 500}, "span out of range", "is not within the 76 code points of 'a'"),
    ({"doc_id": "a", "start": 0, "end": 4, "quote": "cave"}, "wrong span", "is not the quote 'cave'"),
    ({"doc_id": "a", "quote": "deep cave"}, "duplicate judgment", "has this judgment already"),
    ({"doc_id": "a", "quot": "x"}, "unknown field", "unknown field `quot`; did you mean 'quote'?"),
]  # fmt: skip


@pytest.mark.parametrize(("row", "lint", "what"), REFUSED, ids=[r[1] for r in REFUSED])
def test_what_a_loader_refuses(line: Line, row: dict[str, Any], lint: str, what: str) -> None:
    value = checked(line, code=1, gold=[*GOLD, {"query_id": "q1", **row}])
    file, number, said = only(value, lint, "error")
    assert (file, number) == ("gold.jsonl", 3)
    assert what in said
    assert value["findings"][0]["cure"] == CURES.get(lint, CURE)
    assert (value["judgments"], value["refused rows"]) == (2, 1), "the rest is checked all the same"


def test_a_dangling_query_and_everything_at_once(line: Line) -> None:
    dangling = {"query_id": "q9", "doc_id": "a", "quote": "cave"}
    gold = [*GOLD, dangling, {"query_id": "q1", "doc_id": "b", "quote": "?"}]
    value = checked(line, code=1, gold=gold, queries=[*ASKED, {"query_id": "q1", "text": "again"}])
    said = {(f["lint"], f["line"]) for f in value["findings"]}
    assert said == {("unknown query", 3), ("quote not found", 4), ("duplicate query_id", 3)}


def test_a_blank_document_makes_no_chunk(line: Line) -> None:
    value = checked(line, code=1, documents=[*SOUND, {"doc_id": "c", "text": " \n"}])
    assert only(value, "blank document", "error")[:2] == ("documents.jsonl", 3)
    value = checked(line, documents=[*SOUND, {"doc_id": "c", "text": "--- *** ---"}])
    assert only(value, "no words") == (
        "documents.jsonl", 3, "'c' has no letter and no digit: no chunk of it can be found by words",
    )  # fmt: skip


def test_bytes_that_are_not_utf8(line: Line) -> None:
    bad = b'{"doc_id": "b", "text": "foxes"}\n{"doc_id": "a", "text": "caf\xe9"}\n'
    value = checked(line, code=1, documents=None, **{"documents.jsonl": bad})
    assert {(f["lint"], f["line"]) for f in value["findings"]} >= {("not UTF-8", 2), ("unknown document", 1)}


def test_forms_that_do_not_mix_are_one_error(line: Line) -> None:
    value = checked(line, code=1, gold=[*GOLD, {"query_id": "q1", "doc_id": "b"}])
    (found,) = value["findings"]
    assert (found["severity"], found["lint"]) == ("error", "cannot be read")
    assert "the judgments of one data set are all of one form" in found["what"]


def test_duplicate_questions(line: Line) -> None:
    value = checked(
        line,
        queries=[*ASKED, {"query_id": "q3", "text": "  WHERE? "}],
        gold=[*GOLD, {"query_id": "q3", "doc_id": "a", "quote": "cave"}],
    )
    file, number, said = only(value, "duplicate question")
    assert (file, number) == ("queries.jsonl", 3)
    assert said.startswith("'q3' asks what 'q1' asks (")
    assert said.endswith("queries.jsonl:1)")


def test_duplicate_documents(line: Line) -> None:
    value = checked(line, documents=[*SOUND, {"doc_id": "c", "text": "Foxes do\nnot  sleep"}])
    file, number, said = only(value, "duplicate document")
    assert (file, number) == ("documents.jsonl", 3)
    assert said.startswith("'c' has the text of 'b' (")
    assert said.endswith("documents.jsonl:2) and one of them is gold")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--size", "8"], "has 14 words (tokenizer `words`), no chunk of 8 can hold it"),
        (["--size", "14"], None),
        (["--size=67", "--unit", "characters"], "has 68 characters, no chunk of 67 can hold it"),
        (["--size=68", "--unit", "characters"], None),
    ],
)
def test_gold_longer_than_a_chunk(line: Line, options: list[str], said: str | None) -> None:
    gold = [*GOLD, {"query_id": "q1", "doc_id": "a", "quote": PASSAGE}]
    value = checked(line, *options, gold=gold)
    if said is None:
        assert value["findings"] == []
    else:
        file, number, what = only(value, "gold longer than a chunk")
        assert (file, number, what) == ("gold.jsonl", 3, f"'q1': [7, 75) of 'a' {said}")


def test_gold_that_other_passages_repeat(line: Line) -> None:
    copies = [{"doc_id": d, "text": f"{d}: {PASSAGE.title()}!"} for d in ("c", "d")]
    gold = [*GOLD, {"query_id": "q2", "doc_id": "a", "quote": PASSAGE}]
    value = checked(line, documents=[*SOUND, *copies], gold=gold)
    file, number, said = only(value, "gold repeated elsewhere")
    assert (file, number) == ("gold.jsonl", 3)
    assert said == (
        "'q2': 2 other passages repeat its gold in 'a' nearly word for word, first [3, 71) of 'c' "
        "(100% of its word triples)"
    )
    judged = [{"query_id": "q2", "doc_id": d, "start": 3, "end": 71} for d in ("c", "d")]
    assert checked(line, documents=[*SOUND, *copies], gold=[*gold, *judged])["findings"] == []


def test_a_judged_document_is_a_passage_as_a_whole(line: Line) -> None:
    documents = [{"doc_id": d, "text": f"{PASSAGE} {d}"} for d in ("a", "b")]
    value = checked(line, documents=documents, gold=[{"query_id": q, "doc_id": "a"} for q in ("q1", "q2")])
    assert [f["lint"] for f in value["findings"]] == ["gold repeated elsewhere"] * 2


def test_queries_without_gold_are_counted(line: Line) -> None:
    more = [{"query_id": f"q{i}", "text": f"{i}?"} for i in range(3, 10)]
    value = checked(line, queries=[*ASKED, *more])
    file, number, said = only(value, "query without gold")
    assert (file, number) == ("queries.jsonl", 3)
    assert said == "7 of 9 queries have no relevant judgment: 'q3', 'q4', 'q5', 'q6', 'q7' and 2 more"
    assert value["queries without gold"] == 7


def test_mixed_grades(line: Line) -> None:
    value = checked(line, gold=[*GOLD, {"query_id": "q1", "doc_id": "b", "quote": "sleep", "grade": 2}])
    file, number, said = only(value, "mixed grades")
    assert (file, number) == ("gold.jsonl", 3)
    assert said == "judgments have the grades 1 (2), 2 (1); here is the first of grade 2"


def test_text_for_people_lists_ten_of_a_kind(line: Line) -> None:
    gold = [*GOLD, *({"query_id": "q1", "doc_id": "a", "quote": f"no {i}"} for i in range(13))]
    folder(line.at / "set", documents=SOUND, queries=ASKED, gold=gold)
    said = line("data", "check", "set")
    assert said.code == 1
    assert "error: quote not found (13)\n" in said.out
    assert said.out.count("does not occur in 'a'") == 10
    assert "… and 3 more (--json lists all)" in said.out
    assert f"  cure: {CURES['quote not found']}" in said.out
    assert said.out.endswith("13 errors, 0 warnings\n")


def test_other_forms_and_settings(line: Line) -> None:
    asked = {"id": "q", "question": "?", "answers": [{"text": "two", "answer_start": 5}]}
    body = {"data": [{"title": "t", "paragraphs": [{"context": "one two", "qas": [asked]}]}]}
    (line.at / "s.json").write_text(json.dumps(body))
    value = json.loads(line("data", "check", "s.json", "--json").out)
    assert value["form"] == "squad"
    (wrong, without) = value["findings"]
    assert (wrong["lint"], wrong["line"]) == ("wrong span", None)
    assert wrong["file"].endswith("s.json")
    assert wrong["what"].startswith("question q: the text at 5 is not the answer")
    assert without["lint"] == "query without gold"
    assert line("data", "check", "s.json", "dataset.gold=documents").code == 0
    assert json.loads(line("data", "check", "--dataset", "guide", "--json").out)["errors"] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--size", "0"], "--size: '0' is no whole number above 0"),
        (["--unit", "pages"], "--unit: 'pages' is no choice; Valid: characters, tokens."),
        (["--dataset", "natve"], "there is no 'natve': did you mean 'native'?"),
        (["dataset.split=dev"], "dataset.split: no such option"),
        (["--sise", "3"], "there is no option '--sise'; did you mean '--size'?"),
        (["more"], "say: python -m runner data check PATH"),
    ],
)
def test_a_wrong_request(line: Line, words: list[str], said: str) -> None:
    got = line("data", "check", "data", *words)
    assert (got.code, got.out) == (2, "")
    assert said in got.err
