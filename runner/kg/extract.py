"""`extract`: a graph from the texts alone, by rules: capitals, definitions, co-occurrence; spaCy if asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import polars as pl
from pydantic import Field

from runner.config import Component
from runner.kg import _canonical, _cooccurrence, _mentions, _spacy
from runner.kg._mentions import Read
from runner.kg.contract import Graph


class Extract(Component):
    """Deterministic, and a function of the set of documents: words are names or not by how all write them.

    Mentions: runs of capitalised words, titles that a text begins with, terms and acronyms where they are
    introduced (and then wherever they stand), names in code marks. Dates are none. Nodes: names folded by
    case, white space, article and possessive, acronyms by what they stand for (`_canonical`). Edges: two
    nodes in at least `min_sentences` sentences, weighed by NPMI (`_cooccurrence`); one that only a single
    sentence speaks for would tell a chunk nothing that it does not say itself.

    The lists of little words are English. Other languages with capitals work and lead in with a word more at
    times; German, which writes every noun large, gives terms rather than names. Where there are no capitals
    (Chinese, Japanese, Arabic, Hindi) it finds what is written in Latin letters, and no more; spaCy's model
    is English too.
    """

    version: ClassVar[int] = 1
    reads_own: ClassVar[bool] = False
    name: Literal["extract"] = "extract"
    ner: Literal["none", "spacy"] = "none"
    """`spacy`: named entities of its small English model as well, with their types (extra `ner`)."""
    min_sentences: int = Field(2, gt=0)
    """Sentences that two nodes must share for an edge."""

    def graph(self, documents: pl.DataFrame, own: Graph | None) -> Graph:
        """See `KnowledgeGraph`."""
        rows = documents.sort("doc_id").select("doc_id", "text", "title").rows()
        read = _mentions.read(rows, model=self.ner == "spacy")
        mentions, nodes = _canonical.nodes(read)
        edges = _cooccurrence.edges(
            _named(read, mentions), sum(len(one.sentences) for one in read), self.min_sentences
        )
        return Graph(mentions, nodes, edges)

    def identity(self) -> dict[str, str]:
        """Version of spaCy and digests of its model, where it is asked."""
        return _spacy.identity() if self.ner == "spacy" else {}


def _named(read: Sequence[Read], mentions: pl.DataFrame) -> pl.DataFrame:
    """Which sentence names which node: a mention belongs to the sentence that it begins in."""
    spans = [(one.doc_id, start, end) for one in read for start, end in one.sentences]
    sentences = pl.DataFrame(spans, {"doc_id": pl.String, "start": pl.Int64, "end": pl.Int64}, orient="row")
    sentences = sentences.with_row_index("sentence").sort("doc_id", "start")
    at = mentions.select("doc_id", "node_id", pl.col("start").alias("at")).sort("doc_id", "at")
    joined = at.join_asof(
        sentences, left_on="at", right_on="start", by="doc_id", coalesce=False, check_sortedness=False
    )
    return joined.drop_nulls("sentence").select("sentence", "node_id", "doc_id", "start", "end")
