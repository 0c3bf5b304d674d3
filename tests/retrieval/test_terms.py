"""Terms: bm25s' own words to the letter, n-grams where no spaces part words, identifiers whole and split."""

from __future__ import annotations

import unicodedata

import bm25s
import pytest
import Stemmer
from hypothesis import example, given, settings
from hypothesis import strategies as st
from retrieval.cases import words_found

from runner.errors import RequestError
from runner.registry import parse
from runner.retrieval._terms import LANGUAGES, Rule, folded, unspaced_share
from runner.retrieval.bm25 import BM25, _packed, _unpacked

KINDS = ("words", "ngrams", "code")


def bare(kind: str, text: str, sizes: tuple[int, int] = (1, 2)) -> list[str]:
    """The terms of a text without stop words and stemming."""
    return Rule(kind, "none", "none", sizes).terms([text])[0]  # type: ignore[arg-type]


def leg(**fields: object) -> BM25:
    return BM25.model_validate(fields)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(max_size=60), max_size=6), st.sampled_from([("en", "english"), ("de", "german")]))
@example(["The CAFÉ's İstanbul_2 ﬁne  x yy ½ don't"], ("en", "english"))
def test_words_are_bm25s_own(texts: list[str], language: tuple[str, str]) -> None:
    stop, stem = language
    theirs = bm25s.tokenize(
        texts, stopwords=stop, stemmer=Stemmer.Stemmer(stem), return_ids=False, show_progress=False
    )
    assert leg(language=stop).rule().terms(texts) == theirs
    plain = bm25s.tokenize(texts, stopwords=[], return_ids=False, show_progress=False)
    assert Rule("words", "none", "none", (1, 2)).terms(texts) == plain


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_a_language_sets_stop_words_and_stemmer_together(language: str) -> None:
    rule = leg(language=language).rule()
    assert (rule.stopwords, rule.stemmer) == LANGUAGES[language]
    assert rule.terms(["x"]) == [["x"] if language == "none" and rule.kind == "ngrams" else []]
    explicit = leg(language=language, stopwords="fr", stemmer="french").rule()
    assert (explicit.stopwords, explicit.stemmer, explicit.kind) == ("fr", "french", rule.kind)


def test_what_languages_do() -> None:
    assert leg(language="de").rule().terms(["Die Häuser und der Garten"]) == [["haus", "gart"]]
    assert leg(language="es").rule().terms(["las casas de los niños"]) == [["cas", "niñ"]]
    assert leg(language="ru").rule().terms(["книги и на столе"]) == [["книг", "стол"]]
    assert leg(language="none").rule().terms(["The Owls"]) == [["the", "owls"]]
    assert leg(stopwords=["owls"], stemmer="none").rule().terms(["The owls hunt"]) == [["the", "hunt"]]
    assert leg().rule() == leg(language="en", stopwords="en", stemmer="english", terms="words").rule()


def test_languages_without_spaces_get_ngrams_by_themselves() -> None:
    for language in ("zh", "ja", "th", "lo", "km", "my"):
        assert leg(language=language).rule().kind == "ngrams"
        assert leg(language=language, terms="words").rule().kind == "words"
    assert leg(language="ko").rule().kind == "words"  # Korean has spaces


