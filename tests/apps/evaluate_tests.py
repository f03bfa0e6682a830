"""A plugin of pytest for the tests of `evaluate` itself, with our base class in place of its own.

From a checkout of evaluate 0.4.6:

    python -m pytest -p tests.apps.evaluate_tests tests/test_metric.py tests/test_save.py

Where ours differs, and why, stands in `DIFFERENCES`; each of these tests must fail.
"""

import evaluate.module
import pytest

from metric_commons.base.module import BatchModule

evaluate.module.EvaluationModule = BatchModule

DIFFERENCES = {
    "test_dummy_metric": "no rows are refused: a score of nothing is undefined",
    "test_string_casting": "a text where a list of texts is expected is a list of one",
    "test_string_casting_tested_once": "every row is checked, and not the first one alone",
    "test_metric_with_multilabel[multilabel-predictions1-references1-0.25]": (
        "a class names its configurations"
    ),
}
ONLINE = "test_modules_from_string"  # which loads modules of the Hub


def pytest_collection_modifyitems(items):
    """Mark the tests that differ."""
    for item in items:
        if item.name in DIFFERENCES:
            item.add_marker(pytest.mark.xfail(reason=DIFFERENCES[item.name], strict=True))
        if item.name.startswith(ONLINE):
            item.add_marker(pytest.mark.online)


def pytest_configure(config):
    """Name the marker, with which those who have no network leave tests out."""
    config.addinivalue_line("markers", "online: needs the Hub")
