"""Holm: p-values corrected for the number of comparisons, and the level at which each one is tested."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def holm(p: Floats) -> Floats:
    """The p-values of a family, shape (m,), corrected by Holm's step-down procedure.

    With the p in rising order p(1) … p(m), the corrected p(i) is the largest of (m - j + 1) p(j) over j <= i,
    at most 1. Rejecting what is at most alpha then makes one or more false rejections with probability at
    most alpha, however the tests depend on each other. Source: Holm, "A simple sequentially rejective
    multiple test procedure", Scandinavian Journal of Statistics 6, 1979.
    """
    order = np.argsort(p, kind="stable")
    steps = np.arange(len(p), 0, -1)
    out = np.empty(len(p))
    out[order] = np.minimum(np.maximum.accumulate(steps * p[order]), 1.0)
    return out


def levels(p: Floats, alpha: float) -> Floats:
    """The level at which Holm's procedure tests each member of the family, shape (m,).

    p(i) is compared with alpha / (m - i + 1) as long as all before it were rejected; the first that is not,
    and all after it, stand against the level at which the procedure stopped. So `holm(p) <= alpha` is the
    same as `p <= levels(p, alpha)`. Equal p get the same level, the strictest of theirs.
    """
    m = len(p)
    order = np.argsort(p, kind="stable")
    first = np.searchsorted(p[order], p[order])  # equal p share the place of the first of them
    stopped = np.flatnonzero(p[order] > alpha / (m - np.arange(m)))
    last = stopped[0] if len(stopped) else m
    out = np.empty(m)
    out[order] = alpha / (m - np.minimum(first, last))
    return out
