"""Wording: every template of the design from a small record, and the rule that picks it."""

from __future__ import annotations

import json
import re

import pytest
from report.gallery import claim
from report.javascript import evaluate

from runner.report import notices, wording
from runner.report.claim import PHRASES, slots
from runner.report.notices import Cut, Gaps

ADDS = "expansion only adds"
CHANGE = "Adding one chunk before and after every hit"
EQUAL = {"mean": 0.012, "interval": (-0.014, 0.039), "budget": 1500, "tokens": None, "p": 0.4}


def test_better() -> None:
    assert wording.sentence(claim()) == (
        f"{CHANGE} finds 11.0 points more of the gold text "
        "(95% interval +8.2 to +13.8, 300 questions, Holm p\u00a0=\u00a00.001) for 2.3 times the tokens."
    )  # 2291 / 983 = 2.33
    ranked = claim(
        change="bm25", thing="nDCG@10", share=False, mean=0.041, interval=(0.019, 0.063), tokens=None
    )
    assert wording.sentence(ranked) == (
        "bm25 scores 0.041 higher by nDCG@10 "
        "(95% interval +0.019 to +0.063, 300 questions, Holm p\u00a0=\u00a00.001)."
    )
    assert "finds 1.2 points more of the gold text at 1,500 tokens (95%" in wording.sentence(claim(**EQUAL))


def test_worse_says_what_it_saves() -> None:
    less = claim(mean=-0.07, interval=(-0.11, -0.039), verdict="worse", tokens=(2291.0, 983.0), p=0.0001)
    assert wording.sentence(less) == (
        f"{CHANGE} finds 7.0 points less of the gold text (95% interval −11.0 to −3.9, 300 questions, "
        "Holm p\u00a0<\u00a00.001); it saves 1,308 tokens."
    )
    dearer = claim(mean=-0.07, interval=(-0.11, -0.039), verdict="worse")
    assert wording.sentence(dearer).endswith("; it costs 1,308 tokens more.")


def test_equivalent_names_the_cheaper() -> None:
    same = claim(mean=-0.002, interval=(-0.009, 0.006), verdict="equivalent")
    assert wording.sentence(same) == (
        f"{CHANGE} and fixed_size ±0/0 are equal within ±1.0 points (−0.9 to +0.6); "
        "fixed_size ±0/0 is cheaper by 1,308 tokens."
    )
    assert wording.tag("equivalent", margin="0.010").words == "Equivalent within ±0.010"


def test_undecided_says_how_many_would_decide_or_that_none_would() -> None:
    facts = {**EQUAL, "verdict": "undecided"}
    assert wording.sentence(claim(**facts, needed=2893)) == (
        f"300 questions cannot tell {CHANGE} from fixed_size ±0/0 at 1,500 tokens: "
        "+1.2 points (−1.4 to +3.9). "
        "About 2,900 questions would decide it at 80% power."
    )
    for needed in (3001, None):
        far = wording.sentence(claim(**facts, needed=needed))
        assert far.endswith(
            "Even ten times as many would not decide it; "
            "a difference of this size matters only if the margin of ±1.0 points says so."
        )
    assert "About 3,000" in wording.sentence(claim(**facts, needed=3000))
    few = wording.sentence(claim(**facts | {"interval": None, "n": 4}))
    assert (
        few == f"4 questions are too few to tell {CHANGE} from fixed_size ±0/0 at 1,500 tokens: +1.2 points."
    )


def test_a_gain_that_context_buys_is_not_the_headline_alone() -> None:
    found = wording.headline(claim(), claim(**EQUAL, verdict="undecided"), constructed=ADDS)
    assert found.kind == "open"
    assert [(t.kind, t.words) for t in found.tags] == [
        ("better", "Better at equal top_k"),
        ("open", "Undecided at equal tokens"),
    ]
    assert found.sentence == (
        f"{CHANGE} brings 11.0 points more of the gold text to the model, for 2.3 times the tokens. "
        "At equal tokens, no gain is shown."
    )


def test_a_gain_of_context_that_costs_at_equal_tokens_says_so() -> None:
    worse = claim(mean=-0.079, interval=(-0.126, -0.035), budget=500, tokens=None, p=0.0004, verdict="worse")
    found = wording.headline(claim(), worse, constructed=ADDS)
    assert found.kind == "worse"
    assert found.sentence == (
        f"{CHANGE} brings 11.0 points more of the gold text to the model, for 2.3 times the tokens; but at "
        "500 tokens it finds 7.9 points less of the gold text (95% interval \u221212.6 to \u22123.5, Holm "
        "p\u00a0<\u00a00.001)."
    )


