"""Effects: what each axis of a grid of runs does on its own, and which pairs of axes interact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from runner.statistics.contrasts import ALPHA, Contrast, contrasts
from runner.statistics.holm import holm
from runner.statistics.moments import ROUNDING
from runner.statistics.signflip import joint_p
from runner.statistics.units import units_of

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Cell = Mapping[str, str]
"""The value of every axis."""

TINY = 1e-9
"""Directions of a design that are shorter than that part of the longest are not there."""


@dataclass(frozen=True, slots=True)
class MainEffect:
    """What one value of an axis changes against the axis's reference value, averaged over the grid."""

    axis: str
    value: str
    reference: str
    contrast: Contrast | None
    """None: the cells cannot tell this value from values of other axes."""


@dataclass(frozen=True, slots=True)
class Interaction:
    """Whether what one axis does depends on the value of another."""

    axes: tuple[str, str]
    freedom: int
    """How many independent ways there are in which it could; 1 for two axes of two values."""
    size: float
    """Root mean square over the cells of what the pair adds to the sum of the axes, in units of the
    measure."""
    most: tuple[str, str]
    """The pair of values where that is largest."""
    amount: float
    """How much it is there."""
    p: float
    p_corrected: float
    """By Holm over all pairs of axes."""


def main_effects(
    cells: Sequence[Cell],
    scores: Floats,
    reference: Cell,
    seed: int,
    *,
    clusters: Ints | None = None,
    margin: float = 0.0,
    alpha: float = ALPHA,
) -> list[MainEffect]:
    """The average paired effect of every value of every axis, one family for Holm's correction.

    The mean of a cell is taken as a sum of one number per axis value; these are fitted by least squares,
    query by query, so each effect is a weighted difference of cells with one value per query, and tested like
    any other paired difference. In a full grid it is the difference of two marginal means; in an unbalanced
    one, the difference at equal values of the other axes (Yates, 1934; Searle, Linear Models for Unbalanced
    Data, 1987).

    Args:
        cells: the axis values of each run; all runs have the same axes.
        scores: shape (queries, cells), higher is better; queries with a NaN are left out.
        reference: the value of each axis that the others are compared with.
        seed: of the data set, `draws.seed_of`.
        clusters: number of each query's cluster, 0 …; None: queries are independent.
        margin: the difference that does not matter.
        alpha: of the family.
    """
    design, names = _design(cells, reference)
    inverse = np.linalg.pinv(design, rcond=TINY)
    told = np.flatnonzero(np.abs(inverse @ design - np.eye(design.shape[1])).max(1) < 1e-6)
    told = told[told > 0]  # the first column is the mean of the reference cell
    found: dict[int, Contrast] = {}
    if len(told):
        tested = contrasts(
            _clean(scores @ inverse[told].T, scores), seed, clusters=clusters, margins=margin, alpha=alpha
        )
        found = dict(zip(told.tolist(), tested, strict=True))
    return [MainEffect(a, v, reference[a], found.get(i)) for i, (a, v) in enumerate(names, 1)]


def interactions(
    cells: Sequence[Cell], scores: Floats, reference: Cell, seed: int, *, clusters: Ints | None = None
) -> list[Interaction]:
    """The pairs of axes that could interact; the arguments are those of `main_effects`.

    What a pair adds is the part of the cells that one number per pair of values explains and one number per
    value of any axis does not. Its statistic is the sum of squares of that part's mean over queries, tested
    by flipping the signs of whole queries. In an unbalanced grid, parts of different pairs can overlap, as
    each is tested alone. A pair whose values do not cross in the cells at hand is left out.
    """
    there = np.isfinite(scores).all(1)
    kept = scores[there]
    groups = None if clusters is None else np.unique(clusters[there], return_inverse=True)[1]
    design, _ = _design(cells, reference)
    apart = np.eye(len(cells)) - design @ np.linalg.pinv(design, rcond=TINY)
    out: list[Interaction] = []
    for one, other in combinations(cells[0], 2):
        pairs = sorted(  # of equals, the one furthest from the reference is named
            {(c[one], c[other]) for c in cells},
            key=lambda pair: ((pair[0] == reference[one]) + (pair[1] == reference[other]), pair),
        )
        at = np.array([pairs.index((c[one], c[other])) for c in cells])
        basis = _basis(apart @ np.eye(len(pairs))[at])
        if not basis.shape[1] or not len(kept):
            continue
        units = units_of(_clean(kept @ basis, kept), groups)
        part = basis @ units.means
        by_pair = np.bincount(at, part) / np.bincount(at)
        most = int(np.argmax(np.abs(by_pair).round(12)))
        p, _ = joint_p(units, seed)
        size = float(np.sqrt((part**2).mean()))
        out.append(Interaction((one, other), basis.shape[1], size, pairs[most], float(by_pair[most]), p, 1.0))
    corrected = holm(np.array([i.p for i in out]))
    return [replace(i, p_corrected=float(p)) for i, p in zip(out, corrected, strict=True)]


def _design(cells: Sequence[Cell], reference: Cell) -> tuple[Floats, list[tuple[str, str]]]:
    """A column of ones, and one of 0 and 1 for each value that is no reference; and those values."""
    names = [(a, v) for a in cells[0] for v in sorted({c[a] for c in cells}) if v != reference[a]]
    rows = [[1.0, *(float(c[a] == v) for a, v in names)] for c in cells]
    return np.array(rows), names


def _clean(values: Floats, scores: Floats) -> Floats:
    """Sums of scores that are 0 but for rounding made 0, so that equal cells tie."""
    largest = np.nanmax(np.abs(scores), initial=0.0)
    return np.where(np.abs(values) <= ROUNDING * largest, 0.0, values)


def _basis(columns: Floats) -> Floats:
    """Orthonormal columns that span `columns`, whose entries are of order 1."""
    left, lengths, _ = np.linalg.svd(columns, full_matrices=False)
    return np.asarray(left[:, lengths > TINY * len(columns)])
