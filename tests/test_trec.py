"""A46: `run.trec` judged by trec_eval's own code gives the measures that the run records, ties included."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import pytrec_eval
from helpers import Raw, done, tiny

from runner.runs import Run

Qrels = dict[str, dict[str, int]]
NAMES = {
    "nDCG@10": "ndcg_cut_10",
    "RR@10": "recip_rank",
    "AP@10": "map_cut_10",
    "R@10": "recall_10",
    "P@5": "P_5",
}


def _trec(run: Run) -> dict[str, dict[str, float]]:
    """The run as an outside tool reads it: query, Q0, document, rank, score, tag."""
    out: dict[str, dict[str, float]] = {}
    for line in (run.path / "run.trec").read_text("utf-8").splitlines():
        query, q0, chunk, rank, score, tag = line.split(" ")
        assert q0 == "Q0"
        assert tag == run.short
        out.setdefault(query, {})[chunk] = float(score)
        assert int(rank) == len(out[query])
    return out


def _judged(run: Run, qrels: Qrels, found: dict[str, dict[str, float]]) -> dict[tuple[str, str], float]:
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels,
        {n.replace("cut_10", "cut.10").replace("_10", ".10").replace("P_5", "P.5") for n in NAMES.values()},
    )
    scored = evaluator.evaluate(found)
    return {(q, m): scored.get(q, {}).get(n, 0.0) for q in qrels for m, n in NAMES.items()}


def _recorded(run: Run) -> dict[tuple[str, str], Any]:
    return {(q, m): pytest.approx(v, abs=1e-9) for q, m, v in run.table("measures").iter_rows()}


def _metrics() -> Raw:
    return {"name": "rank", "measures": list(NAMES)}


def _corpus(seed: int, n: int = 40) -> dict[str, list[dict[str, Any]]]:
    """Documents of few words, many of them equal, so that most scores are tied; graded gold by document."""
    draw = random.Random(seed)
    words = ["owl", "bat", "fox", "elk"]
    documents = [
        {"doc_id": f"d{i:02}", "text": " ".join(draw.choice(words) for _ in range(draw.choice([2, 2, 3])))}
        for i in draw.sample(range(n), n)
    ]
    queries = [{"query_id": f"q{i}", "text": " ".join(draw.sample(words, 2))} for i in range(8)]
    queries.append({"query_id": "q8", "text": "nothing"})
    gold = [
        {"query_id": q["query_id"], "doc_id": d["doc_id"], "grade": draw.randint(0, 3)}
        for q in queries
        for d in draw.sample(documents, 9)
    ]
    return {"documents": documents, "queries": queries, "gold": gold}


@pytest.mark.parametrize(
    "changes",
    [
        {"retrieval": "bm25"},
        {"retrieval": "vector"},
        {"fusion": "rrf"},
        {"fusion": "bonus"},
        {"retrieval": "bm25", "reranker": {"name": "overlap", "pool": 4, "on_error": "raise"}},
    ],
    ids=str,
)
@pytest.mark.parametrize("seed", [1, 2])
def test_a46_documents_as_trec_eval_judges_them(seed: int, changes: dict[str, Any], tmp_path: Path) -> None:
    corpus = _corpus(seed)
    data = tiny(tmp_path / "data", **corpus)
    run = done(data, tmp_path / "out", strategy="document", metrics=_metrics(), top_k=10, **changes)
    found = {q: {c.partition("#")[0]: s for c, s in rows.items()} for q, rows in _trec(run).items()}
    qrels: Qrels = {}
    for row in corpus["gold"]:
        qrels.setdefault(row["query_id"], {})[row["doc_id"]] = row["grade"]
    assert _judged(run, qrels, found) == _recorded(run)
    hits = run.table("candidates").filter(fate="hit")
    if changes.get("fusion") != "rrf":  # a case without ties would prove nothing
        assert hits.select("query_id", "final_score").is_duplicated().any()


def test_a46_chunks_as_trec_eval_judges_them(tmp_path: Path) -> None:
    """With span gold the unit is the chunk: relevant where it shares a character with a gold span."""
    run = done(tiny(tmp_path / "data"), tmp_path / "out", metrics=_metrics(), top_k=10, neighbor_next=1)
    qrels: Qrels = {q: {} for q in run.judgments["query_id"]}
    for query, doc, start, end, _ in run.judgments.iter_rows():
        for chunk in run.chunks.to_dicts():
            if chunk["doc_id"] == doc and chunk["start"] < end and start < chunk["end"]:
                qrels[query][chunk["chunk_id"]] = 1
    assert _judged(run, qrels, _trec(run)) == _recorded(run)


def test_a46_ids_with_white_space_keep_the_lines_whole(tmp_path: Path) -> None:
    documents = [{"doc_id": "a b/c\td.md", "text": "owl bat"}, {"doc_id": "é#1", "text": "owl fox"}]
    queries = [{"query_id": "q 1", "text": "owl"}]
    gold = [{"query_id": "q 1", "doc_id": "é#1"}]
    data = tiny(tmp_path / "data", documents=documents, queries=queries, gold=gold)
    run = done(data, tmp_path / "out", retrieval="bm25", strategy="document", metrics=_metrics())
    assert list(_trec(run)) == ["q%201"]
    assert list(_trec(run)["q%201"]) == ["a%20b/c%20d.md#0000", "é#1#0000"]


def test_a46_tied_scores_are_exported_in_our_order(tmp_path: Path) -> None:
    """d1, d2, d3 tie and d3 is gold: RR 1/3 as shown, where trec_eval on the raw scores would say 1."""
    documents = [{"doc_id": f"d{i}", "text": "owl"} for i in (1, 2, 3)]
    data = tiny(
        tmp_path / "data", documents=documents, queries=[{"query_id": "q", "text": "owl"}],
        gold=[{"query_id": "q", "doc_id": "d3"}],
    )  # fmt: skip
    run = done(data, tmp_path / "out", retrieval="bm25", strategy="document", metrics=_metrics())
    found = {q: {c.partition("#")[0]: s for c, s in rows.items()} for q, rows in _trec(run).items()}
    assert len(set(found["q"].values())) == 3
    judged = _judged(run, {"q": {"d3": 1}}, found)
    assert judged["q", "RR@10"] == pytest.approx(1 / 3)
    assert judged["q", "nDCG@10"] == pytest.approx(1 / 2)
    assert judged == _recorded(run)
    tied = {"q": dict.fromkeys(("d1", "d2", "d3"), 1.0)}
    assert _judged(run, {"q": {"d3": 1}}, tied)["q", "RR@10"] == 1.0
