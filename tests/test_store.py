"""The store: whole or not at all, verified when read, built once, and nothing of the dead left behind."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from runner import store
from runner.disk import drop_drafts
from runner.errors import StoreError
from runner.store import MANIFEST, Artifact, Store, check, publish

_sync = store.sync
"""The real one; `conftest` switches it off for all other tests."""


def _write(folder: Path) -> dict[str, Any]:
    (folder / "a.txt").write_text("alpha", "utf-8")
    (folder / "b.txt").write_text("beta", "utf-8")
    return {"n": 2}


def _never(folder: Path) -> dict[str, Any]:
    raise AssertionError(f"{folder} was to be found, not built")


def _leftovers(root: Path) -> list[str]:
    return [p.name for p in root.rglob(".draft-*")]


def test_what_is_published_is_found_whole(tmp_path: Path) -> None:
    made = publish(tmp_path / "stage" / "key", _write)
    assert made == Artifact(tmp_path / "stage" / "key", {"n": 2}, built=True)
    assert check(made.path) == {"n": 2}
    assert sorted(p.name for p in made.path.iterdir()) == ["a.txt", "b.txt", MANIFEST]
    body = json.loads((made.path / MANIFEST).read_text("utf-8"))
    assert body["format"] == "runner/1"
    # SHA-256 of "alpha", for instance by sha256sum
    assert body["files"]["a.txt"] == {
        "bytes": 5,
        "sha256": "8ed3f6ad685b959ead7022518e1af76cd816f8e8ec7ccdda1ed4018e8f2223f8",
    }
    assert _leftovers(tmp_path) == []


def test_everything_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "stage" / "key"
    synced: list[tuple[str, bool]] = []

    def sync(path: Path) -> None:
        _sync(path)
        synced.append((path.name, target.exists()))

    monkeypatch.setattr(store, "sync", sync)
    publish(target, _write)
    assert synced[:3] == [("a.txt", False), ("b.txt", False), (MANIFEST, False)]
    assert synced[3][0].startswith(".draft-")
    assert synced[4:] == [("stage", True)]  # the rename itself


def test_the_name_appears_when_everything_is_written(tmp_path: Path) -> None:
    target = tmp_path / "stage" / "key"

    def write(folder: Path) -> dict[str, Any]:
        _write(folder)
        assert not target.exists()
        assert folder.parent == target.parent  # the same disk, so that a rename is one step
        return {}

    publish(target, write)
    assert target.is_dir()


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("mine"), StoreError("below")])
def test_a_write_that_fails_leaves_nothing(error: BaseException, tmp_path: Path) -> None:
    def write(folder: Path) -> dict[str, Any]:
        _write(folder)
        raise error

    with pytest.raises(type(error)):
        publish(tmp_path / "stage" / "key", write)
    assert list((tmp_path / "stage").iterdir()) == []


def test_a_full_disk_is_a_store_error_and_leaves_nothing(tmp_path: Path) -> None:
    def write(folder: Path) -> dict[str, Any]:
        _write(folder)
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(StoreError, match="key: could not be written \\(No space left on device\\)"):
        publish(tmp_path / "stage" / "key", write)
    assert list((tmp_path / "stage").iterdir()) == []


def test_a_disk_that_is_full_at_the_last_step_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sync(path: Path) -> None:
        if path.name == MANIFEST:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(store, "sync", sync)
    with pytest.raises(StoreError, match="No space left on device"):
        publish(tmp_path / "stage" / "key", _write)
    assert list((tmp_path / "stage").iterdir()) == []


def test_a_folder_that_cannot_be_written_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", "utf-8")
    with pytest.raises(StoreError, match="could not be written"):
        publish(tmp_path / "file" / "stage" / "key", _write)
    with pytest.raises(StoreError, match="could not be written"):
        Store(tmp_path / "file").obtain("stage", "key", _write)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "ro").mkdir(mode=0o500)
    with pytest.raises(StoreError, match="could not be written"):
        Store(tmp_path / "ro").obtain("stage", "key", _write)


def test_a_refused_lock_is_a_store_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(store.FileLock, "acquire", refuse)
    with pytest.raises(StoreError, match="could not be written \\(Permission denied\\)"):
        Store(tmp_path).obtain("stage", "key", _write)


def test_who_publishes_first_wins(tmp_path: Path) -> None:
    target = tmp_path / "stage" / "key"

    def slower(folder: Path) -> dict[str, Any]:
        publish(target, _write)
        (folder / "a.txt").write_text("another", "utf-8")
        return {"n": 1}

    publish(target, slower)
    assert check(target) == {"n": 2}
    assert (target / "a.txt").read_text("utf-8") == "alpha"
    assert _leftovers(tmp_path) == []


def test_obtain_builds_once(tmp_path: Path) -> None:
    first = Store(tmp_path)
    assert first.find("stage", "key") is None
    assert first.obtain("stage", "key", _write).built
    assert first.obtain("stage", "key", _never) == Artifact(first.path("stage", "key"), {"n": 2})
    assert Store(tmp_path).obtain("stage", "key", _never).meta == {"n": 2}


def test_meta_is_what_a_later_reader_finds(tmp_path: Path) -> None:
    made = Store(tmp_path).obtain("stage", "key", lambda folder: {"t": (1, 2), "m": {10: "a", 9: "b"}})
    assert made.meta == {"t": [1, 2], "m": {"10": "a", "9": "b"}}
    assert Store(tmp_path).obtain("stage", "key", _never).meta == made.meta


_BUILDER = """
import sys, time
from pathlib import Path
from runner.store import Store

