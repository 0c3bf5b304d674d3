"""`bm25`: BM25 over bm25s' sparse scores. A hit shares a term with the query, whatever its score."""

from __future__ import annotations

import logging
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version as installed
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from runner.retrieval._terms import LANGUAGES, NO_SPACES, NONE, STOPWORDS, Rule, unspaced_share
from runner.retrieval.contract import Arrays, Leg, Part, Scored, Side

AUTO: Literal["auto"] = "auto"
_MANY = 0.1
"""A share of text that is no quotation or name."""
Variant = Literal["lucene", "robertson", "atire", "bm25l", "bm25+"]


class BM25(Leg):
    """BM25 (Robertson and Zaragoza 2009) in the variants of Kamphuis et al.

    (ECIR 2020), computed eagerly by bm25s.

    A score is the sum over the query's terms, a repeated term counting each time. `bm25l` and `bm25+` give a
    chunk without the term a constant share, which bm25s keeps apart; it is added for matching chunks only.
    """

    version: ClassVar[int] = 1
    reads: ClassVar[Literal["texts", "vectors", "tokens"]] = "texts"
    similarity: ClassVar[bool] = False
    keeps_index: ClassVar[bool] = True
    name: Literal["bm25"] = "bm25"
    variant: Variant = "lucene"
    k1: float = Field(1.5, ge=0)
    b: float = Field(0.75, ge=0, le=1)
    delta: float = Field(0.5, ge=0)
    language: str = "en"
    """What `auto` means below; `none`: words as they stand."""
    terms: Literal["auto", "words", "ngrams", "code"] = "auto"
    """See `_terms`. `auto`: `words`, and `ngrams` for a language without spaces between words."""
    ngram_min: int = Field(1, ge=1, le=8)
    ngram_max: int = Field(2, ge=1, le=8)
    stopwords: str | list[str] = AUTO
    """A language whose list is taken, the words themselves, `none`, or `auto`: those of `language`."""
    stemmer: str = AUTO
    """An algorithm of PyStemmer, `none`, or `auto`: that of `language`."""

    @model_validator(mode="after")
    def _known(self) -> Self:
        import Stemmer

        stems = (AUTO, NONE, *Stemmer.algorithms())
        for field, value, known in (
            ("language", self.language, LANGUAGES),
            ("stopwords", self.stopwords, (AUTO, *STOPWORDS)),
            ("stemmer", self.stemmer, stems),
        ):
            if isinstance(value, str) and value not in known:
                raise ValueError(f"{field}: there is no '{value}': {', '.join(known)}")
        if self.ngram_min > self.ngram_max:
            raise ValueError(f"ngram_min {self.ngram_min} is above ngram_max {self.ngram_max}")
        return self

    def rule(self) -> Rule:
        """How texts become terms, `auto` replaced by what it means."""
        words, stems = LANGUAGES[self.language]
        kind = self.terms
        if kind == AUTO:
            kind = "ngrams" if self.language in NO_SPACES else "words"
        stop = words if self.stopwords == AUTO else self.stopwords
        return Rule(
            kind=kind,
            stopwords=stop if isinstance(stop, str) else tuple(stop),
            stemmer=stems if self.stemmer == AUTO else self.stemmer,
            sizes=(self.ngram_min, self.ngram_max),
        )

    def identity(self) -> dict[str, Any]:
        """bm25s computes the scores, PyStemmer and Unicode's tables decide the terms: stems have moved."""
        return {p: installed(p) for p in ("bm25s", "PyStemmer")} | {"unicode": unicodedata.unidata_version}

    def index(self, chunks: Side) -> Arrays:
        """Postings by term: `data`, `indices` (chunks), `indptr` (terms), `absent`, `vocabulary`, `size`.

        And `unspaced`: which share of the word characters is of a script without spaces.
        """
        texts = chunks.texts or []
        terms = self.rule().terms(texts)
        size = np.array([len(texts)], np.int64)
        unspaced = np.array([unspaced_share(texts)])
        vocabulary = {t: i for i, t in enumerate(sorted({t for doc in terms for t in doc}))}
        if not vocabulary:
            empty = np.zeros(0, np.float32)
            none, start = np.zeros(0, np.int32), np.zeros(1, np.int64)
            index: Arrays = {"data": empty, "indices": none, "indptr": start, "absent": empty}
            return {**index, "vocabulary": _packed([]), "size": size, "unspaced": unspaced}
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
            "unspaced": unspaced,
        }

    def notes(self, index: Mapping[str, npt.NDArray[Any]]) -> list[str]:
        """That words are looked for where none are parted by spaces."""
        share = float(index["unspaced"][0])
        if self.rule().kind != "words" or share < _MANY:
            return []
        return [
            f"{share:.0%} of the text is in scripts without spaces between words, and `terms: words` takes a "
            "whole run of them as one word: set `language`, or `terms: ngrams`"
        ]

    def search(self, index: Mapping[str, npt.NDArray[Any]], chunks: Side, queries: Side) -> Iterator[Scored]:
        """See `Leg`. Sums in float64 in the order of terms, so equal chunks have equal scores."""
        vocabulary: dict[str, int] = _unpacked(index["vocabulary"])
        data, indices, indptr, absent = (
            np.asarray(index[k]) for k in ("data", "indices", "indptr", "absent")
        )
        n = int(index["size"][0])
        shares = bool((data > 0).all())  # a positive sum is a shared term; else the terms must be counted
        constant = absent.astype(np.float64) if absent.any() else None
        for asked in self.rule().terms(queries.texts or []):
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
            scores = sums[matches]
            yield Scored(matches, scores if constant is None else scores + constant[known].sum())

    def contributions(
        self, index: Mapping[str, npt.NDArray[Any]], query: str, chunks: Sequence[int]
    ) -> list[list[Part]] | None:
        """See `Leg`. `bm25l` and `bm25+` give a share to chunks without the term; it is a part of its own."""
        vocabulary = _unpacked(index["vocabulary"])
        asked = Counter(t for t in self.rule().terms([query])[0] if t in vocabulary)
        out: list[list[Part]] = [[] for _ in chunks]
        for term, times in asked.items():
            t = vocabulary[term]
            posted = slice(index["indptr"][t], index["indptr"][t + 1])
            weights = dict(
                zip(index["indices"][posted].tolist(), index["data"][posted].tolist(), strict=True)
            )
            constant = float(index["absent"][t])
            for parts, chunk in zip(out, chunks, strict=True):
                weight = times * (weights.get(chunk, 0.0) + constant)
                if chunk in weights or weight:
                    parts.append(Part(term, times, chunk in weights, weight))
        return out


def _packed(terms: Sequence[str]) -> npt.NDArray[np.uint8]:
    """The terms by id; a term is made of word characters, so a line break can part them."""
    return np.frombuffer("\n".join(terms).encode(), np.uint8)


def _unpacked(packed: npt.NDArray[np.uint8]) -> dict[str, int]:
    terms = packed.tobytes().decode().split("\n") if len(packed) else []
    return dict(zip(terms, range(len(terms)), strict=True))
