"""Ranks by stage: a line per candidate from the legs to the final order; those that hold gold stand out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from runner.report.charts._svg import WIDTH, chart, clipped, path, px, text

_LEFT, _RIGHT, _TOP, _ROW, _BOTTOM = 38, 172, 26, 27, 12
_NAME, _STAGE = 22, 14


@dataclass(frozen=True, slots=True)
class Candidate:
    """One candidate's way through the stages."""

    name: str
    ranks: Sequence[int | None]
    """One per stage, from 1; None: it was not in that stage's window."""
    gold: bool = False
    """Whether it holds gold text."""


def bump(
    candidates: Sequence[Candidate],
    stages: Sequence[str],
    *,
    name: str,
    table: str,
    depth: int = 10,
    top_k: int | None = None,
) -> Markup:
    """The chart: ranks 1 … `depth`, and one lane for all that are deeper.

    Args:
        candidates: at least one.
        stages: their names, from left to right, at least two.
        name: what it shows.
        table: where the same values stand as text.
        depth: ranks shown one by one.
        top_k: where the cut lies, if it is at most `depth`.

    Raises:
        ValueError: no candidate, fewer than two stages, or a rank below 1.
    """
    if not candidates or len(stages) < 2:
        raise ValueError("a bump chart needs a candidate and two stages")
    for c in candidates:
        if len(c.ranks) != len(stages) or any(r is not None and not r >= 1 for r in c.ranks):
            raise ValueError(f"a bump chart needs one rank from 1, or none, per stage: {c.ranks}")
    height = _TOP + _ROW * (depth + 1) + _BOTTOM
    body = _frame(stages, depth, top_k, height)
    grey, gold = ([c for c in candidates if c.gold is g] for g in (False, True))
    body += [_drawn(c, len(stages), depth) for c in (*grey, *gold)]
    return chart(name, table, height, [*body, *_names(candidates, len(stages), depth)])


def _x(stage: int, stages: int) -> float:
    return _LEFT + stage * (WIDTH - _LEFT - _RIGHT) / (stages - 1)


def _y(rank: int, depth: int) -> float:
    return _TOP + _ROW * (min(rank, depth + 1) - 0.5)


def _frame(stages: Sequence[str], depth: int, top_k: int | None, height: int) -> list[str]:
    out = []
    for i, stage in enumerate(stages):
        x = _x(i, len(stages))
        side = " e" if i == len(stages) - 1 and len(stages) > 4 else " m" if i else ""
        out.append(text(x, 14, clipped(stage, _STAGE), f"k{side}"))
        out.append(path("grid", f"M{px(x)} {_TOP}V{height - _BOTTOM}"))
    lanes = [*map(str, range(1, depth + 1)), f"{depth}+"]
    out += [text(_LEFT - 12, _y(r, depth) + 4, lane, "e") for r, lane in enumerate(lanes, 1)]
    if top_k is not None and top_k <= depth:
        y = _y(top_k, depth) + _ROW / 2
        out.append(path("hair dash", f"M{_LEFT - 8} {px(y)}H{WIDTH - _RIGHT + 8}"))
        out.append(text(WIDTH - _RIGHT + 12, y + 4, f"top_k {top_k}"))
    return out


def _drawn(c: Candidate, stages: int, depth: int) -> str:
    """The line, with a gap where the candidate was in no window; a hollow ring is deeper than `depth`."""
    line, fill = ("goldl", "goldf") if c.gold else ("grey", "greyf")
    d, dots, pen = "", [], False
    for i, rank in enumerate(c.ranks):
        if rank is None:
            pen = False
            continue
        x, y = px(_x(i, stages)), px(_y(rank, depth))
        d += f"{'L' if pen else 'M'}{x} {y}"
        pen = True
        cls = f"hollow {line}" if rank > depth else f"{fill} halo"
        dots.append(f'<circle class="{cls}" cx="{x}" cy="{y}" r="{4.5 if c.gold else 3}"/>')
    return (path(line, d) if d else "") + "".join(dots)


def _names(candidates: Sequence[Candidate], stages: int, depth: int) -> list[str]:
    """Names beside the final ranks; in the lane of the deeper ones, only gold is named, or counted."""
    x = WIDTH - _RIGHT + 12
    out = []
    for c in candidates:
        rank = c.ranks[-1]
        if rank is not None and rank <= depth:
            out.append(text(x, _y(rank, depth) + 4, _said(c), "k" if c.gold else ""))
    deep = [c for c in candidates if c.gold and (c.ranks[-1] or 0) > depth]
    if deep:
        words = _said(deep[0]) if len(deep) == 1 else f"{len(deep)} with gold, deeper"
        out.append(text(x, _y(depth + 1, depth) + 4, words, "k"))
    lost = [c for c in candidates if c.gold and c.ranks[-1] is None and any(c.ranks)]
    return out + _dropped(lost, stages, depth)


def _dropped(lost: Sequence[Candidate], stages: int, depth: int) -> list[str]:
    """Gold that did not reach the last stage is named where its line ends, or counted where two end."""
    ends: dict[tuple[int, int], list[Candidate]] = {}
    for c in lost:
        stage = max(i for i, r in enumerate(c.ranks) if r is not None)
        ends.setdefault((stage, min(c.ranks[stage] or 0, depth + 1)), []).append(c)
    return [
        text(
            _x(stage, stages) + 9,
            _y(rank, depth) - 7,
            _said(cs[0]) if len(cs) == 1 else f"{len(cs)} with gold",
            "k halo",
        )
        for (stage, rank), cs in ends.items()
    ]


def _said(c: Candidate) -> str:
    return clipped(c.name, _NAME) + (" \u00b7 gold" if c.gold else "")
