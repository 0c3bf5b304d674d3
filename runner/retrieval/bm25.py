"""`bm25`: BM25 over bm25s' sparse scores. A hit shares a term with the query, whatever its score."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version as installed
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from runner.retrieval.contract import Arrays, Leg, Scored, Side

Variant = Literal["lucene", "robertson", "atire", "bm25l", "bm25+"]


class BM25(Leg):
    """BM25 (Robertson and Zaragoza 2009) in the variants of Kamphuis et al.

    (ECIR 2020), computed eagerly by bm25s.

    A score is the sum over the query's terms, a repeated term counting each time. `bm25l` and `bm25+` give a
    chunk without the term a constant share, which bm25s keeps apart; it is added for matching chunks only.
    """

    version: ClassVar[int] = 1
    reads: ClassVar[Literal["texts", "vectors"]] = "texts"
    similarity: ClassVar[bool] = False
    keeps_index: ClassVar[bool] = True
    name: Literal["bm25"] = "bm25"
    variant: Variant = "lucene"
    k1: float = Field(1.5, ge=0)
    b: float = Field(0.75, ge=0, le=1)
    delta: float = Field(0.5, ge=0)
    stopwords: Literal["en", "none"] = "en"
    stemmer: str = "english"

    @model_validator(mode="after")
    def _stemmer_exists(self) -> Self:
        import Stemmer

        if self.stemmer != "none" and self.stemmer not in Stemmer.algorithms():
            raise ValueError(
                f"stemmer: there is no '{self.stemmer}': none, {', '.join(Stemmer.algorithms())}"
            )
        return self

    def libraries(self) -> dict[str, str]:
        """bm25s computes the scores, PyStemmer decides the terms: stems moved between its versions."""
        return {p: installed(p) for p in ("bm25s", "PyStemmer")}

    def index(self, chunks: Side) -> Arrays:
        """Postings by term: `data`, `indices` (chunks), `indptr` (terms), `absent`, `vocabulary`, `size`."""
        texts = chunks.texts or []
        terms = self._terms(texts)
        size = np.array([len(texts)], np.int64)
        vocabulary = {t: i for i, t in enumerate(sorted({t for doc in terms for t in doc}))}
        if not vocabulary:
            empty = np.zeros(0, np.float32)
            none, start = np.zeros(0, np.int32), np.zeros(1, np.int64)
            index: Arrays = {"data": empty, "indices": none, "indptr": start, "absent": empty}
            return {**index, "vocabulary": _packed([]), "size": size}
        import bm25s

        logging.getLogger("bm25s").setLevel(logging.WARNING)  # it sets itself to DEBUG
        model = bm25s.BM25(method=self.variant, k1=self.k1, b=self.b, delta=self.delta)
        ids = [[vocabulary[t] for t in doc] for doc in terms]
        model.index((ids, vocabulary), show_progress=False, create_empty_token=False)
        absent = getattr(model, "nonoccurrence_array", None)
        return {
            "data": np.asarray(model.scores["data"]),
            "indices": np.asarray(model.scores["indices"]),
            "indptr": np.asarray(model.scores["indptr"]),
            "absent": np.zeros(len(vocabulary), np.float32) if absent is None else np.asarray(absent),
            "vocabulary": _packed(list(vocabulary)),
            "size": size,
        }

    def search(self, index: Mapping[str, npt.NDArray[Any]], chunks: Side, queries: Side) -> Iterator[Scored]:
        """See `Leg`. Sums in float64 in the order of terms, so equal chunks have equal scores."""
        vocabulary: dict[str, int] = _unpacked(index["vocabulary"])
        data, indices, indptr, absent = (
            np.asarray(index[k]) for k in ("data", "indices", "indptr", "absent")
        )
        n = int(index["size"][0])
        shares = bool(
            (data > 0).all()
        )  # then a positive sum is a shared term, else the terms must be counted
        for asked in self._terms(queries.texts or []):
            known = sorted(vocabulary[t] for t in asked if t in vocabulary)
            if not known:
                yield Scored(np.zeros(0, np.int64), np.zeros(0), "no match" if asked else "no query terms")
                continue
            parts = [slice(indptr[t], indptr[t + 1]) for t in known]
            touched = np.concatenate([indices[p] for p in parts])
            sums = np.asarray(np.bincount(touched, np.concatenate([data[p] for p in parts]), n), np.float64)
            least = np.partition(sums, n - self.depth)[n - self.depth] if shares and n > self.depth else 0.0
            if least > 0:
                matches = np.flatnonzero(sums >= least)
            else:
                matches = np.flatnonzero(sums if shares else np.bincount(touched, minlength=n))
            yield Scored(matches, sums[matches] + float(absent[known].astype(np.float64).sum()))

    def _terms(self, texts: Sequence[str]) -> list[list[str]]:
        """Lower-cased words of two and more characters, without stop words, stemmed: one list per text."""
        import bm25s

        stem = None
        if self.stemmer != "none":
            import Stemmer

            stem = Stemmer.Stemmer(self.stemmer)
        words = self.stopwords if self.stopwords != "none" else []
        found: list[list[str]] = bm25s.tokenize(
            list(texts), stopwords=words, stemmer=stem, return_ids=False, show_progress=False
        )
        return found


def _packed(terms: Sequence[str]) -> npt.NDArray[np.uint8]:
    """The terms by id; a term is made of word characters, so a line break can part them."""
    return np.frombuffer("\n".join(terms).encode(), np.uint8)


def _unpacked(packed: npt.NDArray[np.uint8]) -> dict[str, int]:
    return {t: i for i, t in enumerate(packed.tobytes().decode().split("\n")) if t}
