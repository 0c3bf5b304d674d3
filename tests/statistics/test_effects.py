"""Effects: main effects and interactions by hand in full and unbalanced grids."""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt
import pytest

from runner.statistics.contrasts import contrasts
from runner.statistics.effects import MainEffect, interactions, main_effects

SEED = 5
Floats = npt.NDArray[np.float64]
SQUARE = [{"rerank": r, "size": s} for r in ("off", "on") for s in ("100", "200")]


def noisy(means: list[float], n: int = 40, noise: float = 0.05) -> Floats:
    """Scores with exactly these means: hard and easy queries, and noise that adds up to 0."""
    draw = np.random.default_rng(1)
    noise_ = draw.normal(0, noise, (n, len(means)))
    return np.asarray(draw.random((n, 1)) - 0.5 + noise_ - noise_.mean(0) + means)


def means_of(effects: list[MainEffect]) -> dict[tuple[str, str], float]:
    return {(e.axis, e.value): e.contrast.mean for e in effects if e.contrast}


def test_a_full_grid_gives_differences_of_marginal_means() -> None:
    """Off 0 and 1, on 2 and 5. Rerank: (2 - 0 + 5 - 1) / 2 = 3; size: (1 - 0 + 5 - 2) / 2 = 2."""
    scores = noisy([0, 1, 2, 5])
    found = main_effects(SQUARE, scores, SQUARE[0], SEED)
    assert [(e.axis, e.value, e.reference) for e in found] == [
        ("rerank", "on", "off"),
        ("size", "200", "100"),
    ]
    assert means_of(found) == pytest.approx({("rerank", "on"): 3, ("size", "200"): 2}, abs=1e-9)
    # Query by query it is the difference of the mean cells, so it is tested as any other paired difference.
    columns = np.stack([(scores[:, 2:].sum(1) - scores[:, :2].sum(1)) / 2,
                        (scores[:, [1, 3]].sum(1) - scores[:, [0, 2]].sum(1)) / 2], 1)  # fmt: skip
    right = contrasts(columns, SEED)
    for effect, contrast in zip(found, right, strict=True):
        assert effect.contrast is not None
        assert effect.contrast.p == contrast.p
        assert effect.contrast.interval == pytest.approx(contrast.interval, abs=1e-9)


def test_an_interaction_by_hand() -> None:
    """5 - 2 - 1 + 0 = 2 more together than apart: +-0.5 in each cell around the sum of the axes."""
    (found,) = interactions(SQUARE, noisy([0, 1, 2, 5]), SQUARE[0], SEED)
    assert (found.axes, found.freedom, found.most) == (("rerank", "size"), 1, ("on", "200"))
    assert found.size == pytest.approx(0.5, abs=1e-9)
    assert found.amount == pytest.approx(0.5, abs=1e-9)
    assert found.p == found.p_corrected == 1 / 2**16  # of 65,535 drawn patterns none reaches it


def test_an_additive_grid_has_none() -> None:
    (found,) = interactions(SQUARE, noisy([0, 1, 2, 3], noise=0), SQUARE[0], SEED)
    assert (found.size, found.p) == (0, 1)


def test_an_unbalanced_grid_compares_at_equal_values_of_the_other_axes() -> None:
    """Additive, rerank + 0.5 and sizes 0, 1, 3; the best have no reranker. Plain means would say -5 / 6."""
    cells = [{"rerank": r, "size": s} for r, s in (("off", "1"), ("off", "2"), ("off", "3"), ("on", "1"))]
    found = means_of(main_effects(cells, noisy([0, 1, 3, 0.5], noise=0), cells[0], SEED))
    assert found == pytest.approx({("rerank", "on"): 0.5, ("size", "2"): 1, ("size", "3"): 3}, abs=1e-9)
    assert interactions(cells, noisy([0, 1, 3, 0.5]), cells[0], SEED) == []  # nothing crosses


def test_values_that_only_occur_together_cannot_be_told_apart() -> None:
    cells = [{"a": "1", "b": "1", "c": "1"}, {"a": "1", "b": "1", "c": "2"}, {"a": "2", "b": "2", "c": "1"}]
    found = main_effects(cells, noisy([0, 1, 2]), cells[0], SEED)
    assert [e.contrast is None for e in found] == [True, True, False]
    assert means_of(found) == pytest.approx({("c", "2"): 1})


def test_a_grid_of_one_cell_has_no_effects() -> None:
    assert main_effects(SQUARE[:1], noisy([1]), SQUARE[0], SEED) == []
    assert interactions(SQUARE[:1], noisy([1]), SQUARE[0], SEED) == []


def test_three_axes_and_the_pair_that_interacts() -> None:
    cells = [{"a": a, "b": b, "c": c} for a, b, c in product("12", "123", "12")]
    means = [0.1 * (c["a"] == "2") + 0.2 * (c["a"] == "2" and c["b"] == "3") for c in cells]
    found = interactions(cells, noisy(means), cells[0], SEED)
    assert [(i.axes, i.freedom) for i in found] == [(("a", "b"), 2), (("a", "c"), 1), (("b", "c"), 2)]
    # 0.2 in one of six pairs: 0.2 (1 - 1 / 2 - 1 / 3 + 1 / 6) = 0.2 / 3 beyond the sum of the axes.
    assert found[0].most == ("2", "3")
    assert found[0].amount == pytest.approx(0.2 / 3, abs=1e-9)
    assert found[0].p_corrected == 3 / 2**16
    assert min(found[1].p_corrected, found[2].p_corrected) > 0.05


def test_equal_cells_tie_and_missing_queries_are_left_out() -> None:
    scores = np.repeat(np.random.default_rng(2).random((30, 1)), 4, axis=1)
    scores[3, 1] = np.nan
    for effect in main_effects(SQUARE, scores, SQUARE[0], SEED):
        assert effect.contrast is not None
        assert (effect.contrast.n, effect.contrast.ties, effect.contrast.verdict) == (29, 29, "equivalent")
    assert interactions(SQUARE, scores, SQUARE[0], SEED)[0].p == 1


def test_false_interactions_are_rare() -> None:
    """200 additive grids: a share of at most 5 %, and 2.3 standard errors of 1.5 points."""
    draw, hits = np.random.default_rng(3), 0
    for trial in range(200):
        scores = draw.random((30, 1)) + draw.normal(0, 0.2, (30, 4))
        hits += interactions(SQUARE, scores, SQUARE[0], trial)[0].p <= 0.05
    assert hits / 200 <= 0.05 + 2.3 * 0.0154
