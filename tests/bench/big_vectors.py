"""Exact and HNSW search over many vectors: our legs against bare NumPy and bare usearch, in the same process.

Usage: python tests/bench/big_vectors.py [--n 20000] [--queries 500] [--depth 10] [--dtype f16] [--repeat 3]

The vectors are seeded: unit rows of 384 dimensions around 2,000 centres. Bare: a blocked float32 product with
`argpartition`, and a usearch index with its own defaults, built by one thread. Ours: what a run does, so the
legs' search, exact rescoring in float64, ranks and ties in document order, and for `hnsw` the exact search of
every query that measures its recall.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from usearch.index import Index

from runner.retrieval.contract import Side
from runner.retrieval.hnsw import HNSW
from runner.retrieval.stage import LegHits, recall_facts, search
from runner.retrieval.vector import Vector

DIMENSIONS = 384
Rows = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


def vectors(n: int, seed: int) -> Rows:
    centres = np.random.default_rng(7).standard_normal((2000, DIMENSIONS), dtype=np.float32)
    draw = np.random.default_rng(seed)
    rows = centres[draw.integers(0, 2000, n)] + draw.standard_normal((n, DIMENSIONS), dtype=np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def bare_exact(rows: Rows, queries: Rows, k: int, block: int = 100_000) -> Ints:
    scores = np.full((len(queries), k), -2, np.float32)
    places = np.zeros((len(queries), k), np.int64)
    for i in range(0, len(rows), block):
        product = queries @ rows[i : i + block].T
        some = np.argpartition(-product, min(k, product.shape[1] - 1), axis=1)[:, :k]
        scores = np.concatenate([scores, np.take_along_axis(product, some, 1)], 1)
        places = np.concatenate([places, some + i], 1)
        best = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        scores, places = np.take_along_axis(scores, best, 1), np.take_along_axis(places, best, 1)
    return places


def bare_graph(rows: Rows, dtype: str) -> Any:
    graph = Index(ndim=DIMENSIONS, metric="ip" if dtype != "i8" else "cos", dtype=dtype)
    graph.add(np.arange(len(rows), dtype=np.uint64), rows, threads=1)
    return graph


def timed(what: Callable[[], Any], repeat: int = 1) -> tuple[float, Any]:
    """Median seconds, and what it gave."""
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        out = what()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), out


def overlap(truth: Ints, keys: Ints) -> float:
    return float(
        np.mean([len({*a} & {*b}) / len(a) for a, b in zip(truth.tolist(), keys.tolist(), strict=True)])
    )


def line(what: str, ours: float, bare: float, unit: str) -> None:
    print(f"{what:<34} ours {ours:>10.2f}   bare {bare:>10.2f} {unit:<10} ours/bare {ours / bare:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, value in (("n", 20_000), ("queries", 500), ("depth", 10), ("repeat", 3)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--dtype", choices=("f32", "f16", "i8"), default="f16")
    given = parser.parse_args()
    rows, queries = vectors(given.n, 100), vectors(given.queries, 5)
    chunk_side, query_side = Side(vectors=rows), Side(vectors=queries)
    print(f"{given.n} x {DIMENSIONS}, {given.queries} queries, depth {given.depth}, graph {given.dtype}")

    bare, truth = timed(lambda: bare_exact(rows, queries, given.depth), given.repeat)
    leg = Vector(depth=given.depth)
    ours, exact = timed(lambda: search(leg, {}, chunk_side, query_side), given.repeat)
    line("exact, queries per second", given.queries / ours, given.queries / bare, "q/s")
    print(f"{'':<34} same hits: {overlap(truth, _chunks(exact, given)):.4f}")

    hnsw = HNSW.model_validate({"depth": given.depth, "dtype": given.dtype})
    bare, graph = timed(lambda: bare_graph(rows, given.dtype))
    ours, index = timed(lambda: hnsw.index(chunk_side))
    line("hnsw, build", ours, bare, "seconds")
    bare, answer = timed(lambda: graph.search(queries, given.depth), given.repeat)
    raw, _ = timed(lambda: list(hnsw._near(index, queries)), given.repeat)
    ours, hits = timed(lambda: search(hnsw, index, chunk_side, query_side), given.repeat)
    line("hnsw, neighbors alone", given.queries / raw, given.queries / bare, "q/s")
    line("hnsw, with scores and recall", given.queries / ours, given.queries / bare, "q/s")
    line("hnsw, recall", recall_facts(hits.recall, given.depth)["recall"]["mean"],
         overlap(truth, answer.keys.astype(np.int64)), "")  # fmt: skip
    print(f"{'hnsw, size':<34} {index['graph'].nbytes / 2**20:.0f} MB; vectors {rows.nbytes / 2**20:.0f} MB")


def _chunks(hits: LegHits, given: argparse.Namespace) -> Ints:
    found: Ints = hits.frame.sort("query", "rank")["chunk"].to_numpy().reshape(given.queries, -1)
    return found


if __name__ == "__main__":
    main()