def test_the_headline_leads_with_the_comparison_that_can_have_either_sign() -> None:
    at_tokens = claim(**EQUAL | {"interval": (0.001, 0.023)}, verdict="better")
    assert " at 1,500 tokens (95%" in wording.headline(claim(), at_tokens, constructed=ADDS).sentence
    assert " for 2.3 times the tokens." in wording.headline(claim(), at_tokens).sentence
    worse = claim(mean=-0.07, interval=(-0.11, -0.039), verdict="worse")
    assert wording.headline(worse, at_tokens).kind == "better"
    alone = wording.headline(claim(thing="SpanR@5+"), constructed=ADDS)
    assert (alone.kind, alone.sentence) == (
        "open",
        "The difference in SpanR@5+ cannot be negative: expansion only adds.",
    )
    less = wording.headline(claim(thing="gold text"), constructed="a narrower window only takes away")
    assert [t.words for t in less.tags] == ["Cannot be positive"]
    assert less.sentence == (
        "The difference in gold text cannot be positive: a narrower window only takes away."
    )
    assert wording.headline(worse).sentence == wording.sentence(worse)


def test_the_second_line_hides_no_better_cell() -> None:
    heading = claim(change="heading", mean=0.036, interval=(0.015, 0.058), p=0.011)
    assert wording.also([]) == ""
    assert wording.also([heading]) == (
        "One other cell is better at equal tokens: "
        "heading, +3.6 points (+1.5 to +5.8, Holm p\u00a0=\u00a00.011)."
    )
    assert wording.also([heading, heading]).startswith(
        "2 other cells are better at equal tokens: heading, +3.6"
    )


def test_sentences_of_an_experiment() -> None:
    facts = {"cell": "heading", "m": 12, "base": "fixed_size ±0/0"}
    assert wording.winner(share=0.66, named=False, alike=10, **facts) == (
        "No clear winner: heading is first in 66% of resamples; a winner is named from 90%. "
        "10 cells cannot be told apart from fixed_size ±0/0."
    )
    assert wording.winner(share=0.934, named=True, alike=0, **facts) == (
        "heading is the best of 12 cells: first in 93% of resamples."
    )
    assert wording.one_cell("SpanR@5", 0.71, (0.46, 0.92), 0.95, 40) == (
        "One cell, nothing to compare: SpanR@5 0.710 (95% interval 0.460 to 0.920, 40 questions)."
    )
    assert wording.one_cell("SpanR@5", 0.71, None, 0.95, 1) == (
        "One cell, nothing to compare: SpanR@5 0.710 (1 question)."
    )
    assert wording.construction("nDCG@10", "same hits: expansion leaves ranks alone") == (
        "nDCG@10 is the same in both (same hits: expansion leaves ranks alone)."
    )
    assert wording.axes(["the embedding model", "the strategy"], -0.077) == (
        "Two axes differ at once, so the loss cannot be given to the embedding model or the strategy alone."
    )
    assert wording.axes(["the strategy"], -0.077) == ""
    assert wording.winner(share=0.934, named=False, alike=1, **facts) == (
        "No clear winner: heading is first in 93% of resamples, but is not shown to be better than every "
        "other cell. 1 cell cannot be told apart from fixed_size ±0/0."
    )


def test_notices() -> None:
    found = notices.neighbors([(["A"], "±0/0"), (["B", "C"], "±1/1")])
    assert (found.level, found.head) == ("warn", "Neighbor Expansion differs:")
    assert found.body == (
        "A has ±0/0, B and C have ±1/1. Wider windows send more text to the model at the same top_k. "
        "Read the table at equal tokens before crediting the chunking."
    )
    long = ["strategy.size=100 neighbor_prev=0 neighbor_next=0", "strategy.size=200 neighbor_prev=0"]
    assert notices.neighbors([(long, "±0/0"), (["B"], "±1/1")]).body.startswith(
        "2 runs have ±0/0, B has ±1/1. "
    )
    models = notices.embedding([(["A", "B"], "bge-small"), (["C"], "MiniLM")], [Cut("C", 118)])
    assert models.body == (
        "A and B use bge-small, C uses MiniLM. Scores from different models do not describe the same set-up; "
        "118 chunks of C were cut at the model's limit."
    )


@pytest.mark.parametrize(
    ("gaps", "text"),
    [
        (Gaps(undecided=(0.012, 1500), price=False), "+1.2 points at 1,500 tokens"),
        (Gaps(price=False, placebo=False), "no price in the config"),
        (Gaps(test_split=False, placebo=False), "no test split"),
        (Gaps(placebo=False), "placebo not run"),
        (Gaps(), "nothing left open"),
    ],
)
def test_the_most_relevant_gap_comes_first(gaps: Gaps, text: str) -> None:
    assert notices.not_shown(gaps) == text


def test_words_that_are_never_used() -> None:
    said = " ".join([*wording.TEMPLATES.values(), *PHRASES.values(), *notices.TEMPLATES.values()])
    said += " ".join(words for _, words in wording.TAGS.values())
    assert not re.search(r"significan|no difference|recommend|should|!|\bwill\b", said)
    assert [n for n, t in wording.TEMPLATES.items() if re.search(r"\bbest\b", t)] == ["winner"]
    assert {kind for kind, _ in wording.TAGS.values()} <= {"better", "worse", "same", "open", "block"}


def test_the_script_fills_the_same_templates() -> None:
    facts = slots(claim())
    told = f"fill({json.dumps(wording.TEMPLATES['better'])}, {json.dumps(facts)})"
    assert evaluate(told) == wording.sentence(claim())
