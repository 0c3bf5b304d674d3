"""The contract of families of measures, over the registry: a new family is tested before it has a test."""

from __future__ import annotations

import inspect
import random
from pathlib import Path

import helpers
import polars as pl
import pytest
import yaml
from metrics.cases import case

from runner import registry
from runner.config import Component
from runner.errors import RequestError
from runner.metrics.contract import Family, Judged, Measure, Metrics, families, parse_measure
from runner.order import Ranking

FAMILIES = registry.names("metrics")
CONF = sorted((Path(__file__).parents[2] / "conf" / "metrics").glob("*.yaml"))
MEASURES = [
    *dict.fromkeys(m for f in FAMILIES for m in helpers.choice("metrics", f).get("measures", [])),
    "SpanPΩ", "ChromaR@3", "SpanP@40t", "Tokens", "nDCG", "SetP", "Judged@5",
]  # fmt: skip


def _family(name: str) -> Family:
    return registry.as_contract(registry.component_class("metrics", name)(name=name), Family)


def _measures(family: Family, *, spans: bool) -> list[Measure]:
    some = [m for m in map(parse_measure, MEASURES) if family.accepts(m)]
    return [m for m in some if spans or not family.needs_spans(m)]


def _judged(seed: int = 0, *, spans: bool = True, hits: bool = True) -> Judged:
    rng = random.Random(seed)
    chunks = [(d, 10 * i, 10 * i + 14, rng.randint(1, 20)) for d in "abcd" for i in range(8)]
    found = {q: rng.sample(range(len(chunks)), rng.randint(0, 9)) for q in range(12)} if hits else {}
    gold = []
    for q in range(1, 12):  # nobody judged query 0; query 11 has no positive judgment
        for d in rng.sample("abcd", 2):
            s = rng.randint(0, 70)
            gold.append(
                (q, d, *((s, s + rng.randint(1, 30)) if spans else (None, None)), 0 if q == 11 else 1)
            )
    return case(chunks, found, gold, 12, (1, 1))


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_is_one_component_named_as_its_file(name: str) -> None:
    family = _family(name)
    assert isinstance(family, Component)
    assert family.name == name
    assert family.version >= 1
    assert Path(inspect.getfile(type(family))).read_text(encoding="utf-8").startswith('"""')
    assert _measures(family, spans=True), "no measure of its YAML is of this family"


@pytest.mark.parametrize("text", MEASURES)
def test_a_measure_is_of_one_family(text: str) -> None:
    assert sum(f.accepts(parse_measure(text)) for f in families(FAMILIES)) == 1


@pytest.mark.parametrize("spans", [True, False])
@pytest.mark.parametrize("name", FAMILIES)
def test_one_finite_value_per_judged_query_and_measure(name: str, spans: bool) -> None:
    family, judged = _family(name), _judged(spans=spans)
    measures = _measures(family, spans=spans)
    if not measures:
        return
    frame = family.values(measures, judged)
    assert frame.columns == ["query", "measure", "value"]
    assert frame.schema["query"] == judged.judgments.schema["query"]
    assert sorted(frame["query"].unique()) == list(range(1, 11))
    assert frame.height == 10 * len(measures) == frame.select("query", "measure").n_unique()
    assert set(frame["measure"]) == {m.text for m in measures}
    assert frame["value"].is_finite().all()
    assert frame["value"].min() >= 0
    assert frame.filter(~pl.col("measure").str.starts_with("Tokens"))["value"].le(1).all()


@pytest.mark.parametrize("spans", [True, False])
@pytest.mark.parametrize("name", FAMILIES)
def test_without_hits_all_is_zero_but_what_asks_no_ranking(name: str, spans: bool) -> None:
    family, judged = _family(name), _judged(spans=spans, hits=False)
    measures = [m for m in _measures(family, spans=spans) if not m.name.endswith("PΩ")]
    if measures:
        frame = family.values(measures, judged)
        assert frame.height == 10 * len(measures)
        assert frame["value"].to_list() == [0.0] * frame.height


@pytest.mark.parametrize("name", FAMILIES)
def test_values_depend_on_nothing_but_what_is_judged(name: str) -> None:
    """Neither order of judgments and windows, nor integer types, nor which other measures are asked."""
    family, judged = _family(name), _judged(3)
    measures = _measures(family, spans=True)
    wide = [pl.col("query", "chunk").cast(pl.Int64)]
    other = Judged(
        judged.n_queries,
        Ranking(judged.ranking.frame.with_columns(*wide)),
        judged.expansion.with_columns(*wide).reverse(),
        judged.chunks.with_columns(pl.col("start", "end", "tokens").cast(pl.UInt32)),
        judged.judgments.reverse(),
        judged.doc_ids,
    )
    right = family.values(measures, judged)
    assert family.values(measures, other).equals(right)
    for i, m in enumerate(measures):
        assert family.values([m], judged).equals(right.slice(10 * i, 10))


@pytest.mark.parametrize("name", FAMILIES)
def test_a_better_first_hit_never_lowers_a_value(name: str) -> None:
    """Whole gold in one chunk, found or not: the run that finds it is not below the one that does not."""
    chunks = [("a", 0, 50, 5), ("b", 0, 50, 5)]
    family = _family(name)
    measures = [m for m in _measures(family, spans=True) if m.name not in {"Tokens", "Judged"}]
    good, bad = (
        family.values(measures, case(chunks, {0: hits}, [(0, "b", 10, 20, 1)], 1))["value"]
        for hits in ([1], [0])
    )
    assert (good >= bad).all()


@pytest.mark.parametrize("path", CONF, ids=lambda p: p.stem)
def test_a_yaml_of_the_group_is_a_valid_choice(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# ")
    chosen = registry.parse("metrics", yaml.safe_load(text))
    assert isinstance(chosen, Metrics)
    assert chosen.name == path.stem
    assert path.stem in FAMILIES


def test_every_family_has_a_yaml() -> None:
    assert {p.stem for p in CONF} == set(registry.built_in("metrics"))


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        ([], "at least one"),
        (["nDCG@10", "nDCG@10"], "twice"),
        (["SpamR@5"], "no family of measures knows 'SpamR@5'"),
        (["SpanR@5t+"], "over the expanded context already"),
        (["SpanR@0"], "is no measure"),
        (["SpanR @5"], "is no measure"),
    ],
)
def test_a_wrong_choice_says_what_is_wrong(measures: list[str], message: str) -> None:
    with pytest.raises(RequestError, match=r"metrics\.measures") as caught:
        registry.parse("metrics", {"name": "span", "measures": measures})
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("SpanR@5", Measure("SpanR@5", "SpanR", cutoff=5)),
        ("SpanR@5+", Measure("SpanR@5+", "SpanR", cutoff=5, expanded=True)),
        ("SpanR@1500t", Measure("SpanR@1500t", "SpanR", budget=1500, expanded=True)),
        ("ChromaPΩ", Measure("ChromaPΩ", "ChromaPΩ")),
        ("nDCG(dcg='exp-log2')@10", Measure("nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')", cutoff=10)),
    ],
)
def test_the_grammar_of_names(text: str, right: Measure) -> None:
    assert parse_measure(text) == right
