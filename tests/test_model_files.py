"""Model files: found on this disk first, checked against upstream, identified by what they are."""

from __future__ import annotations

import hashlib
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runner.errors import ComponentError
from runner.model_files import folder_digests, locate_model

REVISION = "c0ffee" + "0" * 34
FILES = {
    "config.json": b"{}",
    "modules.json": b"[]",
    "model.safetensors": b"weights",
    "tokenizer.json": b"{1}",
    "vocab.txt": b"[PAD]\n",
    "1_Pooling/config.json": b"{2}",
    "README.md": b"prose",
    "onnx/model.onnx": b"another form",
}
DECISIVE = {n for n in FILES if not n.startswith(("README", "onnx"))}


def _sha(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def _model(at: Path, **changed: bytes) -> Path:
    for name, raw in FILES.items():
        (at / name).parent.mkdir(parents=True, exist_ok=True)
        (at / name).write_bytes(changed.get(name.replace(".", "_").replace("/", "__"), raw))
    return at


@pytest.fixture(autouse=True)
def _no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty hub cache, and a failure for whoever opens a connection."""

    def refuse(*args: Any, **more: Any) -> None:
        raise AssertionError("a connection was opened")

    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    yield


def test_a_folder_is_used_as_it_is(tmp_path: Path) -> None:
    folder = _model(tmp_path / "mine")
    assert locate_model(str(folder), None, None, {}) == folder
    assert locate_model(str(folder), REVISION, "no_such_package", {}) == folder


def _cached(hub: Path, revision: str = REVISION) -> Path:
    """A snapshot as huggingface_hub lays it out: links into a folder of blobs."""
    home = hub / "models--org--name"
    snapshot = home / "snapshots" / revision
    for name, raw in FILES.items():
        blob = home / "blobs" / _sha(raw)
        blob.parent.mkdir(parents=True, exist_ok=True)
        blob.write_bytes(raw)
        (snapshot / name).parent.mkdir(parents=True, exist_ok=True)
        (snapshot / name).symlink_to(blob)
    return snapshot


def test_a_hub_id_is_found_in_the_cache_at_its_revision(tmp_path: Path) -> None:
    snapshot = _cached(tmp_path / "hub")
    assert locate_model("org/name", REVISION, None, {}) == snapshot
    assert folder_digests(snapshot) == {n: _sha(FILES[n]) for n in sorted(DECISIVE)}


def test_the_cache_is_where_the_hub_client_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_HUB_CACHE")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    snapshot = _cached(tmp_path / "home" / "hub")
    assert locate_model("org/name", REVISION, None, {}) == snapshot


def test_another_revision_in_the_cache_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _cached(tmp_path / "hub", "d" * 40)
    asked = _hub(monkeypatch, OSError("offline"))
    with pytest.raises(ComponentError, match="the hub did not give it"):
        locate_model("org/name", REVISION, None, {})
    assert asked == [("org/name", REVISION)]


def _package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that carries a model and must not be imported."""
    root = tmp_path / "site" / "carries_a_model"
    _model(root / "model")
    (root / "__init__.py").write_text("raise AssertionError('imported')\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path / "site")
    return root / "model"


def test_a_package_is_read_and_never_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = _package(tmp_path, monkeypatch)
    assert locate_model("org/name", REVISION, "carries_a_model", {}) == folder
    assert "carries_a_model" not in sys.modules
    snapshot = _cached(tmp_path / "hub")
    assert locate_model("org/name", REVISION, "carries_a_model", {}) == snapshot  # the cache comes first


@pytest.mark.parametrize("how", ["folder", "cache", "package"])
def test_a_digest_that_differs_is_refused_wherever_the_file_is(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = "org/name"
    if how == "folder":
        model = str(_model(tmp_path / "mine"))
    elif how == "cache":
        _cached(tmp_path / "hub")
    else:
        _package(tmp_path, monkeypatch)
    right, wrong = {"model.safetensors": _sha(b"weights")}, {"model.safetensors": _sha(b"other weights")}
    assert locate_model(model, REVISION, "carries_a_model", right).is_dir()
    said = (
        f"model.safetensors: digest {_sha(b'weights')[:12]} is not upstream's {_sha(b'other weights')[:12]}"
    )
    with pytest.raises(ComponentError, match=said):
        locate_model(model, REVISION, "carries_a_model", wrong)
    with pytest.raises(ComponentError, match="digest no such file is not upstream's"):
        locate_model(model, REVISION, "carries_a_model", {"pytorch_model.bin": _sha(b"")})


def test_a_file_that_changes_is_digested_again(tmp_path: Path) -> None:
    folder = _model(tmp_path / "mine")
    before = folder_digests(folder)
    (folder / "model.safetensors").write_bytes(b"retrained")
    after = folder_digests(folder)
    assert after["model.safetensors"] == _sha(b"retrained")
    assert {n for n in before if before[n] != after[n]} == {"model.safetensors"}


@pytest.mark.parametrize("name", sorted(DECISIVE))
def test_every_file_that_decides_moves_the_identity(name: str, tmp_path: Path) -> None:
    one = _model(tmp_path / "one")
    other = _model(tmp_path / "other")
    assert folder_digests(one) == folder_digests(other)
    (other / name).write_bytes(b"other")
    assert folder_digests(one) != folder_digests(other)


def test_prose_and_other_forms_do_not_move_it(tmp_path: Path) -> None:
    one = _model(tmp_path / "one")
    other = _model(tmp_path / "other", README_md=b"more prose", onnx__model_onnx=b"again another form")
    assert folder_digests(one) == folder_digests(other)
    assert set(folder_digests(one)) == DECISIVE


def _hub(monkeypatch: pytest.MonkeyPatch, answer: Path | Exception) -> list[tuple[str, str]]:
    """A hub client that answers without a network; what it is asked is noted."""
    import huggingface_hub

    asked: list[tuple[str, str]] = []

    def download(model: str, *, revision: str, ignore_patterns: list[str]) -> str:
        asked.append((model, revision))
        assert "pytorch_model.bin" in ignore_patterns
        if isinstance(answer, Exception):
            raise answer
        return str(answer)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    return asked


def test_the_hub_is_asked_last_and_at_the_pinned_revision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = _model(tmp_path / "downloaded")
    asked = _hub(monkeypatch, folder)
    wrong = {"model.safetensors": _sha(b"other")}
    assert locate_model("org/name", REVISION, "no_such_package", {}) == folder
    assert asked == [("org/name", REVISION)]
    with pytest.raises(ComponentError, match="is not upstream's"):
        locate_model("org/name", REVISION, "no_such_package", wrong)


@pytest.mark.parametrize(
    ("model", "revision", "package"),
    [("org/name", None, None), ("name", REVISION, None), ("no/such/folder", None, "no_such_package")],
)
def test_without_a_revision_nothing_is_fetched(
    model: str, revision: str | None, package: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = _hub(monkeypatch, AssertionError("asked"))
    with pytest.raises(ComponentError, match=f"model '{model}' is no folder here; give a folder"):
        locate_model(model, revision, package, {})
    assert asked == []


def test_a_failure_says_the_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    _hub(monkeypatch, OSError("offline"))
    with pytest.raises(ComponentError, match=r"the hub did not give it \(offline\); .* \(no_such_package\)"):
        locate_model("org/name", REVISION, "no_such_package", {})
