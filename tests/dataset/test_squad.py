"""SQuAD files: layouts move spans exactly; XQuAD and COVID-QA as their SOURCE.md count them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any, Literal

import pytest

from runner.dataset.contract import locate
from runner.dataset.squad import Squad
from runner.dataset.xquad import Xquad
from runner.errors import DataError, RequestError

Language = Literal["en", "de", "es", "ru", "zh"]


def asked(query_id: Any, question: str, *answers: tuple[int, str]) -> dict[str, Any]:
    return {
        "id": query_id,
        "question": question,
        "answers": [{"answer_start": s, "text": t} for s, t in answers],
    }


ARTICLE = {
    "title": "Birds",
    "paragraphs": [
        {
            "context": " A wren. ",
            "qas": [asked("1", "Who?", (1, "A wren"), (1, "A wren")), asked("2", "Why?")],
        },
        {"context": "An owl.\n", "qas": [asked(3, " Who?", (3, "owl."), (0, "An owl.\n"))]},
    ],
}


def write(at: Path, *articles: Any) -> Path:
    path = at / "squad.json"
    path.write_text(json.dumps({"version": "1.1", "data": articles}), encoding="utf-8")
    return path


def real(path: str) -> None:
    """Skip, saying how to mend it, where the real data are not there."""
    try:
        locate(path)
    except RequestError as e:
        pytest.skip(f"real data needed: {e}")


def test_articles_are_joined_as_they_are(tmp_path: Path) -> None:
    corpus = Squad(path=str(write(tmp_path, ARTICLE))).load()
    assert corpus.documents.rows() == [("Birds", " A wren. \n\nAn owl.\n", "Birds", "{}")]
    assert corpus.queries.rows() == [("1", "Who?", "[]"), ("2", "Why?", "[]"), ("3", " Who?", "[]")]
    # the second paragraph begins at 9 + 2; two annotators who agree are one judgment
    assert corpus.judgments.rows() == [
        ("1", "Birds", 1, 7, 1), ("3", "Birds", 11, 19, 1), ("3", "Birds", 14, 18, 1),
    ]  # fmt: skip


def test_paragraphs_are_stripped_and_spans_move_along(tmp_path: Path) -> None:
    corpus = Squad(path=str(write(tmp_path, ARTICLE)), layout="paragraphs").load()
    assert corpus.documents.rows() == [
        ("Birds/001", "A wren.", "Birds", '{"article":"Birds"}'),
        ("Birds/002", "An owl.", "Birds", '{"article":"Birds"}'),
    ]
    assert corpus.judgments.rows() == [
        ("1", "Birds/001", 0, 6, 1), ("3", "Birds/002", 0, 7, 1), ("3", "Birds/002", 3, 7, 1),
    ]  # fmt: skip


def test_unique_questions_join_into_the_first(tmp_path: Path) -> None:
    path = str(write(tmp_path, ARTICLE))
    corpus = Squad(path=path, layout="paragraphs", gold="documents", unique_questions=True).load()
    assert corpus.queries.rows() == [("1", "Who?", "[]"), ("2", "Why?", "[]")]
    assert corpus.judgments.rows() == [("1", "Birds/001", None, None, 1), ("1", "Birds/002", None, None, 1)]


@pytest.mark.parametrize("gold", ["spans", "documents"])
def test_a_wrong_span_names_file_question_and_the_right_place(tmp_path: Path, gold: Any) -> None:
    qas = [asked("x", "Who?", (0, "owl"), (3, "owl")), asked("y", "Which?", (0, "emu"))]
    path = write(tmp_path, {"title": "T", "paragraphs": [{"context": "An owl.", "qas": qas}]})
    squad = Squad(path=str(path), gold=gold)
    if gold == "documents":
        assert len(squad.load().judgments) == 2  # offsets are of no use there
        return
    with pytest.raises(DataError) as caught:
        squad.load()
    assert f"{path}: question x: the text at 0 is not the answer text ('owl'), which begins at 3" in str(
        caught.value
    )
    assert f"{path}: question y: the text at 0 is not the answer text ('emu'), which does not occur" in str(
        caught.value
    )
    skipped = Squad(path=str(path), on_bad="skip").load()
    assert skipped.judgments.rows() == [("x", "T", 3, 6, 1)]
    assert skipped.queries["query_id"].to_list() == ["x", "y"]
    assert skipped.rejected == {"wrong span": 2}


def test_malformed_parts_are_named(tmp_path: Path) -> None:
    odd = {
        "title": "T",
        "paragraphs": [{"context": "An owl.", "qas": [asked(None, "?"), asked("z", " "), 7]}],
    }
    path = write(tmp_path, odd, {"title": "U"}, {"title": "V", "paragraphs": [{"context": " "}]}, 5)
    with pytest.raises(DataError) as caught:
        Squad(path=str(path), layout="paragraphs").load()
    message = str(caught.value)
    for part in (
        "question 1 of 'T/001': a question has no `id`",
        "question z: query 'z' has no text",
        "question 3 of 'T/001': has no `question`",
        "article 2: has no `paragraphs`",
        "article 3, paragraph 1: document 'V/001' has no text",
        "article 4: expected an object",
    ):
        assert f"{path}: {part}" in message


def test_a_file_that_is_no_squad(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for raw, reason in (
        (b'{"data": 1}', "`data` must be a list"),
        (b"[]", "has no `data`"),
        (b'{"data":\n [}', "line 2 column 3"),
        (b'{"data": NaN}', "NaN is not JSON"),
        (b'{"data": "\xff"}', "not UTF-8 at byte 10"),
    ):
        path.write_bytes(raw)
        with pytest.raises(DataError, match=reason):
            Squad(path=str(path)).load()
    with pytest.raises(RequestError, match="is a folder"):
        Squad(path=str(tmp_path)).load()


def test_untitled_articles_and_gzip(tmp_path: Path) -> None:
    articles = [{"paragraphs": [{"context": "a", "document_id": 630}]}, {"paragraphs": [{"context": "b"}]}]
    path = tmp_path / "s.json.gz"
    path.write_bytes(gzip.compress(json.dumps({"data": articles}).encode()))
    assert Squad(path=str(path)).load().documents["doc_id"].to_list() == ["630", "article-0002"]


def test_xquad_articles_with_spans() -> None:
    real("xquad")
    languages: tuple[Language, ...] = ("en", "de", "es", "ru", "zh")
    for language in languages:
        corpus = Xquad(language=language).load()
        assert (len(corpus.documents), len(corpus.queries), len(corpus.judgments)) == (48, 1190, 1190)
        assert corpus.rejected == {}


@pytest.mark.parametrize(
    ("language", "questions", "characters"),
    [
        ("en", 1185, 188_360),
        ("de", 1181, 214_576),
        ("es", 1184, 212_113),
        ("ru", 1185, 204_045),
        ("zh", 1181, 60_576),
    ],
)
def test_xquad_in_mteb_form(language: Language, questions: int, characters: int) -> None:
    real("xquad")
    xquad = Xquad(language=language, layout="paragraphs", gold="documents", unique_questions=True)
    corpus = xquad.load()
    assert (len(corpus.documents), len(corpus.queries), len(corpus.judgments)) == (240, questions, questions)
    assert corpus.documents["text"].str.len_chars().sum() == characters
    assert corpus.judgments["query_id"].n_unique() == questions


def test_covidqa_raw_is_wrong_in_234_places() -> None:
    real("covidqa")
    raw = "covidqa/200423_covidQA.json.gz"
    with pytest.raises(DataError, match=r"^234 problems") as caught:
        Squad(path=raw).load()
    assert "200423_covidQA.json.gz: question 1719: the text at 4101 is not the answer" in str(caught.value)
    skipped = Squad(path=raw, on_bad="skip").load()
    assert skipped.rejected == {"wrong span": 234}
    assert (len(skipped.documents), len(skipped.queries), len(skipped.judgments)) == (98, 1380, 1146)
    fixed = Squad(path="covidqa/covidqa_200423.fixed.json.gz").load()
    assert (len(fixed.judgments), fixed.documents["text"].str.len_chars().sum()) == (1380, 2_303_726)
