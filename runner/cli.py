"""The command line: verbs go to their view, the rest to Hydra untouched. The only file that prints."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runner import trust
from runner.errors import EXIT_FAILED, EXIT_OK, EXIT_REQUEST, RequestError, RunnerError, did_you_mean
from runner.help import HELP, groups
from runner.text import visible
from runner.usage import USAGE

if TYPE_CHECKING:
    from runner.planning import Plan
    from runner.request import Request
    from runner.session import Bar
    from runner.sweep import Sweep


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line; returns the exit code (0 done, 1 a cell failed, 2 the request was wrong)."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    if trust.FLAG in given:
        trust.allow()
    try:
        return _dispatch([a for a in given if a != trust.FLAG])
    except RunnerError as e:
        complain(f"error: {visible(str(e))}")
        return EXIT_REQUEST if isinstance(e, RequestError) else EXIT_FAILED
    except BrokenPipeError:  # the reader of a pipe went away, for instance `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains as it ends
        return EXIT_OK
    except OSError as e:
        complain(f"error: {visible(str(e))}")
        return EXIT_FAILED
    except SystemExit as e:  # argparse, inside Hydra, leaves this way
        return e.code if isinstance(e.code, int) else EXIT_OK if e.code is None else EXIT_REQUEST
    except KeyboardInterrupt:
        complain(
            "interrupted; finished cells and embedded texts are kept, the same command goes on from here"
        )
        return 130


def _dispatch(given: list[str]) -> int:
    first = given[0] if given else ""
    if first in ("--help", "-h"):
        say(HELP + groups())
        return EXIT_OK
    if first in VERBS and {"--help", "-h"} & set(given):
        say(USAGE[first])
        return EXIT_OK
    if first in VERBS:
        return VERBS[first](given[1:])
    if first.isidentifier():
        raise RequestError(f"there is no verb '{first}'; {did_you_mean(first, VERBS)}")
    return _launch(given)


def say(text: str) -> None:
    """Print to standard output."""
    print(text, flush=True)


def complain(text: str) -> None:
    """Print to standard error."""
    print(text, file=sys.stderr, flush=True)


def _launch(arguments: Sequence[str], dry: Callable[[Plan | None, Request], int] | None = None) -> int:
    """Run what a command line asks for, or with `dry` only hand that the plan."""
    from runner import compose, delivery
    from runner.request import Request, given_twice

    def on_plan(request: Request) -> None:
        plan = delivery.plan_of(request)
        if dry:
            raise SystemExit(dry(plan, request))
        if plan:
            say(_plan_text(plan, request))

    for line in given_twice(arguments):
        complain(f"WARNING: {line}")
    request = Request(on_plan, progress=_bar)
    compose.launch(arguments, request)
    if request.folder is None:  # Hydra only showed something (--cfg, --info)
        return EXIT_OK
    leave = [trust.FLAG] if trust.allowed() else []
    done = delivery.finish(request, ["python", "-m", "runner", *arguments, *leave])
    say(_sweep_text(done.sweep, request))
    for line in done.lines:
        say(line)
    return EXIT_FAILED if done.sweep.failed or request.stopped else EXIT_OK


def _plan_text(plan: Plan, request: Request) -> str:
    from runner.text import seconds

    def count(what: str, n: Any) -> str:
        return f"  {what:<11}{n.cached + n.due:>7} distinct, {n.cached} cached, {n.due} due"

    lines = [
        f"plan: {plan.cells} cells, {plan.runs.cached + plan.runs.due} distinct runs, "
        f"{plan.runs.cached} finished"
    ]
    named = {
        "chunkings": plan.chunkings,
        "texts": plan.texts,
        "indexes": plan.indexes,
        "searches": plan.searches,
    }
    if plan.runs.due:
        lines += [count(what, n) for what, n in named.items()]
    if plan.seconds is not None:
        lines.append(f"  embedding the {plan.texts.due} texts will take about {seconds(plan.seconds)}")
    lines += [f"  {what}: {' '.join(c)}: {e}" for c, what, e in _hopeless(request)]
    return "\n".join(lines)


def _hopeless(request: Request) -> list[tuple[list[str], str, RunnerError]]:
    """The cells that are known to give no run: overrides, what of them, why."""
    errors = [(c, e) for c, e in request.cells or [] if isinstance(e, RunnerError)]
    return [(c, "invalid" if isinstance(e, RequestError) else "will fail", e) for c, e in errors]


def _sweep_text(sweep: Sweep, request: Request) -> str:
    from runner.delivery import remarks, table_of
    from runner.text import grid

    outputs, probed = Path(request.outside.runtime.outputs), request.probed
    head, rows, right = table_of(sweep, outputs)
    t = sweep.totals()
    same = f"{t['cells_same']} the same run as another, " if t["cells_same"] else ""
    parts = [
        f"{t['cells_run']} cells run, {t['cells_found']} found finished, {same}{t['cells_failed']} failed",
        f"{t.get('texts_embedded', 0) + probed} texts embedded, {t.get('texts_reused', 0) - probed} reused",
        f"{t.get('indexes_built', 0)} indexes built, {t.get('indexes_reused', 0)} reused",
        f"{t.get('searches_run', 0)} searches run, {t.get('searches_reused', 0)} reused",
    ]
    if t.get("tokens_billed"):
        parts.append(f"{t['tokens_billed']} tokens billed by a service")
    if t.get("pairs_scored") or t.get("pairs_reused"):
        parts.append(f"{t['pairs_scored']} pairs scored, {t['pairs_reused']} reused")
    notes = "".join(f"{line}\n" for line in remarks(sweep, outputs))
    return f"\n{grid(head, rows, right)}\n\n{notes}" + "; ".join(parts)


def _bar(what: str, total: int) -> Bar:
    """A progress bar on a terminal; nothing elsewhere."""
    if not sys.stderr.isatty():
        return lambda done: None
    from tqdm import tqdm

    bar = tqdm(total=total, desc=what, unit="text", leave=False)

    def advance(done: int) -> None:
        bar.update(done)
        if bar.n >= total:
            bar.close()

    return advance


def _plan(arguments: Sequence[str]) -> int:
    from runner.delivery import power_of

    given = [a for a in arguments if a not in ("--json", "--power")]
    given = [f"runtime.outputs={a.partition('=')[2]}" if a.startswith("--outputs=") else a for a in given]
    if "--outputs" in given:  # as for every verb
        place = given.index("--outputs")
        if place + 1 == len(given):
            raise RequestError("--outputs: needs a value")
        given[place : place + 2] = [f"runtime.outputs={given[place + 1]}"]

    def dry(plan: Plan | None, request: Request) -> int:
        wrong = [{"overrides": c, "status": what, "reason": str(e)} for c, what, e in _hopeless(request)]
        power = {"power": power_of(request)} if "--power" in arguments else {}
        if "--json" in arguments:
            body = {"plan": plan and asdict(plan), "hopeless": wrong}
            say(json.dumps(body | power, indent=1, ensure_ascii=False))
        else:
            none = "there is no plan: a stage failed, or the sweeper chooses its cells as it goes"
            say(_plan_text(plan, request) if plan else none)
        if power and "--json" not in arguments:
            say("\n".join(["what these questions can decide:", *power["power"]]))
        return EXIT_FAILED if wrong or plan is None else EXIT_OK

    return _launch(given, dry)


def _verb(name: str, module: str | None = None) -> Callable[[Sequence[str]], int]:
    """The function `name` of its file in `verbs`, answering with text, JSON and exit code."""

    def verb(arguments: Sequence[str]) -> int:
        from runner.text import as_json

        more = (_bar,) if name == "select" else ()
        answer = getattr(import_module(f"runner.verbs.{module or name}"), name)(arguments, *more)
        say(as_json(answer.value) if "--json" in arguments else answer.text)
        return int(answer.code)

    return verb


RECORDED = ("ls", "show", "verify", "report", "track", "ui")
"""The verbs that share a file."""
VERBS: dict[str, Callable[[Sequence[str]], int]] = {
    "plan": _plan,
    **{name: _verb(name, "recorded") for name in RECORDED},
    **{name: _verb(name) for name in ("data", "compare", "select", "gate", "inspect", "why", "export")},
}
