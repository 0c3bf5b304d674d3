"""`contextual_codebases`: the counts of its SOURCE.md, refusals, and the published Pass@k of BM25."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import helpers
import polars as pl
import pytest
from dataset.real import real

from runner import pipeline, registry
from runner.dataset.contextual_codebases import ContextualCodebases
from runner.errors import DataError
from runner.runs import Run


def write(at: Path, documents: Any, *questions: Any) -> ContextualCodebases:
    (at / "codebase_chunks.json").write_text(json.dumps(documents), encoding="utf-8")
    lines = "".join(json.dumps(q) + "\n" for q in questions)
    (at / "evaluation_set.slim.jsonl").write_text(lines, encoding="utf-8")
    return ContextualCodebases(path=str(at))


def entry(doc_id: str, *chunks: str) -> dict[str, Any]:
    numbered = [{"original_index": i, "content": c} for i, c in enumerate(chunks)]
    return {"doc_id": doc_id, "original_uuid": f"u-{doc_id}", "content": "".join(chunks), "chunks": numbered}


def test_chunks_tile_and_gold_is_their_span(tmp_path: Path) -> None:
    data = write(
        tmp_path,
        [entry("a", "one\n", "two\n", "one\n")],
        {"query": "Which?", "golden_chunk_uuids": [["u-a", 2], ["u-a", 0]]},
        {"query": "Which?", "golden_chunk_uuids": [["u-a", 1]]},
    )
    corpus = data.load()
    assert corpus.given is not None
    assert corpus.given.rows() == [("a", 0, 4), ("a", 4, 8), ("a", 8, 12)]
    assert corpus.queries["query_id"].to_list() == ["q001", "q002"]
    assert corpus.judgments.rows() == [
        ("q001", "a", 0, 4, 1), ("q001", "a", 8, 12, 1), ("q002", "a", 4, 8, 1),
    ]  # fmt: skip


def test_what_does_not_fit_is_refused_with_its_place(tmp_path: Path) -> None:
    torn = entry("b", "x", "y") | {"content": "xz"}
    jumbled = entry("c", "x", "y")
    jumbled["chunks"].reverse()
    data = write(
        tmp_path,
        [entry("a", "one"), torn, jumbled],
        {"query": "?", "golden_chunk_uuids": [["u-a", 1], ["u-z", 0], "u-a"]},
    )
    with pytest.raises(DataError) as caught:
        data.load()
    message = str(caught.value)
    for part in (
        "document 2: the chunks of 'b' are not its text cut up",
        "document 3: the chunks of 'c' are not numbered",
        "jsonl:1: there is no chunk 1 of the file 'u-a'",
        "jsonl:1: there is no chunk 0 of the file 'u-z'",
        "jsonl:1: expected a file digest and an index, found text ('u-a')",
    ):
        assert part in message, message


def test_counts_of_the_source() -> None:
    real("contextual_codebases")
    corpus = ContextualCodebases().load()
    assert corpus.given is not None
    assert (len(corpus.documents), len(corpus.given)) == (90, 737)
    assert (len(corpus.queries), len(corpus.judgments), corpus.rejected) == (248, 306, {})
    assert corpus.documents["text"].str.len_chars().sum() == 497_299
    assert corpus.given.select(pl.col("end") - pl.col("start")).sum().item() == 497_299
    assert corpus.given.select(pl.col("end") - pl.col("start")).max().item() == 3_898
    assert corpus.queries["text"].n_unique() == 246
    sizes = corpus.judgments.group_by("query_id").len()["len"].value_counts().sort("len").rows()
    assert sizes == [(1, 220), (2, 14), (3, 5), (4, 6), (6, 2), (7, 1)]
    texts = dict(corpus.documents.select("doc_id", "text").iter_rows())
    chunks = [texts[d][s:e].strip() for d, s, e in corpus.given.iter_rows()]
    assert len(chunks) - len(set(chunks)) == 14
    gold = corpus.judgments.select("doc_id", "start", "end").unique().rows()
    assert set(gold) <= set(corpus.given.rows())


def test_the_published_pass_at_k_of_bm25_is_recall_of_gold_chunks(tmp_path: Path) -> None:
    """Pass@k counts a gold chunk as found by its stripped text: 65.86, 76.77, 81.74; so does R@k here."""
    real("contextual_codebases")
    raw = helpers.raw(tmp_path, strategy="given", retrieval="bm25", dataset="contextual_codebases", top_k=20)
    raw["metrics"] = {"name": "rank", "measures": ["R@5", "R@10", "R@20"]}
    done = pipeline.run(registry.parse_run(raw)[0], helpers.session(tmp_path / "outputs"))
    run = Run(tmp_path / "outputs", done.run_key)
    assert [round(100 * m["mean"], 2) for m in run.measures] == [65.86, 76.77, 81.74]
    texts = dict(run.corpus("documents").select("doc_id", "text").iter_rows())
    text_of = {c: t.strip() for c, t in run.chunks.select("chunk_id", "text").iter_rows()}
    hits = run.table("candidates").filter(pl.col("fate") == "hit")
    for k, measured in zip((5, 10, 20), run.measures, strict=True):
        found = {
            q[0]: {text_of[c] for c in g["chunk_id"]}
            for q, g in hits.filter(pl.col("final_rank") <= k).group_by("query_id")
        }
        shares = [
            sum(texts[d][s:e].strip() in found.get(q[0], ()) for d, s, e in g.iter_rows()) / g.height
            for q, g in (
                (q, g.select("doc_id", "start", "end")) for q, g in run.judgments.group_by("query_id")
            )
        ]
        assert measured["mean"] == pytest.approx(sum(shares) / len(shares))
