"""A41: what a header takes of what the model reads, seen chunk by chunk, and what a budget leaves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from dataset.native_folders import folder
from enrichment.graphs import bring, graph
from helpers import done
from tokenizer.toys import words

from runner.embedding._transformer import unit
from runner.embedding.contract import Embedding, Encoded, Progress
from runner.runs import Run

LIMIT = 256
SPECIAL = 2
OWN = 200
TEXT = " ".join(["acme", *(f"w{i}" for i in range(OWN - 1))])
"""A chunk of 200 tokens."""


class Limited(Embedding):
    """A model that reads 256 tokens, two of them special, in the tokens of `words`."""

    name: Literal["limited"] = "limited"

    def identity(self) -> dict[str, Any]:
        return {"model": "limited"}

    def load(self, threads: int, device: str) -> Any:
        return self

    def encode(self, texts: Sequence[str], progress: Progress) -> Encoded:
        progress(len(texts))
        raw = np.array([[len(t), len(set(t)), 1.0] for t in texts], np.float32)
        total = self.count(texts)
        return Encoded(unit(raw), total, np.minimum(total, LIMIT - SPECIAL).astype(np.int32))

    def count(self, texts: Sequence[str]) -> npt.NDArray[np.int32]:
        return words().counts(texts).astype(np.int32)


def _run(at: Path, **changes: Any) -> Run:
    """One document of 200 tokens; its entity `Acme Corp` has 40 relations, the first the surest.

    With n of them a header has 7 n + 2 tokens: two for the entity, a bar, six a relation, n - 1 semicolons.
    """
    documents = [{"doc_id": "d", "text": TEXT, "title": " ".join(f"t{i}" for i in range(240))}]
    data = folder(
        at / "data", documents=documents, queries=[{"query_id": "q", "text": "acme"}],
        gold=[{"query_id": "q", "doc_id": "d", "quote": "acme"}],
    )  # fmt: skip
    nodes = [("a", "Acme Corp", 1.0), *((f"n{i:02d}", f"N{i}", 1.0) for i in range(40))]
    edges = [("a", "owns", f"n{i:02d}", 0.9 - i / 100) for i in range(40)]
    bring(graph([("d", 0, 4, "a", 1.0)], nodes, edges), data)
    return done(data, at / "out", embedding=Limited(), strategy="document", retrieval="vector", **changes)


def _row(run: Run) -> dict[str, Any]:
    path = run.outputs / "store" / "embedding" / run.meta["keys"]["embedding"] / "embedding.parquet"
    (row,) = pl.read_parquet(path).to_dicts()
    return row


WIDE = {"max_neighbors_per_entity": 34, "max_triples": 34, "min_edge_confidence": 0.0}
"""34 relations: 7 · 34 + 2 = 240 tokens."""


@pytest.mark.parametrize(
    ("enrichment", "header", "embedded"),
    [
        ({"name": "kg_header", **WIDE, "max_header_tokens": None}, 240, 254 - 240),  # 14
        (
            {"name": "kg_header", **WIDE, "max_header_tokens": 64},
            7 * 8 + 2,
            254 - 58,
        ),  # 8 relations, none in parts
        ({"name": "title", "max_header_tokens": None}, 240, 254 - 240),  # 14
        ({"name": "title", "max_header_tokens": 64}, 64, 254 - 64),  # 190
        ({"name": "none"}, None, 200),
    ],
    ids=str,
)
def test_a41_a_header_of_240_leaves_14_of_200_tokens_and_a_budget_of_64_leaves_190(
    enrichment: dict[str, Any], header: int | None, embedded: int, tmp_path: Path
) -> None:
    run = _run(tmp_path, enrichment=enrichment)
    row = _row(run)
    assert row["tokens_total"] == OWN + (header or 0)
    if header is None:
        assert "header_tokens" not in row
        assert (row["tokens_embedded"], row["truncated"]) == (embedded, False)
        return
    got = (row["header_tokens"], row["own_tokens_embedded"], row["own_tokens_pushed_out"], row["truncated"])
    assert got == (header, embedded, OWN - embedded, True)
    rolled_up = run.meta["enrichment"]
    assert (rolled_up["chunks_truncated_by_header"], rolled_up["own_tokens_pushed_out"]) == (
        1,
        OWN - embedded,
    )
    assert rolled_up["avg_header_tokens"] == header
    (said,) = (w for w in run.meta["warnings"] if "beyond what the model reads" in w)
    assert said.startswith(f"headers pushed {OWN - embedded} tokens of 1 chunks ")


def test_a41_what_is_left_out_are_the_weakest_relations(tmp_path: Path) -> None:
    run = _run(tmp_path, enrichment={"name": "kg_header", **WIDE, "max_header_tokens": 64})
    path = run.outputs / "store" / "enrichment" / run.meta["keys"]["enrichment"] / "headers.parquet"
    (row,) = pl.read_parquet(path).to_dicts()
    assert row["neighbor_triples"] == [f"Acme Corp —owns→ N{i}" for i in range(8)]
    assert row["capped_node_ids"] == ["a"]


def test_a_header_that_fits_pushes_nothing_out(tmp_path: Path) -> None:
    run = _run(tmp_path, enrichment={"name": "kg_header", "max_triples": 3})
    assert _row(run)["own_tokens_pushed_out"] == 0
    assert run.meta["enrichment"]["chunks_truncated_by_header"] == 0
    assert not [w for w in run.meta["warnings"] if "beyond what the model reads" in w]
