"""Agreement of clusters with labels against pairs of rows, and against decimals."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metric_commons.labels.clustering.agreement import agreement
from metric_commons.labels.clustering.partition_names import LABEL_MEASURES, ClusteringMeasure
from metric_commons.statistics.arithmetic.contingency import contingency

ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=25)


def scores(rows):
    labels, clusters = (list(column) for column in zip(*rows, strict=True))
    table = contingency(labels, clusters)
    return {name: agreement(ClusteringMeasure(name, name), table) for name in LABEL_MEASURES}


def adjusted_rand_index(rows):
    """The index of Hubert and Arabie, pair by pair."""
    pairs = list(combinations(rows, 2))
    same_label = sum(a[0] == b[0] for a, b in pairs)
    same_cluster = sum(a[1] == b[1] for a, b in pairs)
    same_both = sum(a == b for a, b in pairs)
    chance = Fraction(same_label * same_cluster, len(pairs)) if pairs else Fraction(0)
    most = Fraction(same_label + same_cluster, 2)
    return float((same_both - chance) / (most - chance)) if most != chance else 1.0


def entropy(values):
    """In nats, to the precision of the context."""
    shares = [Decimal(values.count(value)) / len(values) for value in set(values)]
    return -sum(share * share.ln() for share in shares)


@pytest.mark.long
@settings(deadline=None)
@given(ROWS)
@example([(0, 0)])
@example([(0, 0), (0, 1), (1, 0), (1, 1)])
def test_scores_are_those_of_the_definitions(rows):
    labels, clusters = (list(column) for column in zip(*rows, strict=True))
    with localcontext(prec=50):
        h, k = entropy(labels), entropy(clusters)
        information = h + k - entropy(rows)
        expected = {
            "homogeneity": float(information / h) if h else 1.0,
            "completeness": float(information / k) if k else 1.0,
            "nmi": float(2 * information / (h + k)) if h + k else 1.0,
        }
    result = scores(rows)

    assert result["ari"] == adjusted_rand_index(rows)
    assert result["v_measure"] == result["nmi"]
    for name, value in expected.items():
        assert result[name] == pytest.approx(value, rel=1e-14, abs=1e-15), name


@pytest.mark.parametrize("average", ["arithmetic", "geometric", "min", "max"])
def test_equal_partitions_agree_exactly_and_pure_clusters_are_homogeneous(average):
    rng = np.random.default_rng(0)
    for _ in range(100):
        labels = rng.integers(0, rng.integers(2, 8), rng.integers(2, 40))
        names = rng.permutation(8)
        parts = np.where(rng.random(labels.size) < 0.5, labels, labels + 10)
        for clusters, kinds in (
            (names[labels], ("nmi", "ami", "v_measure", "homogeneity", "completeness")),
            (parts, ("homogeneity",)),
        ):
            table = contingency(labels.tolist(), clusters.tolist())
            for kind in kinds:
                for beta in (1.0, 0.3):
                    measure = ClusteringMeasure(kind, kind, average=average, beta=beta)
                    assert agreement(measure, table) == 1.0, (kind, beta)
