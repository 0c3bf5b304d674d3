"""Damage in the store: the file is named, its folder set aside, and what it held is built again."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from runner.errors import StoreError
from runner.store import MANIFEST, Store, check


def _write(folder: Path) -> dict[str, Any]:
    (folder / "a.txt").write_text("alpha", "utf-8")
    (folder / "b.txt").write_text("beta", "utf-8")
    return {"n": 2}


def _damage(path: Path, how: str) -> str:
    """Damage a published folder; returns the name of the file that is then at fault."""
    manifest = path / MANIFEST
    body = json.loads(manifest.read_text("utf-8"))
    if how == "a byte":
        (path / "b.txt").write_text("bets", "utf-8")
        return "b.txt"
    if how == "the end":
        (path / "b.txt").write_text("bet", "utf-8")
        return "b.txt"
    if how == "the file":
        (path / "a.txt").unlink()
        return "a.txt"
    if how == "the manifest":
        manifest.unlink()
    elif how == "half the manifest":
        manifest.write_text(manifest.read_text("utf-8")[:50], "utf-8")
    elif how == "meta":
        manifest.write_text(json.dumps({**body, "meta": {"n": 3}}), "utf-8")
    elif how == "a digest":
        body["files"]["a.txt"] = {}
        manifest.write_text(json.dumps(body), "utf-8")
    else:
        manifest.write_text("[]", "utf-8")
    return MANIFEST


@pytest.mark.parametrize(
    "how",
    [
        "a byte", "the end", "the file", "the manifest", "half the manifest", "meta", "a digest",
        "another manifest",
    ],
)  # fmt: skip
def test_damage_is_named_set_aside_and_mended(
    how: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = Store(tmp_path).obtain("stage", "key", _write).path
    name = _damage(path, how)
    with pytest.raises(StoreError, match=f"{name}: (missing|damaged)"):
        check(path)
    fresh = Store(tmp_path)
    with caplog.at_level(logging.WARNING):
        assert fresh.find("stage", "key") is None
    assert name in caplog.text
    assert "set aside" in caplog.text
    assert not path.exists()
    kept = list((tmp_path / "damaged").iterdir())
    assert [p.name[:10] for p in kept] == ["stage-key-"]
    assert fresh.obtain("stage", "key", _write).built
    assert check(path) == {"n": 2}


def test_damage_that_another_process_set_aside_is_no_fault(tmp_path: Path) -> None:
    ours = Store(tmp_path)
    path = ours.obtain("stage", "key", _write).path
    ours.set_aside(path, "damaged")
    ours.set_aside(path, "damaged")  # it is gone already
    assert ours.find("stage", "key") is None


def test_damage_that_cannot_be_set_aside_is_a_store_error(tmp_path: Path) -> None:
    path = Store(tmp_path).obtain("stage", "key", _write).path
    _damage(path, "a byte")
    (tmp_path / "damaged").write_text("no folder", "utf-8")
    with pytest.raises(StoreError, match=r"b\.txt: damaged .*could not be set aside"):
        Store(tmp_path).find("stage", "key")
