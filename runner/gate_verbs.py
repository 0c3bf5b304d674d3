"""The verb `gate`: against published figures, or statistically against a baseline run or file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from runner import gate as packs
from runner import published, runs
from runner.data_verbs import Said, parsed
from runner.errors import EXIT_FAILED, EXIT_OK, RequestError
from runner.gating import baseline, forms
from runner.gating.baseline import Baseline
from runner.gating.judgement import judge
from runner.request import conf_folder
from runner.store import publish_file

_FLAGS = ("--json", "--markdown", "--strict")
_VALUES = ("--expected", "--candidate", "--outputs", "--baseline", "--measure", "--margin", "--budget-tokens",
           "--max-latency-ratio", "--save", "--junit", "--summary")  # fmt: skip
MARGIN = 0.01


def gate(words: Sequence[str]) -> Said:
    """`gate --expected NAME|all`, `gate --baseline FILE|RUN [--candidate RUN]`, or `gate --save FILE`.

    Exit code 0: open, 1: closed, 2 (RequestError): the runs cannot be compared, or the request is wrong.
    """
    plain, given = parsed(words, _FLAGS, _VALUES)
    if plain:
        raise RequestError(f"gate: '{plain[0]}' is one argument too many")
    outputs = Path(str(given.get("--outputs", "outputs")))
    if "--expected" in given:
        return _expected(given, outputs)
    if "--baseline" in given:
        return _against(given, outputs)
    if "--save" in given:
        run = runs.open_run(outputs, str(given.get("--candidate", "latest")))
        made = baseline.of_run(run)
        baseline.write(made, Path(str(given["--save"])))
        return f"baseline of run {run.short}: {given['--save']}", {"run": run.key}, EXIT_OK
    known = ", ".join(packs.packs(conf_folder() / "expected"))
    raise RequestError(
        "gate: say --baseline FILE, --baseline RUN, --save FILE, --expected all, or --expected one of "
        f"{known}"
    )


def _expected(given: Mapping[str, Any], outputs: Path) -> Said:
    folder, name = conf_folder() / "expected", str(given["--expected"])
    if name == published.ALL and "--candidate" in given:
        raise RequestError("gate: --candidate goes with the name of one pack")
    if name == published.ALL:
        found = packs.outcomes(folder, outputs)
    else:
        found = [packs.outcome(name, folder, outputs, str(given.get("--candidate", packs.LATEST)))]
    text = (published.page if "--markdown" in given else published.text)(found)
    lines = [{"pack": o.name, **packs.body(c)} for o in found for c in o.checked]
    return text, lines, EXIT_FAILED if any(o.count("FAIL") for o in found) else EXIT_OK


def _against(given: Mapping[str, Any], outputs: Path) -> Said:
    before = _side(str(given["--baseline"]), outputs)
    after = _side(str(given.get("--candidate", "latest")), outputs)
    if "--measure" in given:
        measures = [m.strip() for m in str(given["--measure"]).split(",") if m.strip()]
    else:
        measures = [next(iter(before.measures))]
    if "--budget-tokens" in given:
        measures = [f"SpanR@{_number(given, '--budget-tokens', 1):.0f}t"]
    limit = _number(given, "--max-latency-ratio", 0) if "--max-latency-ratio" in given else None
    found = judge(
        before,
        after,
        measures,
        margin=_number(given, "--margin", 0, MARGIN),
        strict="--strict" in given,
        latency_limit=limit,
    )
    for option, form in (("--junit", forms.junit), ("--summary", forms.markdown)):
        if option in given:
            _put(Path(str(given[option])), form(found), option)
    if "--save" in given and found.passed:
        baseline.write(after, Path(str(given["--save"])))
    text = forms.markdown(found) if "--markdown" in given else forms.text(found)
    return text, {**asdict(found), "passed": found.passed}, EXIT_OK if found.passed else EXIT_FAILED


def _side(ref: str, outputs: Path) -> Baseline:
    """A baseline file, or a run."""
    path = Path(ref)
    if path.suffix == ".json" or path.is_file():
        return baseline.read(path)
    return baseline.of_run(runs.open_run(outputs, ref))


def _number(given: Mapping[str, Any], option: str, least: float, default: float | None = None) -> float:
    try:
        value = float(str(given.get(option, default)))
    except ValueError:
        value = float("nan")
    if not least <= value < float("inf"):
        raise RequestError(f"{option}: '{given[option]}' is no number of at least {least:g}")
    return value


def _put(path: Path, text: str, option: str) -> None:
    if not path.parent.is_dir():
        raise RequestError(f"{option}: there is no folder '{path.parent}'")
    publish_file(path, lambda draft: draft.write_text(text, "utf-8"))
