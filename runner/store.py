"""The store: folders published whole or not at all, found by key, verified on read, built once."""

from __future__ import annotations

import json
import logging
import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from runner import keys
from runner.disk import sync
from runner.errors import StoreError

log = logging.getLogger(__name__)

_MUCH = 1 << 22
"""Bytes from which files are digested in parallel."""
MANIFEST = "manifest.json"
Write = Callable[[Path], dict[str, Any]]
"""Writes an artifact's files into the folder it is given and returns what the manifest should say of it."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """A published folder: where it is, what its manifest says, and whether this call built it."""

    path: Path
    meta: dict[str, Any]
    built: bool = False


def publish(target: Path, write: Write) -> Artifact:
    """Write a folder beside `target`, sync it, then give it its name: readers see all or nothing.

    Whoever publishes first wins; a second publisher of the same key finds the folder and keeps it.

    Raises:
        StoreError: the disk refused (full, read-only).
    """
    draft = target.parent / f".draft-{os.getpid()}-{uuid.uuid4().hex[:8]}"
    try:
        draft.mkdir(parents=True)
        meta: dict[str, Any] = json.loads(keys.canonical(write(draft)))  # as a reader will find it
        files = {p.relative_to(draft).as_posix(): p for p in sorted(draft.rglob("*")) if p.is_file()}
        said = {n: {"sha256": keys.file_digest(p), "bytes": p.stat().st_size} for n, p in files.items()}
        body = {
            "format": keys.FORMAT,
            "meta": meta,
            "files": said,
            "sha256": keys.digest([meta, said]),
        }
        for p in files.values():
            sync(p)
        (draft / MANIFEST).write_text(json.dumps(body, indent=1, sort_keys=True), "utf-8")
        sync(draft / MANIFEST)
        sync(draft)
        try:
            draft.rename(target)
        except OSError:
            if not (target / MANIFEST).is_file():
                raise
        sync(target.parent)
    except OSError as e:
        raise _refused(target, e) from e
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return Artifact(target, meta, built=True)


def publish_file(target: Path, write: Callable[[Path], object]) -> None:
    """Write one file that may exist already: whole under another name, then put in its place in one step."""
    draft = target.parent / f".draft-{os.getpid()}-{uuid.uuid4().hex[:8]}{target.suffix}"
    try:
        write(draft)
        sync(draft)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _refused(path: Path, e: OSError) -> StoreError:
    return StoreError(f"{path}: could not be written ({e.strerror or e}); nothing half-written was kept")


def check(target: Path) -> dict[str, Any]:
    """What the manifest of a published folder says, after every file's digest was compared.

    Raises:
        StoreError: names the file that is missing or damaged.
    """
    meta, files = _manifest(target)
    paths = [target / n for n in files]
    if sum(said["bytes"] for said in files.values()) < _MUCH:  # a pool would cost more than it saves
        problems = [p for p in map(_problem, paths, files.values()) if p]
    else:
        with ThreadPoolExecutor() as pool:  # digesting a large file lets other threads run
            problems = [p for p in pool.map(_problem, paths, files.values()) if p]
    if problems:
        raise StoreError(problems[0])
    return meta


def published(target: Path) -> dict[str, Any]:
    """What the manifest of a published folder says of each file, by name.

    Raises:
        StoreError: it is missing or damaged.
    """
    return _manifest(target)[1]


def check_file(path: Path, files: dict[str, Any]) -> None:
    """Compare one file with what `published` says of it.

    Raises:
        StoreError: it is missing or damaged.
    """
    problem = _problem(path, files[path.name]) if path.name in files else f"{path}: missing"
    if problem:
        raise StoreError(problem)


def _manifest(target: Path) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    try:
        body = json.loads((target / MANIFEST).read_text("utf-8"))
        files, meta = body["files"], body["meta"]
        if body["sha256"] != keys.digest([meta, files]):
            raise ValueError("its digest is not the one it was published with")
    except (OSError, ValueError, KeyError, TypeError) as e:
        raise StoreError(f"{target / MANIFEST}: missing or damaged ({e})") from e
    return meta, files


def _problem(path: Path, said: dict[str, Any]) -> str | None:
    """What is wrong with a published file, if anything."""
    if not path.is_file():
        return f"{path}: missing"
    if path.stat().st_size != said["bytes"] or keys.file_digest(path) != said["sha256"]:
        return f"{path}: damaged (its digest is not the one it was published with)"
    return None


class Store:
    """Artifacts by (stage, key) under `root`; each is verified the first time a process reads it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._seen: dict[Path, Artifact] = {}

    def path(self, stage: str, key: str) -> Path:
        """Where the artifact is or would be."""
        return self.root / stage / key

    @contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """A lock between processes; the operating system frees it when its holder dies.

        Raises:
            StoreError: the lock file cannot be made.
        """
        path = self.root / "locks" / f"{name}.lock"
        lock = FileLock(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            lock.acquire()
        except OSError as e:
            raise _refused(path, e) from e
        try:
            yield
        finally:
            lock.release()

    def find(self, stage: str, key: str) -> Artifact | None:
        """The artifact, verified, or None. A damaged one is named, set aside and not served."""
        path = self.path(stage, key)
        if path in self._seen:
            return self._seen[path]
        if not path.is_dir():
            return None
        try:
            artifact = Artifact(path, check(path))
        except StoreError as e:
            self.set_aside(path, str(e))
            return None
        self._seen[path] = artifact
        return artifact

    def obtain(self, stage: str, key: str, write: Write) -> Artifact:
        """The artifact.

        Built if it is not there. Of several processes that ask, one builds and the others wait.
        """
        found = self.find(stage, key)
        if found:
            return found
        with self.lock(f"{stage}-{key}"):
            found = self.find(stage, key)
            if found:
                return found
            made = publish(self.path(stage, key), write)
        self._seen[made.path] = Artifact(made.path, made.meta)
        return made

    def set_aside(self, path: Path, why: str) -> None:
        """Move a damaged folder out of the way, keeping it for whoever wants to look."""
        aside = self.root / "damaged" / f"{path.parent.name}-{path.name}-{uuid.uuid4().hex[:6]}"
        self._seen.pop(path, None)
        try:
            aside.parent.mkdir(parents=True, exist_ok=True)
            path.rename(aside)
        except FileNotFoundError:  # another process was faster
            return
        except OSError as e:
            raise StoreError(f"{why}, and it could not be set aside ({e.strerror or e})") from e
        log.warning("%s; set aside as %s, will be rebuilt when it is needed", why, aside)

    def segments(self, stage: str) -> Iterator[Path]:
        """The folders of an append-only stage by name, each verified the first time it is seen."""
        root = self.root / stage
        names = sorted(p.name for p in root.iterdir() if not p.name.startswith(".")) if root.is_dir() else []
        return (self.path(stage, name) for name in names if self.find(stage, name))

    def artifacts(self) -> Iterator[tuple[str, str, Path]]:
        """Every published (stage, key, folder), sorted."""
        for stage in sorted(p for p in self.root.glob("*") if p.is_dir()):
            if stage.name not in {"locks", "damaged"}:
                for folder in sorted(stage.rglob(f"[!.]*/{MANIFEST}")):
                    yield stage.name, folder.parent.name, folder.parent
