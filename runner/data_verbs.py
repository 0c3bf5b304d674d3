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
from runner.config import Component
from runner.dataset.contract import locate
from runner.dataset_check import Checked, Unit, check
from runner.errors import EXIT_FAILED, EXIT_OK, DataError, RequestError, UnknownNameError, did_you_mean
from runner.findings import Finding
from runner.importing import kinds, native_folder
from runner.text import grid, one_line, visible

USAGE = "say: python -m runner data check PATH, or: python -m runner data import KIND SOURCE --to FOLDER"
SHOWN = 10
"""Findings of one kind that the text lists; --json has all."""
Given = dict[str, str | bool]
Said = tuple[str, Any, int]
"""Text, JSON value, exit code."""


def data(words: Sequence[str]) -> Said:
    """What the words after `data` ask for."""
    verbs: dict[str, Callable[[Sequence[str]], Said]] = {"check": _check, "import": _import}
    if not words or words[0] not in verbs:
        raise RequestError(USAGE)
    return verbs[words[0]](words[1:])


def parsed(words: Sequence[str], flags: Sequence[str], values: Sequence[str]) -> tuple[list[str], Given]:
    """Positional words, and options by name: `flags` stand alone, `values` take a word or `=value`."""
    plain: list[str] = []
    given: Given = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        option, equals, value = word.partition("=")
        if not word.startswith("-"):
            plain.append(word)
        elif option in flags:
            if equals:
                raise RequestError(f"{option}: takes no value")
            given[option] = True
        elif option in values:
            if not equals and not rest:
                raise RequestError(f"{option}: needs a value")
            given[option] = value if equals else rest.pop(0)
        else:
            raise UnknownNameError(
                f"there is no option '{option}'; {did_you_mean(option, [*flags, *values])}"
            )
    return plain, given


def _check(words: Sequence[str]) -> Said:
    plain, given = parsed(words, ["--json"], ["--dataset", "--size", "--unit", "--outputs"])
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
    return _text(dataset.name, done), value, EXIT_FAILED if done.errors else EXIT_OK


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


def _import(words: Sequence[str]) -> Said:
    if not words or words[0].startswith("-"):
        raise RequestError(f"{USAGE}. Kinds: {', '.join(kinds.KINDS)}")
    name, *rest = words
    known = kinds.options(name)
    flags = [o for o, kind in known.items() if kind is bool]
    values = [o for o in known if o not in flags]
    plain, given = parsed(rest, ["--json", *flags], ["--to", "--licence", "--outputs", *values])
    target, licence = given.pop("--to", ""), given.pop("--licence", "")
    for option in ("--json", "--outputs"):
        given.pop(option, None)
    if len(plain) != 1 or not target:
        raise RequestError(f"say: python -m runner data import {name} SOURCE --to FOLDER")
    try:
        loaded = kinds.made(name, _there(plain[0]), given).load()
    except (DataError, RequestError) as e:
        kind = RequestError if isinstance(e, RequestError) else DataError
        raise kind(kinds.as_options(str(e))) from None
    about = {
        "kind": name,
        "options": _options(given) or "none",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "licence": str(licence) or "not stated here; that of the source holds",
    }
    said = native_folder.publish(loaded, Path(str(target)), about)
    left_out = {f"left out: {reason}": n for reason, n in loaded.corpus.rejected.items()}
    rows = [[k, str(v)] for k, v in {**said["counts"], **left_out}.items()]
    text = f"written: {target}\ncheck it: python -m runner data check {target}"
    text = f"{grid(['what', 'value'], rows)}\n\n{text}"
    return text, {"folder": str(target), **said, "rejected": loaded.corpus.rejected}, EXIT_OK


def _options(given: Mapping[str, str | bool]) -> str:
    return " ".join(o if v is True else f"{o} {v}" for o, v in sorted(given.items()))
