"""The gate: unchanged opens, halved top_k closes with the flipped questions, other data is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from runner.cli import main
from runner.errors import RequestError
from runner.gating import forms
from runner.gating.baseline import Baseline
from runner.gating.judgement import Flip, judge

HOSTILE = "</testcase><b>|`x`\x00\x1b[31m\u202e"


def made(values: list[float], **changes: Any) -> Baseline:
    """A baseline of a measure `M` over as many questions as values."""
    queries = [f"q{i:03}" for i in range(len(values))]
    body: dict[str, Any] = {
        "run": "r" * 64,
        "fingerprints": {"documents": "d", "queries": "q", "judgments": "j"},
        "families": {"span": "1"},
        "config": {},
        "seconds": {"retrieval": 1.0},
        "searched": True,
        "processor": "one",
        "documents": {q: q for q in queries},
        "lost": {q: "" if v >= 1 else "top_k" for q, v in zip(queries, values, strict=True)},
        "measures": {"M": dict(zip(queries, values, strict=True))},
    }
    return Baseline(**(body | changes))


GOOD = [1.0] * 40
BAD = [0.0] * 20 + [1.0] * 20


def test_the_unchanged_opens_and_the_worse_closes() -> None:
    same = judge(made(GOOD), made(GOOD), ["M"], margin=0.01)
    assert (same.passed, same.cases[0].standing, same.flips) == (True, "non-inferior", ())
    worse = judge(made(GOOD), made(BAD), ["M"], margin=0.01)
    assert (worse.passed, worse.cases[0].standing) == (False, "inferior")
    assert worse.cases[0].difference == 20 / 40 - 1
    assert worse.flips == tuple(Flip(f"q{i:03}", gained=False, stage="top_k") for i in range(20))
    better = judge(made(BAD), made(GOOD), ["M"], margin=0.01)
    assert better.passed
    assert all(f.gained for f in better.flips)


def test_a_loss_within_the_margin_opens_unless_it_is_not_shown_to_be() -> None:
    one = [0.0] + [1.0] * 39  # a mean difference of 1 / 40 that chance explains
    assert judge(made(GOOD), made(one), ["M"], margin=0.01).passed
    assert not judge(made(GOOD), made(one), ["M"], margin=0.01, strict=True).passed
    assert judge(made(GOOD), made(BAD), ["M"], margin=0.6).passed  # significant, but not material


def test_latency_is_judged_on_one_machine_only() -> None:
    slow = made(GOOD, seconds={"retrieval": 3.0})
    assert not judge(made(GOOD), slow, ["M"], margin=0.01, latency_limit=2).passed
    assert judge(made(GOOD), slow, ["M"], margin=0.01, latency_limit=4).passed
    other = judge(made(GOOD), made(GOOD, seconds={"retrieval": 9.0}, processor="two"), ["M"], margin=0.01,
                  latency_limit=2)  # fmt: skip
    assert other.passed
    assert other.notes == ("latency is not comparable: one / two",)
    for pair in ((made(GOOD, searched=False), slow), (made(GOOD), made(GOOD, searched=False)),
                 (made(GOOD, seconds={"retrieval": 0.0}), slow)):  # fmt: skip
        reused = judge(*pair, ["M"], margin=0.01, latency_limit=2)
        assert (reused.passed, reused.latency) == (True, None)
        assert "from the store" in reused.notes[0]


def test_more_tokens_are_shown_as_more_and_fail() -> None:
    before, after = (
        made(GOOD, measures={"Tokens@5": {f"q{i:03}": n + i % 3 for i in range(40)}}) for n in (100.0, 200.0)
    )
    found = judge(before, after, ["Tokens@5"], margin=0.01)
    (case,) = found.cases
    assert case.difference == 100
    assert case.low is not None
    assert case.high is not None
    assert case.low <= 100 <= case.high
    assert (case.standing, found.passed) == ("inferior", False)
    # Of a cost the margin is a share of the mean of 101: one token more is 0.99%, two are 1.98%.
    for more, passes in ((1.0, True), (2.0, False)):
        spent = {q: v + more for q, v in before.measures["Tokens@5"].items()}
        dearer = made(GOOD, measures={"Tokens@5": spent})
        said = judge(before, dearer, ["Tokens@5"], margin=0.01)
        assert said.cases[0].difference == pytest.approx(more)
        assert said.passed == passes


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"fingerprints": {"documents": "x", "queries": "q", "judgments": "j"}}, "the documents differ"),
        ({"families": {"span": "2"}}, "another version"),
        ({"measures": {"N": {"q000": 1.0}}}, "the candidate has no 'M'"),
    ],
)
def test_what_cannot_be_compared_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(RequestError, match=said):
        judge(made(GOOD), made(GOOD, **changes), ["M"], margin=0.01)


def test_hostile_ids_stay_text() -> None:
    gate = judge(made(GOOD), made(BAD), ["M"], margin=0.01)
    gate = replace(gate, flips=(Flip(HOSTILE, gained=False, stage="top_k"),))
    root = Xml.fromstring(forms.junit(gate))  # noqa: S314 - our own
    (suite,) = root
    cases = suite.findall("testcase")
    assert (suite.get("tests"), suite.get("failures"), len(cases)) == ("2", "2", 2)
    assert "</testcase><b>" in str(cases[1].get("name"))
    assert "U+0000" in str(cases[1].get("name"))
    shown = forms.markdown(gate)
    assert "<b>" not in shown.replace("\\<b\\>", "")
    assert "\x1b" not in shown + forms.text(gate)


def test_halved_top_k_closes_the_gate_on_real_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["dataset=guide", "retrieval=bm25", "tokenizer=words", "tracking=off"]
    assert main([*words, "top_k=4"]) == 0
    assert main(["gate", "--save", "base.json"]) == 0
    ask = [
        "gate",
        "--baseline",
        "base.json",
        "--measure",
        "SpanR@5",
        "--junit",
        "gate.xml",
        "--summary",
        "gate.md",
    ]
    assert main(ask) == 0
    assert main([*words, "top_k=2"]) == 0
    capsys.readouterr()
    assert main(ask) == 1
    said = capsys.readouterr().out
    assert "FAIL: SpanR@5: significantly worse" in said
    suite = Xml.parse(tmp_path / "gate.xml").getroot()[0]  # noqa: S314 - our own
    lost = [c for c in suite if c.get("classname") == "gate.question" and c.find("failure") is not None]
    assert len(lost) >= 10
    assert {c.find("failure").get("type") for c in lost} <= {"top_k", "split_by_chunking"}  # type: ignore[union-attr]
    assert int(suite.get("failures", "0")) == len(suite.findall("testcase/failure"))
    assert (tmp_path / "gate.md").read_text("utf-8").count("- lost:") == min(50, len(lost))


def test_other_library_versions_are_noted() -> None:
    old, new = (
        made(GOOD, packages={"bm25s": "1", "numpy": "2"}),
        made(GOOD, packages={"bm25s": "2", "x": "1"}),
    )
    assert judge(old, new, ["M"], margin=0.01).notes == ("other library versions: bm25s 1 / 2",)
    assert judge(old, old, ["M"], margin=0.01).notes == ()


def test_a_closed_gate_says_every_reason_and_a_long_list_that_it_is_cut() -> None:
    many, none = [1.0] * 120, [0.0] * 120
    seconds = {"retrieval": 9.0}
    found = judge(made(many), made(none, seconds=seconds), ["M"], margin=0.01, latency_limit=2)
    said = forms.verdict(found)
    assert said == (
        "FAIL: M: significantly worse by more than the margin of 0.01; the search takes 9.00 times the "
        "baseline's, above 2"
    )
    for shown in (forms.text(found), forms.markdown(found)):
        assert "and 70 more; " in shown  # 120 lost, 50 listed
    strict = judge(made(many), made(many), ["M"], margin=0.01, strict=True)
    assert forms.verdict(strict) == "OK: every measure is shown to be within the margin of 0.01"


def test_a_measure_without_a_common_question_judges_nothing() -> None:
    other = made(GOOD, measures={"M": {"elsewhere": 1.0}})
    with pytest.raises(RequestError, match="no question has 'M' in both runs"):
        judge(made(GOOD), other, ["M"], margin=0.01)
