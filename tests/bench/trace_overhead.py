"""What tracing costs: a BM25 run over SciFact, index cached, against bare bm25s retrieval plus ir-measures.

Usage: python tests/bench/trace_overhead.py [--repeat 9]   (needs RUNNER_DATA or ../shared/data)

Both sides are timed in turns in one process, start-up and imports left out. The bare side loads its saved
index, tokenizes the queries, retrieves to depth 100, makes dictionaries and computes nDCG@10 and R@100. Our
side
starts a new session, loads the cached data set and index, searches, fuses, cuts, expands, judges, checks
conservation
and publishes the whole run folder.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from runner import artifacts, registry
from runner.config import Runtime
from runner.keyring import keyring
from runner.parts import parts
from runner.pipeline import run
from runner.session import Session

CONFIG: dict[str, Any] = {
    "dataset": {"name": "scifact"},
    "tokenizer": {"name": "words"},
    "strategy": {"name": "document"},
    "kg": {"name": "given"},
    "enrichment": {"name": "none"},
    "embedding": {"name": "hashing"},
    "retrieval": {"name": "bm25", "legs": {"bm25": {"depth": 100}}},
    "fusion": {"name": "bonus"},
    "reranker": {"name": "none"},
    "metrics": {"name": "rank", "measures": ["nDCG@10", "R@100"]},
    "top_k": 100,
}


Qrels = dict[str, dict[str, int]]


def bare(folder: Path, queries: list[tuple[str, str]], qrels: Qrels, ids: list[str]) -> float:
    """Seconds of the bare libraries for the same question."""
    import bm25s
    import ir_measures
    import Stemmer

    start = time.perf_counter()
    model = bm25s.BM25.load(folder, mmap=False)
    asked = bm25s.tokenize(
        [t for _, t in queries], stopwords="en", stemmer=Stemmer.Stemmer("english"), show_progress=False
    )
    found, scores = model.retrieve(asked, k=100, show_progress=False)
    hits = {
        q: {ids[d]: float(s) for d, s in zip(ds, ss, strict=True) if s > 0}
        for (q, _), ds, ss in zip(queries, found.tolist(), scores.tolist(), strict=True)
    }
    ir_measures.calc_aggregate([ir_measures.nDCG @ 10, ir_measures.R @ 100], qrels, hits)
    return time.perf_counter() - start


def main() -> None:
    """Print the medians and their ratio."""
    import bm25s
    import Stemmer

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=9)
    repeat = parser.parse_args().repeat
    with tempfile.TemporaryDirectory() as temp:
        config, _ = registry.parse_run(CONFIG)
        runtime = Runtime(outputs=f"{temp}/outputs", progress=False)
        first = Session(runtime)
        p = parts(config)
        k = keyring(p, first)
        run(config, first)
        names = ("documents", "queries", "judgments")
        documents, asked, judgments = (artifacts.table(k, first, name) for name in names)
        model = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
        stem = Stemmer.Stemmer("english")
        texts = documents["text"].to_list()
        terms = bm25s.tokenize(texts, stopwords="en", stemmer=stem, show_progress=False)
        model.index(terms, show_progress=False)
        model.save(f"{temp}/bare")
        queries = list(asked.select("query_id", "text").iter_rows())
        ids = documents["doc_id"].to_list()
        qrels: dict[str, dict[str, int]] = {}
        for q, d, g in judgments.select("query_id", "doc_id", "grade").iter_rows():
            qrels.setdefault(q, {})[d] = g
        ours, theirs = [], []
        for turn in range(repeat + 1):
            shutil.rmtree(first.store.root / "legs")
            shutil.rmtree(first.outputs / "runs")
            session = Session(runtime)
            start = time.perf_counter()
            run(config, session)
            if turn:  # the first of each warms the imports
                ours.append(time.perf_counter() - start)
            seconds = bare(Path(temp) / "bare", queries, qrels, ids)
            if turn:
                theirs.append(seconds)
    a, b = statistics.median(ours), statistics.median(theirs)
    print(f"ours {a * 1e3:.1f} ms, bare {b * 1e3:.1f} ms, ratio {a / b:.2f} (medians of {repeat})")


if __name__ == "__main__":
    main()
