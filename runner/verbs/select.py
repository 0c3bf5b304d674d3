"""The verb `select`: choose a set-up on the dev half of the questions, confirm it once on the test half."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from runner import compose, keys, named, registry
from runner.config import Outside, RunConfig
from runner.errors import EXIT_OK, RequestError
from runner.report import numbers
from runner.report.selection import sentences
from runner.request import Request, conf_folder
from runner.session import Progress
from runner.text import grid
from runner.tracking.marker import wanted
from runner.verbs.arguments import Answer, Given, margin_of, outputs_of, parsed, whole_number
from runner.verbs.selecting import Asked, Cell, Halves
from runner.verbs.selecting import select as chosen

_USAGE = "select EXPERIMENT --measure NAME [--budget TOKENS] [--baseline CELL] [--halving] [OVERRIDE…]"


def select(words: Sequence[str], progress: Progress) -> Answer:
    """`select EXPERIMENT --measure NAME [--budget TOKENS] [--baseline CELL] [--halving] [--margin M]`.

    EXPERIMENT is a preset of `conf/experiment`, composed with the overrides given, or one that is recorded.

    Raises:
        RequestError: an argument is wrong, or nothing can be chosen.
    """
    plain, given = parsed(words, ["--halving"], _VALUES)
    names, overrides = [w for w in plain if "=" not in w], [w for w in plain if "=" in w]
    taken = next((w for w in overrides if w.lstrip("+~").partition("=")[0] in ("split", "experiment")), None)
    if taken:
        raise RequestError(f"select: {taken}: the halves and the experiment are select's own; leave it out")
    if len(names) != 1 or "--measure" not in given:
        raise RequestError(f"usage: python -m runner {_USAGE}")
    composed = _preset(names[0], overrides, given.get("--outputs")) or _recorded(
        names[0], overrides, outputs_of(given)
    )
    outside, found, left_out = composed
    if len(found) < 2:
        raise RequestError(f"select: {names[0]} has {len(found)} cells that can be run; a choice needs two")
    asked = Asked(
        measure=str(given["--measure"]),
        budget=whole_number(given, "--budget"),
        baseline=_baseline(given, found),
        halving="--halving" in given,
        margin=margin_of(given),
    )
    command = ["python", "-m", "runner", "select", *words]
    body = chosen(found, asked, Halves(outside, command, progress))
    return Answer(_shown(body, left_out), body)


def _baseline(given: Given, found: Sequence[Cell]) -> int:
    """The number of the cell to compare with; the first that can be run."""
    known = [cell.num for cell in found]
    asked = whole_number(given, "--baseline", "the number of a cell")
    if asked is not None and asked not in known:
        raise RequestError(f"--baseline: no cell {asked} can be run; choose of {', '.join(map(str, known))}")
    return known[0] if asked is None else asked


_VALUES = ("--measure", "--budget", "--baseline", "--margin")
Composed = tuple[Outside, list[Cell], list[str]]


def _preset(name: str, overrides: Sequence[str], outputs: object) -> Composed | None:
    """The cells of a preset; None: there is none of that name."""
    if name not in {p.stem for p in (conf_folder() / "experiment").glob("*.yaml")}:
        return None
    place = [f"runtime.outputs={outputs}"] if outputs else []
    made: list[Request] = []

    def on_plan(request: Request) -> None:
        made.append(request)
        raise SystemExit(EXIT_OK)

    try:
        compose.launch(["-m", f"experiment={name}", *overrides, *place], Request(on_plan))
    except SystemExit:
        if not made:
            raise
    request = made[0]
    if request.cells is None:
        raise RequestError(
            "select: needs a sweep whose cells are known before it starts; leave the sweeper out"
        )
    valid = [Cell(i, o, c) for i, (o, c) in enumerate(request.cells) if isinstance(c, RunConfig)]
    return (
        request.outside,
        valid,
        [f"{' '.join(o)}: {c}" for o, c in request.cells if not isinstance(c, RunConfig)],
    )


def _recorded(name: str, overrides: Sequence[str], outputs: Path) -> Composed:
    """The cells of an experiment that was run before."""
    if overrides:
        raise RequestError(f"select: {name} is recorded; overrides ({overrides[0]}) are for presets")
    experiment = named.open_experiment(outputs, name)
    found: list[Cell] = []
    outside = Outside(tracking=wanted(experiment))
    for cell in experiment.cells:
        if cell["num"] in experiment.runs:
            config, _ = registry.parse_run(experiment.runs[cell["num"]].config)
            found.append(Cell(cell["num"], cell["overrides"], config))
    update = {
        "experiment": outside.experiment.model_copy(update={"name": experiment.name}),
        "runtime": outside.runtime.model_copy(update={"outputs": str(outputs)}),
    }
    lost = [" ".join(c["overrides"]) for c in experiment.cells if c["num"] not in experiment.runs]
    return outside.model_copy(update=update), found, lost


def _shown(body: dict[str, Any], left_out: Sequence[str]) -> str:
    """For a person."""
    asked = body["asked"]
    measure = asked["measure"]
    lines = [f"left out: {line}" for line in left_out]
    lines += [f"{body['data']}: chosen by {measure}" + _within(asked["budget"])]
    rows = [
        [
            str(c["cell"]),
            " ".join(c["overrides"]),
            c["run"][: keys.SHORT],
            numbers.measured(measure, c["mean"]),
            f"{c['tokens']:,.0f}",
            "" if c["within"] else "over the budget",
        ]
        for c in body["cells"]
    ]  # fmt: skip
    lines += ["", grid(["cell", "overrides", "run on dev", measure, "tokens", ""], rows, [0, 3, 4]), ""]
    return "\n".join([*lines, *sentences(body)])


def _within(budget: int | None) -> str:
    return "" if budget is None else f", contexts of at most {budget} tokens on average"
