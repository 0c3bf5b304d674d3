"""Moments: mean, standard error and shape of the differences, for intervals and power."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from runner.statistics.units import Units

Floats = npt.NDArray[np.float64]

ROUNDING = 1e-12
"""Numbers within this part of the largest are equal: they differ by rounding only."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Of each column, shape (columns,) each. The influence of a unit is `total - mean * size`, 0 on average.

    So clusters of unequal size, and queries without a value, are weighted by their queries; when each query
    is a unit, these are the plain moments.
    """

    units: Floats
    """How many units have a value."""
    mean: Floats
    error: Floats
    """Standard error of the mean: sqrt(G / (G - 1) * sum of squared influences) / n; s / sqrt(n) if plain."""
    skewness: Floats
    """Of the influences: m3 / m2^1.5; 0 if they are all 0."""
    kurtosis: Floats
    """Of the influences: m4 / m2^2, 3 for a normal distribution and if they are all 0."""

    @property
    def deviation(self) -> Floats:
        """Standard deviation of what one unit adds: `error * sqrt(units)`; s if plain."""
        return self.error * np.sqrt(self.units)

    @property
    def degrees_of_freedom(self) -> Floats:
        """What each standard error is worth, 1 … G - 1.

        Satterthwaite's 2 / (relative variance of s^2) = 2 / (2 / (G - 1) + (kurtosis - 3) / G). Normal
        differences give G - 1; if only few units differ it is about twice their number, however many do not.
        Source: Satterthwaite, "An approximate distribution of estimates of variance components", Biometrics
        Bulletin 2, 1946.
        """
        there = np.maximum(self.units, 2)
        found = 2 / (2 / (there - 1) + (self.kurtosis - 3) / there)
        return np.clip(found, 1, there - 1)


def moments_of(units: Units) -> Moments:
    """The moments of each column."""
    count = units.totals.shape[1]
    there = np.broadcast_to((units.sizes > 0).sum(0), count).astype(np.float64)
    queries = np.maximum(units.sizes.sum(0), 1)
    influence = units.totals - units.means * units.sizes
    largest = np.abs(units.totals).max(0, initial=0.0)
    influence[:, np.abs(influence).max(0, initial=0.0) <= ROUNDING * largest] = 0.0
    second = (influence**2).sum(0)
    some = np.where(second > 0, second, 1.0)
    varies = second > 0
    factor = there / np.maximum(there - 1, 1)
    return Moments(
        units=there,
        mean=units.means,
        error=np.sqrt(factor * second) / queries,
        skewness=np.where(varies, np.sqrt(there) * (influence**3).sum(0) / some**1.5, 0.0),
        kurtosis=np.where(varies, there * (influence**4).sum(0) / some**2, 3.0),
    )
