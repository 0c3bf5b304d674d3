"""How well `kg=extract` finds entities: precision, recall and F1 against gold mentions.

    python tests/bench/extraction_quality.py [--spacy] [--rules]

Against Re-DocRED (Wikipedia, named entities; `without dates` leaves out the gold types TIME and NUM) and
against the graph of the packaged guide (technical prose, concepts written small). `exact`: the same span;
`overlap`: a code point in common, where precision counts mentions found that meet gold, and recall gold that
is met. `--rules`: how many mentions each rule gave and the share that meets gold, which the order
of the confidences follows.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

import polars as pl

from runner.dataset.contract import Corpus
from runner.dataset.guide import Guide
from runner.dataset.redocred import Redocred
from runner.kg import _mentions

Spans = dict[str, list[tuple[int, int]]]
NO_NAMES = ("TIME", "NUM")


def grouped(rows: list[tuple[str, int, int]]) -> Spans:
    """Spans by document."""
    out: Spans = {}
    for doc_id, start, end in sorted(set(rows)):
        out.setdefault(doc_id, []).append((start, end))
    return out


def meeting(ours: Spans, theirs: Spans) -> int:
    """How many of `ours` have a code point in common with one of `theirs`."""
    taken = {doc: {i for s, e in spans for i in range(s, e)} for doc, spans in theirs.items()}
    return sum(
        not taken.get(doc, set()).isdisjoint(range(s, e)) for doc, spans in ours.items() for s, e in spans
    )


def size(spans: Spans) -> int:
    return sum(map(len, spans.values()))


def scores(found: Spans, gold: Spans) -> str:
    """Precision, recall and F1, exact and by overlap."""
    same = sum(len(set(spans) & set(gold.get(doc, []))) for doc, spans in found.items())
    pairs = [(same / size(found), same / size(gold)),
             (meeting(found, gold) / size(found), meeting(gold, found) / size(gold))]  # fmt: skip
    return "   ".join(f"P {p:.3f} R {r:.3f} F1 {2 * p * r / (p + r):.3f}" for p, r in pairs)


def measured(name: str, corpus: Corpus, *, spacy: bool, rules: bool) -> None:
    """Print the scores of one data set."""
    assert corpus.mentions is not None
    rows = corpus.documents.sort("doc_id").select("doc_id", "text", "title").rows()
    began = time.perf_counter()
    read = _mentions.read(rows, model=spacy)
    took = time.perf_counter() - began
    found = grouped([(one.doc_id, f.start, f.end) for one in read for f in one.found])
    gold = corpus.mentions.filter(pl.col("start").is_not_null())
    cases = {name: gold}
    if gold["entity_type"].is_in(NO_NAMES).any():
        cases[f"{name}, without dates"] = gold.filter(~pl.col("entity_type").is_in(NO_NAMES))
    ner = "spacy" if spacy else "none"
    print(f"{name}: {len(rows)} documents, {size(found)} mentions found, ner={ner}, {took:.1f} s")
    for case, frame in cases.items():
        spans = grouped(frame.select("doc_id", "start", "end").rows())
        print(f"  {case:24} {size(spans):6} gold   exact {scores(found, spans)}")
    if rules:
        spans = grouped(gold.select("doc_id", "start", "end").rows())
        counted = Counter(f.rule for one in read for f in one.found)
        for rule, n in counted.most_common():
            ours = grouped(
                [(one.doc_id, f.start, f.end) for one in read for f in one.found if f.rule == rule]
            )
            print(f"    {rule:12} {n:6}   meets gold {meeting(ours, spans) / n:.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--spacy", action="store_true")
    parser.add_argument("--rules", action="store_true")
    given = parser.parse_args()
    for name, corpus in (("redocred", Redocred().load()), ("guide", Guide().load())):
        measured(name, corpus, spacy=given.spacy, rules=given.rules)
