"""The kinds of import and their options, which are the fields of the kind's class."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, Protocol, get_args, get_origin, get_type_hints

from runner.errors import RequestError, UnknownNameError, did_you_mean
from runner.importing.beir import BeirFolder
from runner.importing.folder import PlainFolder
from runner.importing.hf import HuggingFaceFolder
from runner.importing.loaded import Loaded
from runner.importing.quotes import QuotesFile
from runner.importing.squad import SquadFile
from runner.importing.trec import TrecFolder


class Kind(Protocol):
    """A dataclass: `source`, then its options, each with a default."""

    def load(self) -> Loaded:
        """Read and check everything."""
        ...


KINDS: dict[str, Any] = {
    "beir": BeirFolder,
    "trec": TrecFolder,
    "squad": SquadFile,
    "quotes": QuotesFile,
    "folder": PlainFolder,
    "hf": HuggingFaceFolder,
}


def kind_class(name: str) -> Any:
    """The class of a kind. Raises UnknownNameError with the list of them."""
    if name not in KINDS:
        raise UnknownNameError(f"data import: there is no kind '{name}'; {did_you_mean(name, KINDS)}")
    return KINDS[name]


def options(name: str) -> dict[str, Any]:
    """The type of each option of a kind, by its name on the command line (`--on-bad`)."""
    cls = kind_class(name)
    hints = get_type_hints(cls)
    return {f"--{f.name.replace('_', '-')}": hints[f.name] for f in fields(cls) if f.name != "source"}


def made(name: str, source: Path, given: Mapping[str, str | bool]) -> Kind:
    """The import of `source` as a kind, with the options that were given.

    Raises:
        RequestError: an unknown kind, a value that an option does not take.
    """
    kinds = options(name)
    values = {o[2:].replace("-", "_"): _value(o, v, kinds[o]) for o, v in given.items()}
    made: Kind = kind_class(name)(source, **values)
    return made


def _value(option: str, given: str | bool, kind: Any) -> Any:
    if get_origin(kind) is Literal and given not in get_args(kind):
        raise UnknownNameError(
            f"{option}: '{given}' is no choice; {did_you_mean(str(given), get_args(kind))}"
        )
    if kind is int:
        if not re.fullmatch(r"[1-9]\d{0,5}", str(given)):
            raise RequestError(f"{option}: '{given}' is no whole number above 0")
        return int(given)
    return given


def as_options(message: str) -> str:
    """A message that names fields of a data set's config, with the options of an import for them."""
    message = re.sub(r"\bdataset\.path\b", "SOURCE", message)
    return re.sub(
        r"\bdataset\.([a-z_]+)(=)?",
        lambda m: f"--{m[1].replace('_', '-')}{' ' if m[2] else ''}",
        message,
    )
