"""BEIR archives: the digest is checked, hostile or damaged ones are refused whole, a limit holds."""

from __future__ import annotations

import hashlib
import io
import stat
import zipfile
from pathlib import Path, PurePosixPath

import pytest
from command import Line
from importing_cases import BEIR, gold, imported, put, refused

from runner.errors import DataError
from runner.importing import archive

FILES = {f"toy/{n.removeprefix('b__').replace('__', '/').replace('_dot_', '.')}": c for n, c in BEIR.items()}
"""The tiny BEIR folder as members of an archive."""


def zipped(at: Path, *more: tuple[zipfile.ZipInfo | str, str], files: dict[str, str] = FILES) -> Path:
    with zipfile.ZipFile(at, "w", zipfile.ZIP_DEFLATED) as z:
        for name, content in [*files.items(), *more]:
            z.writestr(name, content)
    return at


def _link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


def test_an_archive_is_read_like_its_folder(line: Line) -> None:
    put(line.at, **BEIR)
    path = zipped(line.at / "toy.zip", ("__MACOSX/toy/._corpus.jsonl", "x"), ("toy/readme.txt", "x"))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    corpus = imported(line, "beir", "toy.zip", "--sha256", digest.upper())
    assert gold(corpus) == [("q1", "d1", None, None, 2), ("q1", "d2", None, None, 0)]
    note = Path("made/SOURCE.md").read_text("utf-8")
    assert f"| toy.zip | {path.stat().st_size} | {digest} |" in note
    assert line("data", "import", "beir", "b", "--to", "plain").code == 0
    for name in ("documents.jsonl", "queries.jsonl", "gold.jsonl"):
        assert Path("made", name).read_bytes() == Path("plain", name).read_bytes()


def test_another_digest_is_refused(line: Line) -> None:
    zipped(line.at / "toy.zip")
    assert "toy.zip: its SHA-256 is " in refused(line, 1, "beir", "toy.zip", "--sha256", "0" * 64)


@pytest.mark.parametrize(
    "name",
    ["../evil.txt", "toy/../../evil", "/etc/evil", "toy\\..\\evil", "C:/evil", _link("toy/corpus.link")],
)
def test_one_hostile_name_refuses_the_archive(line: Line, name: zipfile.ZipInfo | str) -> None:
    zipped(line.at / "toy.zip", (name, "/etc/passwd"))
    err = refused(line, 1, "beir", "toy.zip")
    assert "would leave the folder or is a link; nothing was unpacked" in err
    assert not list(line.at.parent.glob("evil*"))


def test_what_counts_is_what_a_member_holds(tmp_path: Path) -> None:
    path = zipped(tmp_path / "big.zip", files={"toy/corpus.jsonl": "0" * 5_000_000})
    assert path.stat().st_size < 10_000  # a bomb: its size on disk says nothing
    into = tmp_path / "into"
    with pytest.raises(DataError, match="unpacks to more than --max-gib allows"):
        archive.unpack(path, into, lambda p: p.suffix == ".jsonl", 4_999_999)
    assert archive.unpack(path, tmp_path / "fits", lambda p: True, 5_000_000)


def test_damaged_and_foreign_files(line: Line) -> None:
    raw = bytearray(zipped(line.at / "toy.zip").read_bytes())
    raw[60:80] = bytes(20)
    put(line.at, bad_dot_zip=bytes(raw), text_dot_zip="no archive", cut_dot_zip=bytes(raw[: len(raw) // 2]))
    for name in ("bad.zip", "text.zip", "cut.zip"):
        assert f"{name}: cannot be unpacked (" in refused(line, 1, "beir", name)


def test_encrypted_members_are_named(line: Line) -> None:
    raw = bytearray(zipped(line.at / "toy.zip").read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        raw[raw.index(mark) + offset] |= 1
    put(line.at, locked_dot_zip=bytes(raw))
    assert "'toy/corpus.jsonl' is encrypted" in refused(line, 1, "beir", "locked.zip")


def test_errors_name_the_archive_and_not_a_folder_that_is_gone(line: Line) -> None:
    zipped(line.at / "toy.zip", files={**FILES, "toy/queries.jsonl": "{bad\n"})
    assert "toy.zip/toy/queries.jsonl:1: not JSON" in refused(line, 1, "beir", "toy.zip")
    zipped(line.at / "none.zip", files={"readme": "x"})
    assert "none.zip: holds 0 folders with a corpus.jsonl" in refused(line, 1, "beir", "none.zip")
    zipped(line.at / "two.zip", ("other/corpus.jsonl", "{}"))
    assert "two.zip: holds 2 folders with a corpus.jsonl" in refused(line, 1, "beir", "two.zip")


def test_the_same_name_twice(tmp_path: Path) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as z:
        z.writestr("a", "1")
        with pytest.warns(UserWarning, match="Duplicate name"):
            z.writestr("a", "2")
    (tmp_path / "x.zip").write_bytes(made.getvalue())
    with pytest.raises(DataError, match="holds the same name twice"):
        archive.unpack(tmp_path / "x.zip", tmp_path / "into", lambda p: p == PurePosixPath("a"), 10)
