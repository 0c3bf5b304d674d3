"""The native form: documents and files, odd ones and every refusal, with the values written out."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from dataset.native_folders import DOCUMENTS, folder, lines, load, refusal, spans

from runner.errors import RequestError


def test_jsonl_gives_sorted_frames(tmp_path: Path) -> None:
    rows = [{"doc_id": "b", "text": "x", "title": "T", "metadata": {"z": [], "lang": "en", "no": None}}]
    corpus = load(folder(tmp_path, documents=[*rows, {"doc_id": "a", "text": "one two one"}]))
    assert corpus.documents.rows() == [
        ("a", "one two one", "", "{}"),
        ("b", "x", "T", '{"lang":"en","z":[]}'),
    ]
    assert corpus.queries.rows() == [("q1", "one?", "[]"), ("q2", "nobody knows?", "[]")]
    assert corpus.judgments.rows() == [("q1", "a", 4, 7, 1)]
    assert corpus.rejected == {}


def test_a07_crlf_is_kept_and_offsets_count_it(tmp_path: Path) -> None:
    raw = b"line1\r\nline2\r\n# H\r\ntext"
    gold = [{"query_id": "q1", "doc_id": "a.md", "quote": "text"}]
    corpus = load(folder(tmp_path, documents=None, gold=gold, **{"documents__a.md": raw}))
    (row,) = corpus.documents.rows()
    assert row == ("a.md", "line1\r\nline2\r\n# H\r\ntext", "H", "{}")
    assert len(row[1]) == 23
    assert spans(corpus) == [(19, 23)]


A59 = (
    b"\xef\xbb\xbf"
    + lines([{"doc_id": i, "text": f"text {i}"} for i in ("a", "b", "c")])
    + b'{bad\n\n{"doc_id": "d"}\n{"doc_id":"x","text":"y","metadata":{"score":NaN}}\n'
)


def test_a59_skip_counts_by_reason(tmp_path: Path) -> None:
    at = folder(tmp_path, documents=None, gold=[], **{"documents.jsonl": A59})
    corpus = load(at, "skip")
    assert corpus.documents["doc_id"].to_list() == ["a", "b", "c"]
    assert corpus.rejected == {"NaN or Infinity": 1, "bad JSON": 1, "missing text": 1}


def test_a59_error_names_file_line_and_reason(tmp_path: Path) -> None:
    message = refusal(folder(tmp_path, documents=None, gold=[], **{"documents.jsonl": A59}))
    assert message.startswith("3 problems in the data set:\n")
    assert (
        "documents.jsonl:4: not JSON: Expecting property name enclosed in double quotes at column 2"
        in message
    )
    assert "documents.jsonl:6: has no `text`" in message
    assert "documents.jsonl:7: NaN is not JSON" in message


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"doc_id": "x", "text": 5}', "`text` must be text, found a whole number (5)"),
        (b'{"doc_id": 7, "text": "t"}', "`doc_id` must be text"),
        (b'{"doc_id": " ", "text": "t"}', "`doc_id` is blank"),
        (b'{"doc_id": "x", "text": "\\n \\t"}', "document 'x' has no text"),
        (b'{"doc_id": "x", "text": null}', "has no `text`"),
        (b'{"doc_id": "a", "text": "t"}', "doc_id 'a' is taken, see "),
        (b'["a"]', "expected an object, found a list"),
        (b'{"doc_id": "x", "text": "\\ud800"}', "half of a surrogate pair at code point 0"),
        (b'{"doc_id": "x", "text": "t", "text": "u"}', "the same key twice"),
        (b'{"doc_id": "x", "text": "t", "titel": "u"}', "unknown field `titel`; did you mean 'title'?"),
        (b'{"doc_id": "x", "text": "t", "metadata": {"a": {"b": 1}}}', "metadata `a` must be"),
        (b'{"doc_id": "x", "text": "t", "metadata": [1]}', "`metadata` must be an object"),
        (b'{"doc_id": "x", "text": "t", "metadata": {"a": 1e999}}', "beyond the range"),
        (b'{"doc_id": "x", "text": "t", "metadata": {"a": -Infinity}}', "-Infinity is not JSON"),
        (b'{"doc_id": "x", "text": "\xff"}', "not UTF-8 at byte 97 of the file"),  # 72 + 25
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_a_bad_document_is_refused_with_its_line(tmp_path: Path, line: bytes, reason: str) -> None:
    good = lines(DOCUMENTS)
    assert len(good) == 72
    at = folder(tmp_path, **{"documents.jsonl": good + line})
    message = refusal(at)
    assert f"{at}/documents.jsonl:3: " in message
    assert reason in message
    assert sum(load(at, "skip").rejected.values()) == 1


def test_at_most_twenty_problems_are_shown_and_all_counted(tmp_path: Path) -> None:
    message = refusal(folder(tmp_path, documents=[{"doc_id": str(i)} for i in range(30)], gold=[]))
    assert message.startswith("30 problems")
    assert message.count("has no `text`") == 20
    assert "… and 10 more" in message


def test_problems_of_all_files_come_in_one_error(tmp_path: Path) -> None:
    bad = [{"query_id": "q1", "text": "t", "tags": [1]}]
    message = refusal(folder(tmp_path, documents=[{"doc_id": "a", "text": ""}], queries=bad))
    assert "documents.jsonl:1" in message
    assert "queries.jsonl:1: `tags` must be a list of text" in message
    assert "gold.jsonl:1" in message


def test_lines_end_at_lf_alone(tmp_path: Path) -> None:
    raw = '{"doc_id":"a","text":"one\u2028two"}\r\n \n'.encode()
    corpus = load(folder(tmp_path, documents=None, gold=[], **{"documents.jsonl": raw}))
    assert corpus.documents["text"].to_list() == ["one\u2028two"]


def test_a_tree_of_text_files(tmp_path: Path) -> None:
    files = {
        "documents__b__two.md": b"```\n# not a heading\n```\n## Two ##\n",
        "documents__one.txt": b"\xef\xbb\xbf# plain text has no title",
        "documents__.hidden.md": b"x",
        "documents__.git__x.md": b"x",
        "documents__picture.png": b"\x89PNG",
        "documents__c.md": b"# About C#\r\n",
    }
    corpus = load(folder(tmp_path, documents=None, gold=[], **files))
    assert corpus.documents.select("doc_id", "title").rows() == [
        ("b/two.md", "Two"), ("c.md", "About C#"), ("one.txt", ""),
    ]  # fmt: skip
    assert corpus.documents["text"][2] == "# plain text has no title"  # the byte-order mark is no text


def test_the_folder_itself_is_the_tree_where_nothing_else_is(tmp_path: Path) -> None:
    corpus = load(folder(tmp_path, documents=None, gold=[], **{"x__y.md": b"text"}))
    assert corpus.documents["doc_id"].to_list() == ["x/y.md"]


def test_bad_text_files(tmp_path: Path) -> None:
    files = {"pages__a.md": b"abc\xff", "pages__b.md": b" \n", "pages__c.md": b"fine", "pages__d.md": b""}
    at = folder(tmp_path, documents=None, gold=[], **files)
    message = refusal(at)
    assert "pages/a.md:1: not UTF-8 at byte 3 of the file" in message
    assert "pages/b.md:1: document 'b.md' has no text" in message
    corpus = load(at, "skip")
    assert corpus.documents["doc_id"].to_list() == ["c.md"]
    assert corpus.rejected == {"blank document": 2, "not UTF-8": 1}


def test_links_that_leave_the_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "x.md").write_text("secret")
    at = folder(tmp_path / "set", documents=None, gold=[], **{"pages__a.md": b"text"})
    (at / "pages" / "link.md").symlink_to(tmp_path / "secret.md")
    (at / "pages" / "more").symlink_to(tmp_path / "more")
    assert load(at).documents["doc_id"].to_list() == ["a.md"]
    (at / "gold.jsonl").unlink()
    (at / "gold.jsonl").symlink_to(tmp_path / "secret.md")
    assert "a link that leads out of the data set" in refusal(at)


def test_missing_and_doubled_files(tmp_path: Path) -> None:
    at = folder(tmp_path / "set")
    (at / "gold.jsonl").rename(at / "gold.txt")
    assert "has no gold.jsonl or gold.parquet" in refusal(at)
    folder(at, pages__a=b"text")
    assert "holds both documents.jsonl and pages; keep one" in refusal(at)
    with pytest.raises(RequestError, match="RUNNER_DATA"):
        load(tmp_path / "nowhere")
    with pytest.raises(RequestError, match="is a file"):
        load(at / "queries.jsonl")
    empty = folder(tmp_path / "empty", documents=[], gold=[])
    assert "there is no document" in refusal(empty)


def test_parquet_reads_as_the_lines_do(tmp_path: Path) -> None:
    rows = [
        {"doc_id": "b", "text": "x", "title": None, "metadata": {"lang": "en", "year": None}},
        {"doc_id": "a", "text": "one two one", "title": "T", "metadata": {"lang": "de", "year": 2020}},
    ]
    gold = [
        {"query_id": "q1", "doc_id": "a", "start": 4, "end": 7, "quote": None},
        {"query_id": "q1", "doc_id": "b", "start": None, "end": None, "quote": "x"},
    ]
    left = load(folder(tmp_path / "l", documents=rows, gold=gold))
    at = folder(tmp_path / "p", documents=None, gold=[])
    (at / "gold.jsonl").unlink()
    pl.DataFrame(rows).write_parquet(at / "documents.parquet")
    pl.DataFrame(gold).write_parquet(at / "gold.parquet")
    right = load(at)
    assert left.documents.equals(right.documents)
    assert left.judgments.equals(right.judgments)
    assert left.documents["metadata"].to_list() == ['{"lang":"de","year":2020}', '{"lang":"en"}']


def test_bad_parquet(tmp_path: Path) -> None:
    at = folder(tmp_path, documents=None, **{"documents.parquet": b"version https://git-lfs"})
    assert "documents.parquet: cannot be read as Parquet" in refusal(at)
    pl.DataFrame({"doc_id": ["a", None], "text": ["x", "y"]}).write_parquet(at / "documents.parquet")
    assert "documents.parquet:row 2: has no `doc_id`" in refusal(at)
