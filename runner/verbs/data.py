"""`data check` and `data import`: other people's data in, and what is wrong with a data set."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any, get_args

import yaml

from runner import registry
from runner.checking.check import Checked, Unit, check
from runner.checking.findings import Finding
from runner.config import Component
from runner.dataset.contract import locate
from runner.errors import EXIT_FAILED, EXIT_OK, DataError, RequestError, UnknownNameError, did_you_mean
from runner.importing import kinds, native_folder
from runner.text import grid, one_line, visible
from runner.verbs.arguments import Answer, parsed

USAGE = "say: python -m runner data check PATH, or: python -m runner data import KIND SOURCE --to FOLDER"
SHOWN = 10
"""Findings of one kind that the text lists; --json has all."""


def data(words: Sequence[str]) -> Answer:
    """What the words after `data` ask for."""
    verbs: dict[str, Callable[[Sequence[str]], Answer]] = {"check": _check, "import": _import}
    if not words or words[0] not in verbs:
        raise RequestError(USAGE)
    return verbs[words[0]](words[1:])


def _check(words: Sequence[str]) -> Answer:
    plain, given = parsed(words, values=["--dataset", "--size", "--unit"])
    settings = [w for w in plain if w.startswith("dataset.") and "=" in w]
    paths = [w for w in plain if w not in settings]
    if len(paths) != 1 and not (given.get("--dataset") and not paths):
        raise RequestError(USAGE)
    dataset = _dataset(paths, str(given.get("--dataset", "")), settings)
    unit = str(given.get("--unit", "tokens"))
    if unit not in get_args(Unit):
        raise UnknownNameError(f"--unit: '{unit}' is no choice; {did_you_mean(unit, get_args(Unit))}")
    size = str(given.get("--size", "200"))
    if not size.isdecimal() or not int(size):
        raise RequestError(f"--size: '{one_line(size)}' is no whole number above 0")
    done = check(dataset, size=int(size), unit="tokens" if unit == "tokens" else "characters")
    value = {
        "form": dataset.name,
        **done.counts,
        "errors": done.errors,
        "warnings": len(done.findings) - done.errors,
        "findings": [asdict(f) for f in done.findings],
    }
    return Answer(_text(dataset.name, done), value, EXIT_FAILED if done.errors else EXIT_OK)


def _dataset(paths: Sequence[str], name: str, settings: Sequence[str]) -> Component:
    raw: dict[str, Any] = {}
    if paths:
        path = _there(paths[0])
        raw["path"] = str(path.absolute())
        name = name or _form(path)
    for setting in settings:
        key, _, value = setting.removeprefix("dataset.").partition("=")
        raw[key] = yaml.safe_load(value)
    return registry.parse("dataset", {"name": name, **raw})


def _there(path: str) -> Path:
    """What is here comes before the data root."""
    return Path(path) if Path(path).exists() else locate(path)


def _form(path: Path) -> str:
    if path.name.removesuffix(".gz").endswith(".json"):
        return "squad"
    return "beir" if any(path.glob("corpus.jsonl*")) else "native"


def _text(name: str, done: Checked) -> str:
    rows = [["form", name], *([k, str(v)] for k, v in done.counts.items())]
    parts = [grid(["what", "value"], rows)]
    key: Callable[[Finding], tuple[str, str]] = lambda f: (f.severity, f.lint)  # noqa: E731
    for (severity, lint), group in groupby(sorted(done.findings, key=key), key):
        found = list(group)
        more = f"\n  … and {len(found) - SHOWN} more (--json lists all)" if len(found) > SHOWN else ""
        lines = [f"\n  {_where(f)}{visible(f.what)}" for f in found[:SHOWN]]
        cure = "".join(f"\n  cure: {c}" for c in dict.fromkeys(f.cure for f in found))
        parts.append(f"{severity}: {lint} ({len(found)}){''.join(lines)}{more}{cure}")
    errors, warnings = done.errors, len(done.findings) - done.errors
    return "\n\n".join(
        [*parts, f"{errors} errors, {warnings} warnings" if done.findings else "nothing to complain of"]
    )


def _where(finding: Finding) -> str:
    if finding.file is None or finding.what.startswith(finding.file):
        return ""
    return f"{finding.file}{'' if finding.line is None else f':{finding.line}'}: "


def _import(words: Sequence[str]) -> Answer:
    if not words or words[0].startswith("-"):
        raise RequestError(f"{USAGE}. Kinds: {', '.join(kinds.KINDS)}")
    name, *rest = words
    known = kinds.options(name)
    flags = [o for o, kind in known.items() if kind is bool]
    values = [o for o in known if o not in flags]
    plain, given = parsed(rest, flags, ["--to", "--licence", *values])
    target, licence = given.get("--to"), given.get("--licence")
    settings = {option: value for option, value in given.items() if option in known}
    if len(plain) != 1 or not target:
        raise RequestError(f"say: python -m runner data import {name} SOURCE --to FOLDER")
    try:
        loaded = kinds.made(name, _there(plain[0]), settings).load()
    except (DataError, RequestError) as e:
        kind = RequestError if isinstance(e, RequestError) else DataError
        raise kind(kinds.as_options(str(e))) from None
    about = {
        "kind": name,
        "options": _options(settings) or "none",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "licence": str(licence) if licence else "not stated here; that of the source holds",
    }
    said = native_folder.publish(loaded, Path(str(target)), about)
    left_out = {f"left out: {reason}": n for reason, n in loaded.corpus.rejected.items()}
    rows = [[k, str(v)] for k, v in {**said["counts"], **left_out}.items()]
    text = f"written: {target}\ncheck it: python -m runner data check {target}"
    text = f"{grid(['what', 'value'], rows)}\n\n{text}"
    return Answer(text, {"folder": str(target), **said, "rejected": loaded.corpus.rejected})


def _options(given: Mapping[str, str | bool]) -> str:
    return " ".join(o if v is True else f"{o} {v}" for o, v in sorted(given.items()))