@pytest.mark.parametrize(
    ("text", "sizes", "terms"),
    [
        ("漢字", (1, 2), ["漢", "漢字", "字"]),
        ("漢字仮名", (2, 3), ["漢字", "漢字仮", "字仮", "字仮名", "仮名"]),
        ("漢", (2, 3), ["漢"]),  # shorter than the least: a term all the same
        ("漢字。仮名", (2, 2), ["漢字", "仮名"]),  # no n-gram reaches over a full stop
        ("カタカナとひらがなー", (9, 9), ["カタカナとひらがな", "タカナとひらがなー"]),
        ("iPhone手机 2台", (1, 1), ["iphone", "手", "机", "台"]),
        ("สวัสดี 123", (6, 6), ["สวัสดี", "123"]),
        ("Größe ÄPFEL x", (1, 2), ["grösse", "äpfel"]),
        ("ﾊﾝｶｸ ＡＢＣ ﬁne", (4, 4), ["ハンカク", "abc", "fine"]),  # NFKC
        ("cafe\u0301 हिन्दी", (1, 2), ["café", "हिन्दी"]),  # marks belong to their word
        ("한국어 문장", (1, 2), ["한국어", "문장"]),
        ("", (1, 2), []),
    ],
)
def test_ngrams(text: str, sizes: tuple[int, int], terms: list[str]) -> None:
    assert bare("ngrams", text, sizes) == [unicodedata.normalize("NFKC", t) for t in terms]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("getHTTPResponse2", ["gethttpresponse2", "get", "http", "response", "2"]),
        ("snake_case_name", ["snake_case_name", "snake", "case", "name"]),
        ("os.path.join(a, b)", ["os.path.join", "os", "path", "join"]),
        ("self.fooBar.", ["self.foobar", "self", "foobar", "foo", "bar"]),
        ("__init__", ["__init__", "init"]),
        ("XMLHttpRequest", ["xmlhttprequest", "xml", "http", "request"]),
        ("utf8 x86_64", ["utf8", "utf", "8", "x86_64", "x", "86", "64"]),
        ("owls Hunt HTTP 42", ["owls", "hunt", "http", "42"]),
        ("größeÄndern", ["grösseändern", "grösse", "ändern"]),
        ("_ . __ a", []),
        ("loadデータ", ["load", "デ", "デー", "ー", "ータ", "タ"]),
    ],
)
def test_code(text: str, terms: list[str]) -> None:
    assert bare("code", text) == terms


def test_parts_of_identifiers_are_words_and_the_whole_is_none() -> None:
    assert leg(terms="code").rule().terms(["parseTheTokens"]) == [["parsethetokens", "pars", "token"]]


def test_a_name_is_found_by_its_parts_and_ranks_first_by_itself() -> None:
    texts = ["def getHTTPResponse2(url)", "the http response", "nothing here"]
    found, _ = words_found(leg(terms="code"), texts, ["getHTTPResponse2", "response", "get_http"])
    assert [[c for c, _ in rows] for rows in found] == [[0, 1], [1, 0], [0, 1]]
    found, _ = words_found(leg(terms="words"), texts, ["response", "get_http"])
    assert [[c for c, _ in rows] for rows in found] == [[1], []]


def test_words_that_meet_a_script_without_spaces_are_noted() -> None:
    from runner.retrieval.contract import Side

    chinese, english = ["漢字仮名交じり文", "owls"], ["owls hunt", "the word 漢 in a longer English sentence"]
    assert unspaced_share(chinese) == pytest.approx(8 / 12)
    assert unspaced_share(["!"]) == 0.0
    for texts, noted in ((chinese, True), (english, False)):
        words, ngrams = leg(), leg(terms="ngrams")
        assert bool(words.notes(words.index(Side(texts=texts)))) is noted
        assert ngrams.notes(ngrams.index(Side(texts=texts))) == []
    (said,) = leg().notes(leg().index(Side(texts=chinese)))
    assert said.startswith("67% of the text is in scripts without spaces")


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(max_size=40), max_size=5), st.sampled_from(KINDS))
@example(["a\nb", "\u2028x.y\x85", "\U0001f600 😀"], "code")
def test_terms_depend_on_their_text_alone_and_can_be_packed(texts: list[str], kind: str) -> None:
    rule = Rule(kind, "en", "english", (1, 3))  # type: ignore[arg-type]
    together = rule.terms(texts)
    assert together == [rule.terms([t])[0] for t in texts]
    terms = sorted({t for some in together for t in some})
    assert all(t and "\n" not in t for t in terms)
    assert list(_unpacked(_packed(terms))) == terms


@given(st.text(max_size=40))
def test_folding_is_done_once(text: str) -> None:
    assert folded(folded(text)) == folded(text)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"language": "klingon"}, "language: there is no 'klingon': da, de, en"),
        ({"stopwords": "fi"}, "stopwords: there is no 'fi': auto, none, da"),
        ({"ngram_min": 3}, "ngram_min 3 is above ngram_max 2"),
        ({"terms": "chars"}, r"retrieval\.legs\.bm25\.terms"),
        ({"language": False}, "put it in quotes"),  # YAML's `no` is not Norwegian
    ],
)
def test_a_wrong_choice_is_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        parse("retrieval", {"name": "bm25", "legs": {"bm25": fields}})
