"""The data set's books: fingerprints see content, keys see files, packing loses nothing, filters match."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.dataset.contract import Corpus
from runner.dataset.native import Native
from runner.dataset.stage import filter_mask, fingerprints, pack, source_key, unpack
from runner.errors import RequestError, StoreError
from runner.keys import FORMAT

Rows = list[dict[str, Any]]


def write(at: Path, form: str, documents: Rows, queries: Rows, gold: Rows) -> Path:
    at.mkdir(parents=True, exist_ok=True)
    for stem, rows in (("documents", documents), ("queries", queries), ("gold", gold)):
        if form == "parquet" and stem != "queries":
            pl.DataFrame(rows).write_parquet(at / f"{stem}.parquet")
        else:
            text = "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows)
            (at / f"{stem}.jsonl").write_bytes(text.encode())
    return at


def small(at: Path, **change: Any) -> Path:
    documents = [
        {"doc_id": "a", "text": "one", "title": "", "metadata": {"lang": "en"}},
        {"doc_id": "b", "text": "two", "title": "T", "metadata": {"lang": "de"}},
    ]
    documents[0] |= change
    queries = [{"query_id": "q", "text": "?"}, {"query_id": "p", "text": "!"}]
    gold = [{"query_id": "q", "doc_id": "a", "start": 0, "end": e} for e in (1, 2, 3)]
    return write(at, "jsonl", documents, queries, gold)


def load(at: Path) -> Corpus:
    return Native(path=str(at)).load()


texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12).filter(lambda t: bool(t.strip()))


@settings(max_examples=30, deadline=None)
@given(
    documents=st.dictionaries(texts, texts, min_size=1, max_size=5),
    queries=st.dictionaries(texts, texts, min_size=1, max_size=4),
    data=st.data(),
)
def test_order_and_file_form_do_not_matter(
    documents: dict[str, str], queries: dict[str, str], data: st.DataObject
) -> None:
    rows = [
        {"doc_id": i, "text": t, "metadata": {"n": len(t), "half": len(t) / 2}} for i, t in documents.items()
    ]
    asked = [{"query_id": i, "text": t} for i, t in queries.items()]
    gold = [
        {"query_id": q, "doc_id": d, "start": 0, "end": len(t)} for q in queries for d, t in documents.items()
    ]
    with tempfile.TemporaryDirectory() as folder:
        left = load(write(Path(folder, "l"), "jsonl", rows, asked, gold))
        shuffled = [data.draw(st.permutations(r)) for r in (rows, asked, gold)]
        right = load(write(Path(folder, "r"), data.draw(st.sampled_from(["jsonl", "parquet"])), *shuffled))
    assert fingerprints(left) == fingerprints(right)
    assert left.documents.equals(right.documents)
    assert left.judgments.equals(right.judgments)


def test_a_fingerprint_is_what_it_says(tmp_path: Path) -> None:
    framed = b"".join(len(v).to_bytes(8, "big") + v for v in (b"p", b"!", b"[]", b"q", b"?", b"[]"))
    right = hashlib.sha256(f"{FORMAT}/Query/query_id,text,tags\n".encode() + framed).hexdigest()
    assert fingerprints(load(small(tmp_path)))["queries"] == right


def test_every_part_of_a_document_moves_its_fingerprint_alone(tmp_path: Path) -> None:
    before = fingerprints(load(small(tmp_path / "0")))
    seen = {before["documents"]}
    for n, change in enumerate(({"text": "one."}, {"title": "t"}, {"metadata": {"lang": "fr"}}), 1):
        after = fingerprints(load(small(tmp_path / str(n), **change)))
        assert {k: v for k, v in after.items() if k != "documents"} == {
            k: v for k, v in before.items() if k != "documents"
        }
        seen.add(after["documents"])
    assert len(seen) == 4


def test_values_that_run_together_differ() -> None:
    def of(*rows: tuple[str, str]) -> str:
        frame = pl.DataFrame(
            {"query_id": [r[0] for r in rows], "text": [r[1] for r in rows], "tags": ["[]"] * len(rows)}
        )
        return fingerprints(Corpus(EMPTY_DOCUMENTS, frame, EMPTY_JUDGMENTS))["queries"]

    assert len({of(("ab", "c")), of(("a", "bc")), of(("a", "b"), ("c", "d")), of(("a", "bcd"))}) == 4


EMPTY_DOCUMENTS = pl.DataFrame(schema=dict.fromkeys(("doc_id", "text", "title", "metadata"), pl.String()))
EMPTY_JUDGMENTS = pl.DataFrame(
    schema={"query_id": pl.String(), "doc_id": pl.String()}
    | dict.fromkeys(("start", "end", "grade"), pl.Int64())
)


def test_a_source_key_survives_a_move_and_sees_every_byte(tmp_path: Path) -> None:
    first = small(tmp_path / "first")
    key = source_key(Native(path=str(first)))
    moved = tmp_path / "deep" / "second"
    shutil.copytree(first, moved)
    assert source_key(Native(path=str(moved))) == key
    assert source_key(Native(path=str(moved), on_bad="skip")) != key
    (moved / "notes").write_text("not read")
    assert source_key(Native(path=str(moved))) == key
    with (moved / "gold.jsonl").open("ab") as f:
        f.write(b"\n")
    assert source_key(Native(path=str(moved))) != key


def test_a_source_key_sees_the_names_that_become_ids(tmp_path: Path) -> None:
    at = write(tmp_path, "jsonl", [], [{"query_id": "q", "text": "?"}], [])
    (at / "documents.jsonl").unlink()
    (at / "pages").mkdir()
    (at / "pages" / "a.md").write_text("text")
    key = source_key(Native(path=str(at)))
    (at / "pages" / "a.md").rename(at / "pages" / "b.md")
    assert source_key(Native(path=str(at))) != key


def test_unpack_gives_back_what_was_packed(tmp_path: Path) -> None:
    at = small(tmp_path / "set")
    with (at / "gold.jsonl").open("ab") as f:
        f.write(b"{bad\n")
    corpus = Native(path=str(at), on_bad="skip").load()
    assert corpus.rejected == {"bad JSON": 1}
    pack(corpus, tmp_path / "one")
    pack(corpus, tmp_path / "two")
    back = unpack(tmp_path / "one")
    assert back.rejected == corpus.rejected
    for part in ("documents", "queries", "judgments"):
        assert getattr(back, part).equals(getattr(corpus, part))
        name = f"{part}.parquet"
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    (tmp_path / "one" / "queries.parquet").write_bytes(b"damaged")
    with pytest.raises(StoreError, match=r"queries\.parquet"):
        unpack(tmp_path / "one")


@pytest.mark.parametrize(
    ("wanted", "right"),
    [
        ({}, [True, True, True, True]),
        ({"lang": "en"}, [True, False, True, False]),
        ({"lang": ["en", "de"]}, [True, True, True, False]),
        ({"lang": "xx"}, [False, False, False, False]),
        ({"lang": "en", "year": 2020}, [True, False, False, False]),
        ({"year": 2020}, [True, False, False, False]),
        ({"year": ["2020", "1"]}, [True, True, True, False]),
        ({"year": "2020"}, [False, True, False, False]),
        ({"year": True}, [False, False, False, True]),
        ({"year": 1}, [False, False, True, False]),
        ({"tags": "b"}, [False, False, False, True]),
        ({"tags": ["a", "z"]}, [False, True, False, True]),
    ],
)
def test_filter(wanted: dict[str, Any], right: list[bool]) -> None:
    metadata = [
        '{"lang":"en","year":2020}',
        '{"lang":"de","tags":["z"],"year":"2020"}',
        '{"lang":"en","year":1}',
        '{"tags":["a","b"],"year":true}',
    ]
    mask = filter_mask(pl.DataFrame({"metadata": metadata}), wanted)
    assert mask.to_list() == right
    assert mask.dtype == pl.Boolean()


def test_a_filter_on_a_key_that_no_document_has_is_refused() -> None:
    documents = pl.DataFrame({"metadata": ["{}", '{"lang":"en"}']})
    with pytest.raises(RequestError, match=r"filter\.lnag: .*did you mean 'lang'\? Valid: lang"):
        filter_mask(documents, {"lnag": "en"})
