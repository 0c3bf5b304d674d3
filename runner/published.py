"""The published figures as a page: every pack of the gate, line by line, for a terminal or as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from runner import gate
from runner.gate import Checked, Outcome
from runner.text import grid

ALL = "all"
"""In place of a pack's name: all of them."""
COMMAND = "python -m runner gate --expected all --markdown"
SUMMARY = ["experiment", "figures", "OK", "close", "FAIL", "furthest from its figure", "seconds"]


def text(outcomes: Sequence[Outcome]) -> str:
    """For a terminal: a table per pack, then how many lines of each verdict."""
    parts = []
    for o in outcomes:
        if o.checked:
            heading = f"{o.name}\n" if len(outcomes) > 1 else ""
            parts.append(heading + grid(gate.HEAD, [gate.row(c) for c in o.checked], gate.RIGHT))
        else:
            parts.append(f"{o.name}: not recorded; python -m runner experiment={o.pack.experiment}")
    n, failed = sum(len(o.checked) for o in outcomes), sum(o.count("FAIL") for o in outcomes)
    return "\n\n".join([*parts, f"{n} lines, {failed} failed"])


def page(outcomes: Sequence[Outcome]) -> str:
    """As Markdown: the summary, then a section per pack."""
    head = (
        f"# Published figures\n\nMade by `{COMMAND}` after the sweeps (`python -m runner "
        "experiment=NAME`), not written by hand.\n\n`published` is the figure as its source prints it, "
        "`expected` what the line is held to: the published figure, or what public libraries gave on the "
        "same data. OK: within the line's tolerance; close: within twice of it. Seconds are those of the "
        "cell's run when it was recorded; what an earlier run had embedded or indexed is not in them."
    )
    return "\n\n".join([head, summary(outcomes), *(_section(o) for o in outcomes)])


def summary(outcomes: Sequence[Outcome]) -> str:
    """A Markdown row per pack that is recorded, and one for all."""
    rows = [_counts(f"`{o.name}`", [o]) for o in outcomes if o.checked]
    return markdown(SUMMARY, [*rows, _counts("all", outcomes)], range(1, 5))


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """A Markdown table; columns `right` are aligned to the right."""
    rule = ["---:" if i in right else "---" for i in range(len(head))]
    lines = [head, rule, *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _counts(name: str, outcomes: Sequence[Outcome]) -> list[str]:
    lines = [c for o in outcomes for c in o.checked]
    verdicts = [str(sum(o.count(v) for o in outcomes)) for v in ("OK", "close", "FAIL")]
    spent = sum({c.run: c.seconds or 0.0 for c in lines}.values())
    return [name, str(len(lines)), *verdicts, _furthest(lines), f"{spent:.0f}"]


def _furthest(lines: Sequence[Checked]) -> str:
    """The line that is most of its tolerance away, or that nothing is there for; counts must be equal."""

    def share(c: Checked) -> float:
        off = float("inf") if c.difference is None else abs(c.difference)
        return off / c.line.tolerance if c.line.tolerance else off

    worst = max(lines, key=share)
    if worst.difference is None:
        return f"{worst.line.measure}: not run"
    return f"{worst.line.measure} {worst.difference:+z.4f} (of {worst.line.tolerance:g})"


def _section(o: Outcome) -> str:
    about = f"## {o.name}\n\n`python -m runner experiment={o.pack.experiment}`: {o.pack.about}"
    if not o.checked:
        return f"{about}\n\nNot recorded."
    return f"{about}\n\n{markdown(gate.HEAD, [gate.row(c) for c in o.checked], gate.RIGHT)}"
