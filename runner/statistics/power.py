"""Power: how many queries would decide a difference, and what a number of queries can decide.

With n queries whose differences have mean d and standard deviation s, the interval is taken as mean +- h,
with h = t(1 - alpha / 2; n - 1) s / sqrt(n). The comparison is decided if it lies on one side of 0 (better or
worse) or inside the margin (equivalent). The probability of the first is that of t > t(1 - alpha / 2; n - 1),
where t is taken as normal; for small effects that is the usual sample size n = ((z(1 - alpha / 2) + z(power))
s / d)^2: Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988; for retrieval: Sakai,
"Statistical significance, power, and sample sizes", SIGIR 2016. Large or skewed effects need
more care: mean and deviation of a sample move together. Expanding t = mean / (s / sqrt(n)) to second order in
the sample's deviations gives, with e = d / s,

    mean of t      sqrt(n) e (1 + 3 (kurtosis - 1) / (8 n)) - skewness / (2 sqrt(n))
    variance of t  1 - e skewness + e^2 (kurtosis - 1) / 4

The probability of the second is that of |mean| < margin - h, with a normal mean: the power of two one-sided
tests (Schuirmann, 1987).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

POWER = 0.80
MOST = 10_000_000
"""More queries than that are as good as no number at all."""
LEAST_VARIANCE = 0.05
"""Of t, where the expansion would give less."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What the differences are taken to be: mean, standard deviation (in units of the measure), shape."""

    mean: float
    deviation: float
    skewness: float = 0.0
    kurtosis: float = 3.0


def decided(n: int, effect: Effect, alpha: float, margin: float = 0.0) -> float:
    """The probability, 0 to 1, that n queries decide rightly.

    That is `better` or `worse` as the mean is, or `equivalent` if it is inside the margin.

    Args:
        n: number of queries (of clusters, when `effect` is that of clusters), at least 2.
        effect: of the differences; its deviation is above 0.
        alpha: two-sided level of the comparison (of its step in Holm's procedure).
        margin: differences up to it do not matter.
    """
    from scipy.special import ndtr, stdtrit

    mean, error = abs(effect.mean), effect.deviation / math.sqrt(n)
    half = float(stdtrit(n - 1, 1 - alpha / 2)) * error
    inner, right = margin - half, 0.0
    if mean > 0:
        centre, spread = _of_t(n, effect)
        right += float(ndtr((centre - max(half, inner) / error) / spread))
    if inner > 0 and mean <= margin:
        right += float(ndtr((inner - mean) / error) - ndtr((-inner - mean) / error))
    return min(1.0, right)


def _of_t(n: int, effect: Effect) -> tuple[float, float]:
    """Mean and standard deviation of the t statistic of n queries, counted in the direction of the effect."""
    size, spread = abs(effect.mean) / effect.deviation, effect.kurtosis - 1
    skewness = math.copysign(effect.skewness, effect.skewness * effect.mean)
    centre = math.sqrt(n) * size * (1 + 3 * spread / (8 * n)) - skewness / (2 * math.sqrt(n))
    return centre, math.sqrt(max(LEAST_VARIANCE, 1 - size * skewness + size**2 * spread / 4))


def needed(effect: Effect, alpha: float, margin: float = 0.0, power: float = POWER) -> int | None:
    """The least number of queries (or clusters) that decides rightly with probability `power`.

    `effect` is taken as the truth. None: more than `MOST`, as when the mean is 0 and there is no margin.
    Never fewer than the sign flips need to reach alpha at all. For the other arguments see `decided`.
    """
    low, high = fewest(alpha), MOST
    if effect.deviation == 0:
        return low if effect.mean or margin else None
    if decided(high, effect, alpha, margin) < power:
        return None
    while low < high:
        middle = (low + high) // 2
        if decided(middle, effect, alpha, margin) >= power:
            high = middle
        else:
            low = middle + 1
    return low


def fewest(alpha: float) -> int:
    """The least number of queries with which the sign flips can reject at alpha: 2^(1 - n) <= alpha."""
    return 1 + math.ceil(math.log2(1 / alpha))


def detectable(n: int, deviation: float, alpha: float, power: float = POWER) -> float:
    """The least |mean difference| that n queries tell from 0 with probability `power`.

    (t(1 - alpha / 2; n - 1) + z(power)) * deviation / sqrt(n). `deviation` comes from earlier runs on a
    contrast of the same kind. Nothing is known of the shape then, so the variance of t is taken as 1.
    """
    from scipy.special import ndtri, stdtrit

    return float(stdtrit(n - 1, 1 - alpha / 2) + ndtri(power)) * deviation / math.sqrt(n)
