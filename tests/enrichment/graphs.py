"""Small graphs and material for tests, by hand and random."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
from dataset.native_folders import lines
from tokenizer.toys import words

from runner import tables
from runner.enrichment.contract import Enrichment, Material
from runner.enrichment.stage import checked
from runner.kg.contract import Graph
from runner.records import Edge, Mention, Node
from runner.tokenizer.contract import Tokens

Rows = list[dict[str, Any]]
DOC = "Acme buys Beta. Gamma sleeps in Delta."


def graph(
    mentions: Sequence[tuple[Any, ...]], nodes: Sequence[tuple[Any, ...]], edges: Sequence[tuple[Any, ...]]
) -> Graph:
    """From (doc_id, start, end, node_id, conf.), (node_id, label, conf.), (source, label, target, conf.)."""
    found = [
        (f"m{i:04d}", doc, start, end, "thing", float(c), node)
        for i, (doc, start, end, node, c) in enumerate(mentions)
    ]
    return Graph(
        _frame(found, Mention),
        _frame([(i, label, f"type of {i}", float(c)) for i, label, c in nodes], Node),
        _frame([(s, label, t, float(c), "[]") for s, label, t, c in edges], Edge),
    )


def _frame(rows: Sequence[tuple[Any, ...]], record: type) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=tables.schema(record), orient="row")


def material(
    cuts: Sequence[tuple[str, int, int]],
    found: Graph | None = None,
    *,
    texts: dict[str, str] | None = None,
    titles: dict[str, str] | None = None,
    tokens: Tokens | None = None,
    **more: Any,
) -> Material:
    """Material over chunks (doc_id, start, end); a document that is not given is of blanks."""
    ids = sorted({doc for doc, *_ in cuts})
    whole = {d: (texts or {}).get(d, " " * max(end for x, _, end in cuts if x == d)) for d in ids}
    documents = pl.DataFrame(
        {"doc_id": ids, "text": [whole[d] for d in ids], "title": [(titles or {}).get(d, "") for d in ids],
         "metadata": ["{}"] * len(ids)},
        schema=dict.fromkeys(("doc_id", "text", "title", "metadata"), pl.String),
    )  # fmt: skip
    nth = {d: 0 for d in ids}
    rows = []
    for chunk, (doc, start, end) in enumerate(cuts):
        rows.append((chunk, f"{doc}#{nth[doc]:04d}", doc, nth[doc], start, end, 1))
        nth[doc] += 1
    columns = ("chunk", "chunk_id", "doc_id", "chunk_index", "start", "end", "tokens")
    schema = {c: pl.String() if c in {"chunk_id", "doc_id"} else pl.Int64() for c in columns}
    chunks = pl.DataFrame(rows, schema=schema, orient="row")
    said = [whole[doc][start:end] for doc, start, end in cuts]
    return Material(documents, chunks, said, tokens or words(), graph=found, **more)


def headers(made: Enrichment, given: Material) -> pl.DataFrame:
    """The headers as the house keeps them."""
    return checked(made.headers(given), given, made.name)


def texts(made: Enrichment, given: Material) -> dict[int, str]:
    """The line of each chunk that has one."""
    return dict(headers(made, given).select("chunk", "text").iter_rows())


def bring(found: Graph, data: Path) -> Path:
    """Write the graph into the `kg/` of a native folder; returns the folder."""
    (data / "kg").mkdir()
    members: dict[str, list[str]] = {}
    for mention_id, node in found.mentions.select("mention_id", "node_id").drop_nulls().iter_rows():
        members.setdefault(node, []).append(mention_id)
    rows: dict[str, Rows] = {
        "mentions": found.mentions.drop("node_id").to_dicts(),
        "nodes": [{**n, "mention_ids": members.get(n["node_id"], [])} for n in found.nodes.to_dicts()],
        "edges": [{**e, "evidence": []} for e in found.edges.to_dicts()],
    }
    for part, said in rows.items():
        (data / "kg" / f"{part}.jsonl").write_bytes(lines(said))
    return data


def shuffled_rows(found: Graph, draw: random.Random) -> Graph:
    """The same graph with the rows of its frames in another order."""
    frames = (found.mentions, found.nodes, found.edges)
    return Graph(*(f[draw.sample(range(f.height), f.height)] for f in frames))


def drawn(seed: int) -> Material:
    """A random graph over random chunks: overlaps, hubs, loops, twins of edges, ties of everything."""
    draw = random.Random(seed)
    docs = [f"d{i}" for i in range(draw.randint(1, 4))]
    cuts = sorted(
        {(d, s, s + draw.randint(3, 30)) for d in docs for s in draw.sample(range(60), draw.randint(1, 8))}
    )
    ids = [f"n{i}" for i in range(draw.randint(1, 12))]
    names = ["Acme", "Acme", "Beta Corp", "owl", "漢字", "a, b"]
    nodes = [(i, draw.choice(names), draw.choice([0.2, 0.5, 0.9])) for i in ids]
    mentions = []
    for _ in range(draw.randint(0, 40)):
        start = draw.choice([None, *range(60)])
        end = None if start is None else start + draw.randint(1, 6)
        mentions.append(
            (draw.choice(docs), start, end, draw.choice([*ids, None]), draw.choice([0.4, 0.5, 1]))
        )
    edges = [
        (draw.choice(ids[: draw.randint(1, len(ids))]), draw.choice(["owns", "is in"]), draw.choice(ids),
         draw.choice([0.3, 0.5, 0.5, 0.9]))
        for _ in range(draw.randint(0, 60))
    ]  # fmt: skip
    return material(cuts, graph(mentions, nodes, edges))
