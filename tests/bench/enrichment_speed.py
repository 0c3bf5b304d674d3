"""Seconds that `kg_header` takes for 100,000 chunks and a graph of 50,000 nodes and 300,000 edges.

    python tests/bench/enrichment_speed.py [TOKENIZER] [PROVIDER]

Documents of ten chunks, eight mentions a chunk, nodes drawn with a long tail (a few hubs have thousands of
relations). Prints seconds for the headers and their books (order, line, tokens), and what came out.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import yaml

from runner import registry
from runner.enrichment.contract import Enrichment, Material
from runner.enrichment.stage import Remembered, checked, facts
from runner.kg.contract import Graph
from runner.tokenizer.contract import Tokenizer

CONF = Path(__file__).resolve().parents[2] / "conf"
CHUNKS, NODES, EDGES, MENTIONS = 100_000, 50_000, 300_000, 8
"""Mentions are per chunk."""
PER_DOCUMENT, LENGTH = 10, 800
"""Chunks in a document, characters in a chunk."""
WORDS = ["graph", "index", "copper", "river", "night", "stone", "owl", "tree", "market", "engine"]


def material(tokenizer: str) -> Material:
    """Chunks, mentions, nodes and edges; the same at every call."""
    draw = np.random.default_rng(7)
    chunk = np.arange(CHUNKS)
    doc = chunk // PER_DOCUMENT
    start = chunk % PER_DOCUMENT * LENGTH
    ids = [f"d{d:05d}" for d in doc]
    chunks = pl.DataFrame(
        {"chunk": chunk, "chunk_id": [f"{d}#{c % PER_DOCUMENT:04d}" for d, c in zip(ids, chunk, strict=True)],
         "doc_id": ids, "chunk_index": chunk % PER_DOCUMENT, "start": start, "end": start + LENGTH}
    )  # fmt: skip
    own = np.repeat(chunk, MENTIONS)
    at = own % PER_DOCUMENT * LENGTH + draw.integers(0, LENGTH - 5, len(own))
    node_ids = np.array([f"n{i:05d}" for i in range(NODES)])
    tail = np.minimum(draw.zipf(1.3, len(own)) - 1, NODES - 1)
    named = np.where(draw.random(len(own)) < 0.3, tail, draw.integers(0, NODES, len(own)))
    mentions = pl.DataFrame(
        {"mention_id": [f"m{i}" for i in range(len(own))], "doc_id": np.array(ids)[own], "start": at,
         "end": at + 5, "entity_type": ["thing"] * len(own), "confidence": draw.random(len(own)),
         "node_id": node_ids[named]}
    )  # fmt: skip
    labels = [" ".join(draw.choice(WORDS, 2)) + f" {i}" for i in range(NODES)]
    nodes = pl.DataFrame(
        {
            "node_id": node_ids,
            "label": labels,
            "type": ["thing"] * NODES,
            "confidence": draw.random(NODES) / 2 + 0.5,
        }
    )
    source, target = (np.minimum(draw.zipf(1.2, EDGES) - 1, NODES - 1), draw.integers(0, NODES, EDGES))
    edges = pl.DataFrame(
        {"source": node_ids[source], "label": draw.choice(["is part of", "owns", "follows"], EDGES),
         "target": node_ids[target], "confidence": draw.random(EDGES), "evidence": ["[]"] * EDGES}
    )  # fmt: skip
    documents = pl.DataFrame({"doc_id": sorted(set(ids))}).with_columns(
        text=pl.lit(""), title=pl.lit(""), metadata=pl.lit("{}")
    )
    settings = yaml.safe_load((CONF / "tokenizer" / f"{tokenizer}.yaml").read_text("utf-8"))
    tokens = registry.as_contract(registry.parse_component("tokenizer", settings), Tokenizer).load()
    return Material(documents, chunks, [""] * CHUNKS, Remembered(tokens), graph=Graph(mentions, nodes, edges))


def main(tokenizer: str = "wordpiece", provider: str = "kg_header") -> None:
    """Measure once and print."""
    given = material(tokenizer)
    settings = yaml.safe_load((CONF / "enrichment" / f"{provider}.yaml").read_text("utf-8"))
    made = registry.as_contract(registry.parse_component("enrichment", settings), Enrichment)
    start, busy = time.perf_counter(), time.process_time()
    done = checked(made.headers(given), given, provider)
    took, worked = time.perf_counter() - start, time.process_time() - busy
    print(f"{provider}, {tokenizer}: {took:.1f} s, {worked:.1f} s of processors")
    print(", ".join(f"{k} {v}" for k, v in facts(done, CHUNKS).items()))


if __name__ == "__main__":
    main(*sys.argv[1:])
