"""`export --format trec`: both files by hand, and judged by ir_measures they give what the run recorded."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import helpers
import ir_measures
import pytest
from dataset.native_folders import Rows

from runner.errors import DataError
from runner.export.trec import trec
from runner.runs import Run

NAMES = ["nDCG@3", "RR@10", "AP@10", "R@3", "P@2", "Success@1"]
METRICS = {"name": "rank", "measures": NAMES}


def _judged(folder: Path) -> dict[str, float]:
    """The means that an outside tool computes from the two files; queries without a hit count as 0."""
    qrels = list(ir_measures.read_trec_qrels(str(folder / "qrels.txt")))
    run = list(ir_measures.read_trec_run(str(folder / "run.trec")))
    measures = [ir_measures.parse_measure(n) for n in NAMES]
    return {str(m): v for m, v in ir_measures.calc_aggregate(measures, qrels, run).items()}


def _recorded(run: Run) -> dict[str, Any]:
    return {m["measure"]: pytest.approx(m["mean"], abs=1e-9) for m in run.measures}


def _run(tmp_path: Path, data: dict[str, Rows] | None = None, **changes: Any) -> Run:
    made = helpers.tiny(tmp_path / "data", **(data or {}))
    return helpers.done(made, tmp_path / "out", **{"metrics": METRICS, "top_k": 10, **changes})


def test_span_gold_by_hand(tmp_path: Path) -> None:
    """Windows of four words.

    `finch magpie` is in the second window of birds, `raven swift linnet` begins there and ends in the third;
    `copper zinc` begins metals; `copper` ends trees, `birch` stands in it.
    """
    run = _run(tmp_path)
    said = trec(run, tmp_path / "t")
    assert (tmp_path / "t" / "run.trec").read_bytes() == (run.path / "run.trec").read_bytes()
    assert (tmp_path / "t" / "qrels.txt").read_text("utf-8").splitlines() == [
        "q1 0 birds#0001 1", "q2 0 metals#0000 1", "q2 0 trees#0000 1", "q3 0 trees#0000 1",
        "q5 0 birds#0001 1", "q5 0 birds#0002 1",
    ]  # fmt: skip
    assert (said["unit"], said["queries"], said["judgments"]) == ("chunk", 4, 6)
    assert _judged(tmp_path / "t") == _recorded(run)


def test_document_gold_by_hand(tmp_path: Path) -> None:
    """A document stands at its best chunk; ranks are counted again, scores stay. q4 has no relevant document.

    BM25 of q5 (`osprey raven titanium`): birds#0000, birds#0001 and metals#0001, all alike.
    """
    gold = [
        {"query_id": "q5", "doc_id": "metals", "grade": 2},
        {"query_id": "q5", "doc_id": "trees", "grade": 0},
        {"query_id": "q4", "doc_id": "trees", "grade": 0},
        {"query_id": "q3", "doc_id": "trees"},
    ]
    run = _run(tmp_path, {"gold": gold}, retrieval="bm25")
    assert trec(run, tmp_path / "t")["unit"] == "document"
    lines = [x.split(" ") for x in (run.path / "run.trec").read_text("utf-8").splitlines()]
    assert [x[2] for x in lines if x[0] == "q5"] == ["birds#0000", "birds#0001", "metals#0001"]
    score = {x[2]: x[4] for x in lines if x[0] == "q5"}
    found = (tmp_path / "t" / "run.trec").read_text("utf-8").splitlines()
    assert [x for x in found if x.startswith("q5")] == [
        f"q5 Q0 birds 1 {score['birds#0000']} {run.short}",
        f"q5 Q0 metals 2 {score['metals#0001']} {run.short}",
    ]
    qrels = (tmp_path / "t" / "qrels.txt").read_text("utf-8").splitlines()
    assert qrels == ["q3 0 trees 1", "q5 0 metals 2", "q5 0 trees 0"]
    assert _judged(tmp_path / "t") == _recorded(run)
    assert _recorded(run)["RR@10"] == (0 + 1 / 2) / 2  # q3 finds nothing


def test_gold_that_no_chunk_meets_stays_in_the_ideal(tmp_path: Path) -> None:
    """A strategy that leaves gold out: `given` with one chunk, `heron kestrel`, loses [33, 45) of q1."""
    heron = {"query_id": "q1", "doc_id": "birds", "quote": "heron"}
    made = helpers.tiny(tmp_path / "data", gold=[*helpers.GOLD, heron])
    (made / "chunks.jsonl").write_text('{"doc_id": "birds", "start": 0, "end": 13}\n', "utf-8")
    run = helpers.done(made, tmp_path / "out", metrics=METRICS, strategy="given")
    trec(run, tmp_path / "t")
    qrels = (tmp_path / "t" / "qrels.txt").read_text("utf-8").splitlines()
    assert qrels[:2] == ["q1 0 birds#0000 1", "q1 0 birds[33,45) 1"]
    assert _judged(tmp_path / "t") == _recorded(run)


def test_parents_are_one_unit(tmp_path: Path) -> None:
    """`q` finds windows 1 and 2 of the first section: one unit, called by its window 0."""
    data: dict[str, Rows] = {
        "documents": [{"doc_id": "a", "text": "# A\nred green red blue\n# B\nblue pink gray teal\n"}],
        "queries": [{"query_id": "q", "text": "red"}, {"query_id": "r", "text": "gray"}],
        "gold": [{"query_id": q, "doc_id": "a", "quote": t} for q, t in (("q", "blue\n#"), ("r", "gray"))],
    }
    parent = {"name": "parent", "size": 2, "overlap": 0, "parent_unit": "section", "parent_size": 50}
    run = _run(tmp_path, data, strategy=parent, retrieval="bm25")
    trec(run, tmp_path / "t")
    found = (tmp_path / "t" / "run.trec").read_text("utf-8").splitlines()
    assert [x.split(" ")[:4] for x in found] == [["q", "Q0", "a#0000", "1"], ["r", "Q0", "a#0003", "1"]]
    assert (tmp_path / "t" / "qrels.txt").read_text("utf-8").splitlines() == [
        "q 0 a#0000 1", "q 0 a#0003 1", "r 0 a#0003 1",
    ]  # fmt: skip
    assert _judged(tmp_path / "t") == _recorded(run)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("spans", [True, False])
def test_the_files_give_the_recorded_measures(seed: int, spans: bool, tmp_path: Path) -> None:
    """Few different words, so most scores are tied; graded gold, some of it overlapping, some negative."""
    draw = random.Random(seed)
    words = ["owl", "bat", "fox", "elk", "emu"]
    texts = {f"d {i}": " ".join(draw.choices(words, k=draw.randint(3, 20))) for i in range(12)}
    queries = [{"query_id": f"q\t{i}", "text": " ".join(draw.sample(words, 2))} for i in range(9)]
    gold: Rows = []
    for q in queries:
        for doc in draw.sample(list(texts), 5):
            grade = draw.randint(0, 3)
            if spans:
                for start in draw.sample(range(len(texts[doc]) - 5), 2):
                    end = start + draw.randint(1, 5)
                    span = {"doc_id": doc, "start": start, "end": end, "grade": draw.randint(0, 3)}
                    gold.append({**q, **span})
            else:
                gold.append({**q, "doc_id": doc, "grade": grade})
    for row in gold:
        row.pop("text")
    documents = [{"doc_id": d, "text": t} for d, t in texts.items()]
    data: dict[str, Rows] = {"documents": documents, "queries": queries, "gold": gold}
    run = _run(tmp_path, data, strategy__overlap=2)
    trec(run, tmp_path / "t")
    assert _judged(tmp_path / "t") == _recorded(run)


def test_a_run_without_a_hit(tmp_path: Path) -> None:
    data: dict[str, Rows] = {
        "queries": [{"query_id": "q3", "text": "xylophone"}],
        "gold": [helpers.GOLD[3]],
    }
    run = _run(tmp_path, data, retrieval="bm25")
    assert trec(run, tmp_path / "t")["hits"] == 0
    assert (tmp_path / "t" / "run.trec").read_bytes() == b""
    assert (tmp_path / "t" / "qrels.txt").read_text("utf-8") == "q3 0 trees#0000 1\n"


def test_ids_that_would_become_one_are_refused(tmp_path: Path) -> None:
    documents = [{"doc_id": "a b", "text": "owl"}, {"doc_id": "a%20b", "text": "bat"}]
    data: dict[str, Rows] = {
        "documents": documents,
        "queries": [{"query_id": "q", "text": "owl"}],
        "gold": [{"query_id": "q", "doc_id": "a b"}],
    }
    run = _run(tmp_path, data)
    with pytest.raises(DataError, match="differ in white space alone"):
        trec(run, tmp_path / "t")
    assert not (tmp_path / "t").exists()
