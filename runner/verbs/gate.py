"""The verb `gate`: against published figures, or statistically against a baseline run or file."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import cast

from runner import gate as packs
from runner import named, published
from runner.errors import EXIT_FAILED, EXIT_OK, RequestError
from runner.gating import baseline, forms
from runner.gating.baseline import Baseline
from runner.gating.judgement import judge
from runner.measure_names import leading
from runner.request import conf_folder
from runner.store import publish_file
from runner.verbs.arguments import (
    Answer,
    Given,
    at_most,
    margin_of,
    measures_of,
    only,
    outputs_of,
    parsed,
    target,
)

_FLAGS = ("--markdown", "--strict")
_VALUES = ("--expected", "--candidate", "--baseline", "--measure", "--margin", "--budget-tokens",
           "--max-latency-ratio", "--save", "--junit", "--summary")  # fmt: skip


def gate(words: Sequence[str]) -> Answer:
    """`gate --expected NAME|all`, `gate --baseline FILE|RUN [RUN]`, or `gate --save FILE [RUN]`.

    Exit code 0: open, 1: closed, 2 (RequestError): the runs cannot be compared, or the request is wrong.
    """
    plain, given = parsed(words, _FLAGS, _VALUES)
    at_most(1, plain, "gate")
    if plain and "--candidate" in given:
        raise RequestError("gate: the candidate is named twice; leave --candidate out")
    given |= {"--candidate": plain[0]} if plain else {}
    outputs = outputs_of(given)
    if "--expected" in given:
        only(given, ("--expected", "--candidate", "--markdown"), "gate --expected")
        return _expected(given, outputs)
    if "--baseline" in given:
        return _against(given, outputs)
    if "--save" in given:
        only(given, ("--save", "--candidate"), "gate --save without --baseline")
        path = target(given, "--save")
        made = baseline.of_run(named.open_run(outputs, str(given.get("--candidate", "latest"))))
        baseline.write(made, cast(Path, path))
        return Answer(f"baseline of {made.said}: {path}", {"run": made.run})
    known = ", ".join(packs.packs(conf_folder() / "expected"))
    raise RequestError(
        "gate: say --baseline FILE, --baseline RUN, --save FILE, --expected all, or --expected one of "
        f"{known}"
    )


def _expected(given: Given, outputs: Path) -> Answer:
    folder, name = conf_folder() / "expected", str(given["--expected"])
    if name == published.ALL and "--candidate" in given:
        raise RequestError("gate: --candidate goes with the name of one pack")
    if name == published.ALL:
        found = packs.outcomes(folder, outputs)
    else:
        found = [packs.outcome(name, folder, outputs, str(given.get("--candidate", packs.LATEST)))]
    text = (published.page if "--markdown" in given else published.text)(found)
    lines = [{"pack": o.name, **packs.body(c)} for o in found for c in o.checked]
    return Answer(text, lines, EXIT_FAILED if any(o.count("FAIL") for o in found) else EXIT_OK)


def _against(given: Given, outputs: Path) -> Answer:
    asked = {option: target(given, option) for option in ("--junit", "--summary", "--save")}
    files = {option: path for option, path in asked.items() if path is not None}
    if len(set(files.values())) < len(files):
        raise RequestError(f"gate: {' and '.join(files)} name one file; give each its own")
    before = _side(str(given["--baseline"]), outputs)
    after = _side(str(given.get("--candidate", "latest")), outputs)
    limit = _number(given, "--max-latency-ratio", 0) if "--max-latency-ratio" in given else None
    found = judge(
        before,
        after,
        _measures(given, before),
        margin=margin_of(given),
        strict="--strict" in given,
        latency_limit=limit,
    )
    for option, form in (("--junit", forms.junit), ("--summary", forms.markdown)):
        if option in files:
            _put(files[option], form(found))
    if "--save" in files and found.passed:
        baseline.write(after, files["--save"])
    text = forms.markdown(found) if "--markdown" in given else forms.text(found)
    return Answer(text, {**asdict(found), "passed": found.passed}, EXIT_OK if found.passed else EXIT_FAILED)


def _measures(given: Given, before: Baseline) -> list[str]:
    """What the gate judges: as asked, or the leading measure of the baseline."""
    if "--budget-tokens" in given:
        if "--measure" in given:
            raise RequestError("gate: --budget-tokens names a measure of its own; leave --measure out")
        return [f"SpanR@{_number(given, '--budget-tokens', 1):.0f}t"]
    return measures_of(given) or [leading(before.measures) or next(iter(before.measures))]


def _side(ref: str, outputs: Path) -> Baseline:
    """A baseline file, or a run."""
    path = Path(ref)
    with contextlib.suppress(OSError):  # a name that no file can have is that of no file
        if path.suffix == ".json" or path.is_file():
            return baseline.read(path)
    return baseline.of_run(named.open_run(outputs, ref))


def _number(given: Given, option: str, least: float) -> float:
    try:
        value = float(str(given[option]))
    except ValueError:
        value = float("nan")
    if not least <= value < float("inf"):
        raise RequestError(f"{option}: '{given[option]}' is no number of at least {least:g}")
    return value


def _put(path: Path, text: str) -> None:
    publish_file(path, lambda draft: draft.write_text(text, "utf-8"))
