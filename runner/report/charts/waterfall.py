"""A row of the loss waterfall as a cell of a table: what is left, what a stage took or gave back."""

from __future__ import annotations

from markupsafe import Markup

from runner.report.charts._scale import within
from runner.report.charts._svg import px, svg

WIDTH = 300
_LEAST = 0.8
"""Pixels of the smallest piece, so that a small loss is seen."""


def bar(before: float, after: float) -> Markup:
    """One row; the points stand as text beside it, so readers of the screen need no bar.

    Args:
        before: share found if everything up to the stage before were perfect, 0 to 1.
        after: the same after this stage; lower: the stage took it, higher: it gave it back.

    Raises:
        ValueError: a share is not in [0, 1].
    """
    left, right = sorted((within(before, 0, 1), within(after, 0, 1)))
    body = [f'<rect class="bg" width="{WIDTH}" height="16"/>']
    if left > 0:
        body.append(f'<rect class="rest" y="3" width="{px(left * WIDTH)}" height="10"/>')
    if right > left:
        wide = max((right - left) * WIDTH, _LEAST)
        kind = "lost" if after < before else "gain"
        at = px(min(left * WIDTH, WIDTH - wide))
        body.append(f'<rect class="{kind}" x="{at}" y="1" width="{px(wide)}" height="14"/>')
    return svg(
        f'class="barcell" viewBox="0 0 {WIDTH} 16" preserveAspectRatio="none" aria-hidden="true"', body
    )
