"""`twowiki`: the counts of its SOURCE.md."""

from __future__ import annotations

from dataset.real import real

from runner.dataset.twowiki import Twowiki


def test_counts_of_the_source() -> None:
    """6,119 passages, 101 questions, 248 gold titles; 78 questions have 2 gold passages, 23 have 4."""
    real("twowiki/beir")
    corpus = Twowiki().load()
    assert (corpus.documents.height, corpus.queries.height, corpus.judgments.height) == (
        6119,
        101,
        78 * 2 + 23 * 4,
    )
    assert corpus.judgments["doc_id"].n_unique() == 248
    sizes = corpus.judgments.group_by("query_id").len()["len"].value_counts().sort("len").rows()
    assert sizes == [(2, 78), (4, 23)]
    assert corpus.judgments["start"].null_count() == corpus.judgments.height, "whole passages are judged"
    assert (corpus.mentions, corpus.notes) == (None, ())
    first = corpus.documents.filter(doc_id="Teutberga")
    assert first["text"][0].startswith(
        "Teutberga Teutberga( died 11 November 875) was a queen of Lotharingia"
    )
    assert first["title"][0] == "Teutberga"