root, name, go = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])

def write(folder):
    (root / f"built-by-{name}").touch()
    time.sleep(0.5)
    (folder / "a.txt").write_text("alpha")
    return {"by": name}

(root / f"ready-{name}").touch()
while not go.exists():
    time.sleep(0.002)
made = Store(root / "store").obtain("stage", "key", write)
print(made.meta["by"], made.built)
"""


def test_of_two_processes_one_builds_and_the_other_waits(tmp_path: Path) -> None:
    go = tmp_path / "go"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", _BUILDER, str(tmp_path), name, str(go)], stdout=subprocess.PIPE, text=True
        )
        for name in ("x", "y")
    ]
    end = time.monotonic() + 30
    while len(list(tmp_path.glob("ready-*"))) < 2 and time.monotonic() < end:
        time.sleep(0.01)
    go.touch()
    said = sorted((p.communicate(timeout=30)[0].split() for p in running), key=lambda s: s[1])
    assert [p.returncode for p in running] == [0, 0]
    assert len(list(tmp_path.glob("built-by-*"))) == 1
    (by_one, not_built), (by_other, built) = said
    assert (not_built, built) == ("False", "True")
    assert by_one == by_other


def _dead() -> int:
    """The id of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as p:
        p.wait()
    return p.pid


def test_drafts_of_the_dead_are_removed_and_those_of_the_living_kept(tmp_path: Path) -> None:
    gone, mine = f".draft-{_dead()}-0a1b2c3d", f".draft-{os.getpid()}-0a1b2c3d"
    for folder in ("store/chunks", "runs", "store/vectors/abc"):
        for name in (gone, mine):
            (tmp_path / folder / name).mkdir(parents=True)
            (tmp_path / folder / name / "part.npy").touch()
    (tmp_path / "runs" / f"{gone}.json").touch()  # what replace_json leaves when it is killed
    (tmp_path / "runs" / f"{mine}.json").touch()
    (tmp_path / "runs" / ".draft-of-somebody").mkdir()
    drop_drafts(tmp_path)
    assert sorted(_leftovers(tmp_path)) == [mine, mine, mine, f"{mine}.json"]
    drop_drafts(tmp_path / "nowhere")


def test_artifacts_are_listed_without_drafts_locks_and_damage(tmp_path: Path) -> None:
    ours = Store(tmp_path)
    for stage, key in (("chunks", "k2"), ("chunks", "k1"), ("vectors/m", "s1"), ("legs", "k3")):
        ours.obtain(stage, key, _write)
    ours.set_aside(ours.path("legs", "k3"), "damaged")
    draft = tmp_path / "chunks" / f".draft-{os.getpid()}-00000000"
    draft.mkdir()
    (draft / MANIFEST).touch()
    assert [(s, k) for s, k, _ in ours.artifacts()] == [("chunks", "k1"), ("chunks", "k2"), ("vectors", "s1")]
    assert all((folder / MANIFEST).is_file() for _, _, folder in ours.artifacts())
