"""Flips: which questions a run answers and another does not, and which value of an axis turns which question.

A question is answered where all its gold is in the context.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from runner.comparison.scores import lost_at
from runner.runs import Run

_LISTED = 100
"""Questions listed of each kind; all are counted."""
Lost = Mapping[str, str]
"""By question the stage that lost it; empty: answered."""


def flips(runs: Sequence[Run], pairs: Sequence[tuple[int, int]], cells: Sequence[Mapping[str, str]]) -> Any:
    """What `comparison.json` says of flips: always and never answered, between runs, by axis.

    Args:
        runs: of them, the questions that all were asked count.
        pairs: candidate and baseline, as places in `runs`.
        cells: the axis values of each run; empty: unknown.
    """
    lost = [lost_at(r) for r in runs]
    asked = sorted(set.intersection(*(set(x) for x in lost)))
    always = [q for q in asked if all(not x[q] for x in lost)]
    never = [q for q in asked if all(x[q] for x in lost)]
    return {
        "questions": len(asked),
        "always": len(always),
        "never": len(never),
        "always_questions": always[:_LISTED],
        "never_questions": never[:_LISTED],
        "between": [
            {"candidate": runs[a].key, "baseline": runs[b].key, **_between(lost[a], lost[b], asked)}
            for a, b in pairs
        ],
        "axes": by_axis(lost, asked, cells),
    }


def _between(mine: Lost, base: Lost, asked: Sequence[str]) -> dict[str, Any]:
    gained = [{"query": q, "stage": base[q]} for q in asked if base[q] and not mine[q]]
    gone = [{"query": q, "stage": mine[q]} for q in asked if mine[q] and not base[q]]
    return _listed(gained, gone)


def by_axis(lost: Sequence[Lost], asked: Sequence[str], cells: Sequence[Mapping[str, str]]) -> list[Any]:
    """Per axis value against the axis's first: the questions it turns, over cells otherwise the same.

    A question counts as turned where more of these pairs of cells gain it than lose it, or the other way;
    `times` is how many do, of `pairs`.
    """
    out = []
    for axis in cells[0] if cells else ():
        first, *others = dict.fromkeys(c[axis] for c in cells)
        for value in others:
            pairs = _matched(cells, axis, value, first)
            if not pairs:
                continue
            turned = {q: sum(bool(lost[b][q]) - bool(lost[a][q]) for a, b in pairs) for q in asked}
            ranked = sorted(turned.items(), key=lambda t: (-abs(t[1]), t[0]))
            sides = ([{"query": q, "times": abs(n)} for q, n in ranked if n * sign > 0] for sign in (1, -1))
            said = {"axis": axis, "value": value, "reference": first, "pairs": len(pairs)}
            out.append({**said, **_listed(*sides)})
    return out


def _matched(
    cells: Sequence[Mapping[str, str]], axis: str, value: str, reference: str
) -> list[tuple[int, int]]:
    """Pairs of cells (places) that differ in `axis` alone: first the one with `value`."""
    found = []
    for a, b in combinations(range(len(cells)), 2):
        if {cells[a][axis], cells[b][axis]} == {value, reference} and all(
            cells[a][x] == cells[b][x] for x in cells[a] if x != axis
        ):
            found.append((a, b) if cells[a][axis] == value else (b, a))
    return found


def _listed(gained: list[Any], gone: list[Any]) -> dict[str, Any]:
    return {
        "gained": len(gained),
        "lost": len(gone),
        "gained_questions": gained[:_LISTED],
        "lost_questions": gone[:_LISTED],
    }
