"""Units: what is drawn and flipped as a whole: a query, or all queries that share a document."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

FEWEST_CLUSTERS = 20
"""Below this, drawing whole clusters is not to be trusted (Cameron, Gelbach and Miller, "Bootstrap-based
improvements for inference with clustered errors", Review of Economics and Statistics 90, 2008)."""


@dataclass(frozen=True, slots=True)
class Units:
    """Per unit and column, the sum of the values of its queries and their number.

    A mean over queries is `totals.sum(0) / sizes.sum(0)`, whatever the units are. A query that has no value
    in a column (NaN) counts 0 in both, so each column is a mean over the queries that have one.
    """

    totals: Floats
    """Shape (units, columns)."""
    sizes: Floats
    """Shape (units, columns), or (units, 1) when it is the same in every column."""

    @property
    def means(self) -> Floats:
        """The mean of each column over its queries, shape (columns,); 0 where it has none."""
        return np.asarray(self.totals.sum(0) / np.maximum(self.sizes.sum(0), 1))


def units_of(values: Floats, clusters: Ints | None = None) -> Units:
    """The units of `values`, shape (queries, columns), NaN where a measure does not apply.

    Args:
        values: one column per difference.
        clusters: number of each query's cluster, 0 …, shape (queries,); None: each query is a unit of its
            own.
    """
    there = np.isfinite(values)
    totals = values if there.all() else np.where(there, values, 0.0)
    sizes = np.ones((len(values), 1)) if there.all() else there.astype(np.float64)
    if clusters is None:
        return Units(totals, sizes)
    return Units(_summed(totals, clusters), _summed(sizes, clusters))


def _summed(rows: Floats, clusters: Ints) -> Floats:
    """Rows added up by cluster."""
    out = np.zeros((int(clusters.max()) + 1, rows.shape[1]))
    np.add.at(out, clusters, rows)
    return out


def clusters_by(
    labels: Sequence[Hashable], choice: Literal["auto", "on", "off"] = "auto"
) -> tuple[Ints | None, str]:
    """The clusters of the queries by their label (their document), and in words what was chosen and why.

    `auto` clusters when at least half of the queries share their document with another query and there are at
    least `FEWEST_CLUSTERS` documents. Clusters are numbered in the order in which they first appear.
    """
    numbers: dict[Hashable, int] = {}
    clusters = np.array([numbers.setdefault(label, len(numbers)) for label in labels], np.int64)
    sharing = int((np.bincount(clusters, minlength=1)[clusters] > 1).sum()) if len(clusters) else 0
    facts = f"{sharing} of {len(clusters)} queries share a document with another, {len(numbers)} documents"
    if choice != "auto":
        return (
            (clusters, f"clustered, as asked: {facts}")
            if choice == "on"
            else (None, "not clustered, as asked")
        )
    if 2 * sharing < len(clusters) or not sharing:
        return None, f"not clustered: {facts}"
    if len(numbers) < FEWEST_CLUSTERS:
        few = f"fewer than {FEWEST_CLUSTERS}, so the verdicts are about these documents only"
        return None, f"not clustered: {facts}, {few}"
    return clusters, f"clustered by document: {facts}"
