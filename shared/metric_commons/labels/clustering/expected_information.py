"""The expected mutual information of random partitions with given cluster sizes."""

import math

import numpy as np

from ...statistics.arguments.arrays import Integers


def expected_information(row_totals: Integers, column_totals: Integers) -> float:
    """Return the mean mutual information over all partitions with these cluster sizes, in nats.

    The number of rows in both a label of a rows and a cluster of b rows is hypergeometric. Pairs of
    equal sizes have equal terms, which are computed once.

    Source:
        Vinh, Epps and Bailey, Information theoretic measures for clusterings comparison (2010).

    >>> round(expected_information(np.array([2, 2]), np.array([2, 2])), 4)
    0.231
    """
    from scipy.special import gammaln

    rows = int(row_totals.sum())
    factorials = gammaln(np.arange(rows + 1) + 1.0)
    row_sizes, row_counts = np.unique(row_totals[row_totals > 0], return_counts=True)
    column_sizes, column_counts = np.unique(column_totals[column_totals > 0], return_counts=True)
    terms = []
    for a, row_count in zip(row_sizes.tolist(), row_counts.tolist(), strict=True):
        for b, column_count in zip(column_sizes.tolist(), column_counts.tolist(), strict=True):
            shared = np.arange(max(1, a + b - rows), min(a, b) + 1)
            margins = factorials[[a, b, rows - a, rows - b]].sum() - factorials[rows]
            logarithms = margins - (
                factorials[shared]
                + factorials[a - shared]
                + factorials[b - shared]
                + factorials[rows - a - b + shared]
            )
            information = shared / rows * np.log(rows * shared / (a * b))
            mean = float((information * np.exp(logarithms)).sum())
            terms.append(row_count * column_count * mean)
    return math.fsum(terms)
