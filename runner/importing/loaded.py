"""What a kind of import gives: the corpus it read, and from which files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runner import registry
from runner.dataset.contract import Corpus, Dataset
from runner.dataset.native import Native
from runner.errors import RequestError


@dataclass(frozen=True, slots=True)
class Loaded:
    """A source, read and checked."""

    corpus: Corpus
    inputs: tuple[Path, ...]
    """The files it was read from; their digests are recorded."""


def through(name: str, path: Path, **settings: Any) -> Loaded:
    """What the data set component `name` reads at `path`."""
    raw = {"name": name, "path": str(path), **settings}
    dataset = registry.as_contract(registry.parse("dataset", raw), Dataset)
    return Loaded(dataset.load(), tuple(dataset.sources()))


def named(source: Path, given: str, option: str, default: tuple[str, ...]) -> Path:
    """The file or folder that an option names, in `source` or here; without it the one of `default` there is.

    Raises:
        RequestError: it is nowhere, or several of `default` are there.
    """
    if given:
        for place in (source / given, Path(given)):
            if place.exists():
                return place
        raise RequestError(f"{option}: '{given}' is neither in {source} nor here")
    found = [source / name for name in default if (source / name).exists()]
    if len(found) != 1:
        has = f"has both {' and '.join(p.name for p in found)}" if found else f"has no {' or '.join(default)}"
        raise RequestError(f"{option}: {source} {has}; say which: {option} NAME")
    return found[0]


def native(folder: Path) -> Corpus:
    """The corpus of a native folder, as a run will read it."""
    return Native(path=str(folder.absolute())).load()
