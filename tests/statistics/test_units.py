"""Units: totals and sizes by cluster, queries without a value, and when `auto` clusters."""

from __future__ import annotations

import numpy as np
import pytest

from runner.statistics.moments import moments_of
from runner.statistics.units import clusters_by, units_of

NAN = float("nan")


def test_each_query_is_a_unit() -> None:
    units = units_of(np.array([[0.5, 1.0], [0.1, 0.0]]))
    assert units.totals.tolist() == [[0.5, 1.0], [0.1, 0.0]]
    assert units.sizes.tolist() == [[1.0], [1.0]]
    assert units.means.tolist() == [(0.5 + 0.1) / 2, 0.5]


def test_a_cluster_is_a_unit_and_missing_values_do_not_count() -> None:
    values = np.array([[1.0, NAN], [2.0, 4.0], [6.0, NAN], [3.0, 5.0]])
    units = units_of(values, np.array([0, 0, 1, 0]))
    assert units.totals.tolist() == [[1 + 2 + 3, 4 + 5], [6, 0]]
    assert units.sizes.tolist() == [[3, 2], [1, 0]]
    assert units.means.tolist() == [(6 + 6) / 4, 9 / 2]
    assert moments_of(units).units.tolist() == [2, 1]


def test_a_column_without_values_has_mean_0() -> None:
    assert units_of(np.array([[NAN], [NAN]])).means.tolist() == [0.0]


def test_moments_of_plain_queries() -> None:
    """1, 2, 3, 6: mean 3, deviations -2 -1 0 3, squares 14, cubes 18, fourth powers 98."""
    found = moments_of(units_of(np.array([[1.0], [2.0], [3.0], [6.0]])))
    assert found.mean[0] == 3
    assert found.error[0] == pytest.approx((14 / 3) ** 0.5 / 4**0.5, rel=1e-12)
    assert found.deviation[0] == pytest.approx((14 / 3) ** 0.5, rel=1e-12)
    assert found.skewness[0] == pytest.approx((18 / 4) / (14 / 4) ** 1.5, rel=1e-12)
    assert found.kurtosis[0] == pytest.approx((98 / 4) / (14 / 4) ** 2, rel=1e-12)


def test_the_error_of_clusters_is_that_of_their_sums() -> None:
    """Clusters (1, 3), (2, 2), (5): mean 13 / 5 = 2.6; total - mean * size: -1.2, -1.2, 2.4."""
    found = moments_of(units_of(np.array([[1.0], [3], [2], [2], [5]]), np.array([0, 0, 1, 1, 2])))
    assert found.error[0] == pytest.approx((3 / 2 * (1.2**2 + 1.2**2 + 2.4**2)) ** 0.5 / 5, rel=1e-12)


def test_degrees_of_freedom() -> None:
    """Two values as often: kurtosis 1, cut at G - 1. One of 100 differs: kurtosis 98.0, so about 2."""
    many = np.zeros((100, 2))
    many[:50, 0], many[0, 1] = 1, 1
    found = moments_of(units_of(many))
    assert found.degrees_of_freedom[0] == 99
    m2, m4 = 0.01 * 0.99, 0.01 * 0.99**4 + 0.99 * 0.01**4
    assert found.kurtosis[1] == pytest.approx(m4 / m2**2, rel=1e-12)
    assert found.degrees_of_freedom[1] == pytest.approx(2 / (2 / 99 + (m4 / m2**2 - 3) / 100), rel=1e-9)
    assert 2 < found.degrees_of_freedom[1] < 2.1


def test_auto_clusters_when_many_share_a_document() -> None:
    labels = [f"d{i // 3}" for i in range(90)]
    clusters, said = clusters_by(labels)
    assert clusters is not None
    assert clusters.tolist() == [i // 3 for i in range(90)]
    assert said == "clustered by document: 90 of 90 queries share a document with another, 30 documents"


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        ([f"d{i}" for i in range(50)], "0 of 50 queries share"),
        (["a", "a", *(f"d{i}" for i in range(48))], "2 of 50 queries share"),
        ([f"d{i % 5}" for i in range(472)], "fewer than 20"),
        ([], "0 of 0"),
    ],
)
def test_auto_does_not_cluster(labels: list[str], why: str) -> None:
    clusters, said = clusters_by(labels)
    assert clusters is None
    assert why in said


def test_the_choice_is_taken() -> None:
    clusters, said = clusters_by(["b", "a", "b"], "on")
    assert clusters is not None
    assert clusters.tolist() == [0, 1, 0]
    assert "as asked" in said
    assert clusters_by(["a"] * 60, "off") == (None, "not clustered, as asked")
