"""The embedding stage: what the model is given, what it may not give back, when it is asked again."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from embedding.spy import Spy
from helpers import DOCUMENTS, QUERIES, config, done, session, tiny

from runner import encoding, pipeline
from runner.embedding.contract import Encoded
from runner.embedding.stage import audit, audited, checked, inputs
from runner.errors import ComponentError
from runner.keyring import keyring
from runner.parts import parts
from runner.store import Store
from runner.vectors import Rows

LINE = "Acme, Beta | Acme —owns→ Gamma; Beta —in→ Delta"
"""A header, as enrichment gives it."""


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    Spy.fresh()
    yield
    Spy.fresh()


def test_inputs_are_prompt_header_line_break_text() -> None:
    assert inputs(["cats", ""], "") == ["cats", ""]
    assert inputs(["cats"], "passage: ") == ["passage: cats"]
    assert inputs(["cats", "dogs"], "passage: ", [LINE, ""]) == [f"passage: {LINE}\ncats", "passage: dogs"]


def test_a_header_for_each_text() -> None:
    with pytest.raises(ValueError, match="zip"):
        inputs(["cats", "dogs"], "", [LINE])


def _counts(total: list[int], read: list[int]) -> Rows:
    return Rows(np.zeros((len(total), 1), np.float32), np.array(total, np.int32), np.array(read, np.int32))


def test_a41_what_a_header_pushes_out() -> None:
    """A model that reads 254 tokens, a prompt of 2, chunks of 200, 300 and 200; headers of 240 and 60.

    Without headers it would read 200, 252 and 200 of the chunks.
    """
    found = _counts([2 + 240 + 200, 2 + 60 + 300, 2 + 200], [254, 254, 202])
    plain = np.array([2, 202, 302, 202], np.int32)
    got = audit(found, plain, ["header", "header", ""])
    assert got.rows() == [(240, 12, 200 - 12), (60, 192, 252 - 192), (0, 200, 0)]
    assert audited(got) == {
        "header_tokens": 300, "own_tokens_embedded": 12 + 192 + 200, "own_tokens_pushed_out": 188 + 60,
        "chunks_truncated_by_header": 2,
    }  # fmt: skip


def test_a41_a_header_longer_than_the_model_reads_leaves_nothing_of_the_chunk() -> None:
    got = audit(_counts([300 + 50], [254]), np.array([0, 50], np.int32), ["header"])
    assert got.rows() == [(300, 0, 50)]


def test_a41_what_is_not_counted_is_not_said() -> None:
    got = audit(_counts([10, 10], [10, 10]), None, ["header", ""])
    assert got.rows() == [(None, None, None)] * 2
    assert set(audited(got).values()) == {None}


def _encoded(rows: Sequence[Sequence[float]], dtype: type = np.float32) -> Encoded:
    tokens = np.zeros(len(rows), np.int32)
    return Encoded(np.array(rows, dtype), tokens, tokens)


def test_unit_and_zero_rows_pass() -> None:
    good = _encoded([[0.6, 0.8], [0, 0], [1, 0]])
    assert checked(["a", "b", "c"], good, "m") is good


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a21_nan_and_infinity_are_refused_and_the_text_is_named(bad: float) -> None:
    with pytest.raises(ComponentError, match="embedding m: NaN or infinity in the vector of 'the bad one'"):
        checked(["fine", "the bad one", "c"], _encoded([[1, 0], [bad, 0], [1, 0]]), "m")


@pytest.mark.parametrize(
    ("rows", "dtype", "message"),
    [
        ([[1, 0], [3, 4]], np.float32, "vector of length 5.0000 for 'b'"),
        ([[1, 0], [0.5, 0]], np.float32, "vector of length 0.5000 for 'b'"),
        ([[1, 0]], np.float32, r"gave float32 \(1, 2\) for 2 texts"),
        ([[1, 0], [0, 1]], np.float64, r"gave float64 \(2, 2\) for 2 texts"),
        ([1, 0], np.float32, r"gave float32 \(2,\) for 2 texts"),
    ],
)
def test_a20_a_vector_that_is_no_unit_row_is_refused(rows: Any, dtype: type, message: str) -> None:
    with pytest.raises(ComponentError, match=message):
        checked(["a", "b"], _encoded(rows, dtype), "m")


def _run(data: Path, outputs: Path, **settings: Any) -> pipeline.Outcome:
    chosen = config(data, embedding=Spy(**settings), retrieval="vector", strategy="document")
    return pipeline.run(chosen, session(outputs))


def test_a19_each_text_is_given_with_its_prompt_once(tmp_path: Path) -> None:
    cats = [{"doc_id": "d", "text": "cats"}]
    gold = [{"query_id": "q", "doc_id": "d", "quote": "cats"}]
    data = tiny(tmp_path / "data", documents=cats, queries=[{"query_id": "q", "text": "cats"}], gold=gold)
    _run(data, tmp_path / "out", query_prompt="query: ", document_prompt="passage: ")
    assert Spy.asked == ["passage: cats", "query: cats"]
    _run(data, tmp_path / "out", query_prompt="query: ", document_prompt="document: ")
    assert Spy.asked == ["passage: cats", "query: cats", "document: cats"]  # only the passage is new


def test_a19_prompts_are_in_the_record(tmp_path: Path) -> None:
    chosen = Spy(query_prompt="query: ", document_prompt="passage: ")
    run = done(tiny(tmp_path / "data"), tmp_path / "out", embedding=chosen)
    assert run.config["embedding"]["query_prompt"] == "query: "
    assert run.config["embedding"]["document_prompt"] == "passage: "


def test_a22_whatever_moves_a_vector_is_in_its_key(tmp_path: Path) -> None:
    """One text for two models of equal width; then another prompt, not normalised, less length, a header."""
    here = session(tmp_path / "out")
    text = "cats"
    asked: list[tuple[Spy, str]] = [
        (Spy(), text),
        (Spy(model="m2"), text),
        (Spy(document_prompt="passage: "), inputs([text], "passage: ")[0]),
        (Spy(normalize=False), text),
        (Spy(max_length=128), text),
        (Spy(), inputs([text], "", [LINE])[0]),
        (Spy(), text),
    ]
    fresh = []
    for spy, wanted in asked:
        p = parts(config(tiny(tmp_path / "data"), embedding=spy))
        before = len(Spy.asked)
        encoding.embed(p, here, [wanted])
        fresh.append(len(Spy.asked) - before)
    assert fresh == [1, 1, 1, 1, 1, 1, 0]
    keys = {
        keyring(parts(config(tmp_path / "data", embedding=s)), here).embedding
        for s in (
            Spy(),
            Spy(model="m2"),
            Spy(document_prompt="p: "),
            Spy(normalize=False),
            Spy(max_length=128),
        )
    }
    assert len(keys) == 5


def test_a21_nothing_of_a_batch_with_nan_is_kept(tmp_path: Path) -> None:
    data = tiny(tmp_path / "data")
    bad = DOCUMENTS[1]["text"]
    Spy.answers[bad] = [math.nan, 0.0]
    with pytest.raises(ComponentError, match=f"NaN or infinity in the vector of '{bad[:40]}"):
        _run(data, tmp_path / "out")
    stored = [stage for stage, _, _ in Store(tmp_path / "out" / "store").artifacts()]
    assert "vectors" not in stored
    assert not (tmp_path / "out" / "runs").is_dir()
    Spy.answers.clear()
    assert not _run(data, tmp_path / "out").found


def test_a21_zero_vectors_are_flagged_and_give_no_hits_to_a_query(tmp_path: Path) -> None:
    data = tiny(tmp_path / "data")
    Spy.answers.update({DOCUMENTS[0]["text"]: [0.0, 0.0], DOCUMENTS[1]["text"]: [1.0, 0.0]})
    Spy.answers.update({QUERIES[0]["text"]: [1.0, 0.0], QUERIES[1]["text"]: [0.0, 0.0]})
    run = done(data, tmp_path / "out", embedding=Spy(), retrieval="vector", strategy="document")
    q1 = run.table("candidates").filter(query_id="q1")
    assert dict(q1.select("chunk_id", "vector_score").iter_rows())["birds#0000"] == 0.0
    assert dict(q1.select("chunk_id", "vector_score").iter_rows())["metals#0000"] == 1.0
    assert run.table("candidates").filter(query_id="q2").height == 0
    reasons = dict(run.table("queries").select("query_id", "reasons").iter_rows())
    assert reasons["q2"] == "vector: zero vector"
    assert "1 chunks have the zero vector: their similarity is 0 to any query" in run.meta["warnings"]


def test_a18_a_truncated_chunk_is_counted_and_warned_of(tmp_path: Path) -> None:
    """The spy reads five words; the three texts have twelve, eight and four."""
    run = done(tiny(tmp_path / "data"), tmp_path / "out", embedding=Spy(), strategy="document")
    (stage,) = (s for s in run.meta["stages"] if s["stage"] == "embedding")
    assert (stage["tokens_total"], stage["tokens_embedded"], stage["truncated"]) == (24, 14, 2)
    assert any("did not read the end of 2 of 3 chunks (67%)" in w for w in run.meta["warnings"])
    folder = tmp_path / "out" / "store" / "embedding" / run.meta["keys"]["embedding"]
    rows = pl.read_parquet(folder / "embedding.parquet")
    assert rows.drop("input_key").rows() == [
        ("birds#0000", 12, 5, True), ("metals#0000", 8, 5, True), ("trees#0000", 4, 4, False),
    ]  # fmt: skip


def test_a_killed_run_keeps_every_finished_segment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "_SLICE", 2)
    data = tiny(tmp_path / "data")
    last = QUERIES[-1]["text"]
    Spy.answers[last] = [math.inf, 0.0]
    with pytest.raises(ComponentError):
        _run(data, tmp_path / "out")
    first = len(Spy.asked)
    Spy.answers.clear()
    _run(data, tmp_path / "out")
    assert first == 8  # three documents and five queries, two at a time
    assert Spy.asked[first:] == [QUERIES[-2]["text"], last]
