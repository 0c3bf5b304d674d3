"""What every data set promises, asked of each file in runner/dataset, so that a new one is tested at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import helpers
import polars as pl
import pytest
import yaml

from runner import tables
from runner.config import Component
from runner.dataset import stage
from runner.dataset.contract import Corpus, Dataset
from runner.errors import RequestError
from runner.records import Document, Judgment, Query
from runner.registry import as_contract, built_in, component_class, names, parse

CONF = Path(__file__).resolve().parents[2] / "conf" / "dataset"
NAMES, OURS = names("dataset"), built_in("dataset")
RECORDS = {"documents": Document, "queries": Query, "judgments": Judgment}


def _lines(path: Path, *rows: dict[str, Any]) -> None:
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")


def _native(at: Path) -> Path:
    _lines(at / "documents.jsonl", {"doc_id": "b", "text": "two"}, {"doc_id": "a", "text": "one 😀"})
    _lines(at / "queries.jsonl", {"query_id": "q2", "text": "?"}, {"query_id": "q1", "text": "!"})
    _lines(at / "gold.jsonl", {"query_id": "q1", "doc_id": "a", "quote": "😀"})
    return at


def _beir(at: Path) -> Path:
    _lines(at / "corpus.jsonl", {"_id": "b", "title": "t", "text": "two"}, {"_id": "a", "text": "one"})
    _lines(at / "queries.jsonl", {"_id": "q2", "text": "?"}, {"_id": "q1", "text": "!"})
    (at / "qrels").mkdir()
    (at / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq2\tb\t1\nq1\ta\t2\n")
    return at


def _squad(at: Path) -> Path:
    asked = {"id": "q", "question": "?", "answers": [{"text": "two", "answer_start": 4}]}
    data = [{"title": "t", "paragraphs": [{"context": "one two", "qas": [asked]}]}]
    (at / "s.json").write_text(json.dumps({"data": data}))
    return at / "s.json"


SMALL: dict[str, Callable[[Path], Path]] = {"native": _native, "beir": _beir, "squad": _squad}
"""Made-up data for those that have no path of their own; the others are asked about their real data."""


def settings_of(name: str, at: Path) -> dict[str, Any]:
    raw = helpers.choice("dataset", name)
    return raw | ({"path": str(SMALL[name](at))} if name in SMALL else {})


@pytest.fixture(params=NAMES)
def dataset(request: pytest.FixtureRequest, tmp_path: Path) -> Component:
    """The data set of each YAML file; skipped, saying how to mend it, where its data are not there."""
    component = parse("dataset", settings_of(request.param, tmp_path))
    try:
        as_contract(component, Dataset).sources()
    except RequestError as e:
        pytest.skip(f"real data needed: {e}")
    return component


@pytest.fixture
def corpus(dataset: Component) -> Corpus:
    return as_contract(dataset, Dataset).load()


@pytest.mark.parametrize("name", OURS)
def test_the_yaml_writes_out_every_field_with_its_default(name: str) -> None:
    text = (CONF / f"{name}.yaml").read_text(encoding="utf-8")
    raw = yaml.safe_load(text)
    raw.pop("defaults", None)  # what it chooses in other groups
    fields = component_class("dataset", name).model_fields
    assert text.startswith("# ")
    assert next(iter(raw)) == "name"
    assert raw["name"] == name == fields["name"].default
    assert set(raw) == set(fields)
    for key, field in fields.items():
        assert raw[key] == ("???" if field.is_required() else field.default)


def test_no_yaml_without_a_component() -> None:
    assert sorted(p.stem for p in CONF.glob("*.yaml")) == list(OURS)


def test_frames_have_the_columns_of_the_records(corpus: Corpus) -> None:
    for part, record in RECORDS.items():
        assert dict(getattr(corpus, part).schema) == tables.schema(record)


def test_frames_are_sorted_and_ids_are_unique(corpus: Corpus) -> None:
    assert corpus.documents["doc_id"].to_list() == sorted(set(corpus.documents["doc_id"].to_list()))
    assert corpus.queries["query_id"].to_list() == sorted(set(corpus.queries["query_id"].to_list()))
    assert corpus.judgments.equals(corpus.judgments.sort(corpus.judgments.columns))
    assert not corpus.judgments.select("query_id", "doc_id", "start", "end").is_duplicated().any()


def test_judgments_are_of_one_form_and_point_at_what_is_there(corpus: Corpus) -> None:
    lengths = corpus.documents.select("doc_id", n=pl.col("text").str.len_chars().cast(pl.Int64))
    judged = corpus.judgments.join(lengths, on="doc_id", how="left")
    assert judged["n"].null_count() == 0
    assert judged["query_id"].is_in(corpus.queries["query_id"].to_list()).all()
    spans = judged.filter(pl.col("start").is_not_null())
    assert len(spans) in (0, len(judged))
    assert spans.filter(
        (pl.col("start") < 0) | (pl.col("start") >= pl.col("end")) | (pl.col("end") > pl.col("n"))
    ).is_empty()


def test_nothing_is_blank_and_metadata_is_canonical(corpus: Corpus) -> None:
    for text in [*corpus.documents["text"], *corpus.queries["text"]]:
        assert text.strip()
    for raw in corpus.documents["metadata"].unique():
        value = json.loads(raw)
        assert isinstance(value, dict)
        assert raw == json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def test_sources_are_files_in_a_fixed_order(dataset: Component) -> None:
    sources = as_contract(dataset, Dataset).sources()
    assert sources == as_contract(dataset, Dataset).sources()
    assert len(set(sources)) == len(sources)
    assert all(p.is_file() for p in sources)


def test_loading_twice_is_loading_once_and_packing_loses_nothing(
    dataset: Component, corpus: Corpus, tmp_path: Path
) -> None:
    prints = stage.fingerprints(corpus)
    assert stage.fingerprints(as_contract(dataset, Dataset).load()) == prints
    stage.pack(corpus, tmp_path / "packed")
    back = stage.unpack(tmp_path / "packed")
    assert stage.fingerprints(back) == prints
    assert back.rejected == corpus.rejected


def test_the_source_key_moves_with_every_choice(dataset: Component) -> None:
    keys = [stage.source_key(dataset)]
    for field, info in type(dataset).model_fields.items():
        values: list[Any] = [True, False] if info.annotation is bool else list(get_args(info.annotation))
        others = [v for v in values if v != getattr(dataset, field)]
        if field != "language":  # which picks another file
            keys += [stage.source_key(dataset.model_copy(update={field: v})) for v in others]
    assert len(set(keys)) == len(keys) > 1


@pytest.mark.parametrize("name", [n for n in NAMES if n not in SMALL and n != "guide"])
def test_data_that_are_not_there_are_a_request_error(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUNNER_DATA", str(tmp_path))
    with pytest.raises(RequestError, match="RUNNER_DATA"):
        as_contract(parse("dataset", {"name": name}), Dataset).load()
