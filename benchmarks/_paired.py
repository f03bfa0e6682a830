"""Tests of differences of rows, and their law that assumes nothing but a range of -1 to 1."""

import numpy as np

from metric_commons.statistics import compare
from metric_commons.statistics.tests.laws import UnseenRow
from metric_commons.statistics.tests.significance import PairedUnits


def p_of(differences, **options):
    """The p-value of differences."""
    values = np.asarray(differences, float)
    scores = np.maximum(values, 0.0), np.maximum(-values, 0.0)
    return compare(*scores, confidence_level=None, **options)["p_value"]


def unseen_row(differences, clusters=None):
    """The law that assumes nothing but the bounds."""
    units = PairedUnits.of(np.asarray(differences, float), clusters)
    return UnseenRow(units.numbers, units.sizes, (-1.0, 1.0))
