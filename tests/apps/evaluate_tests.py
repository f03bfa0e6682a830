"""A plugin of pytest for the tests of `evaluate` itself, with our base class and modules.

Our base class takes the place of its own, and `evaluate.load("accuracy")` loads ours. From a
checkout of evaluate 0.4.6, whose folder `tests` is renamed since ours has that name:

    python -m pytest -p tests.apps.evaluate_tests evaluate_tests/test_metric.py \\
        evaluate_tests/test_save.py evaluate_tests/test_evaluator.py \\
        evaluate_tests/test_trainer_evaluator_parity.py

The last two load models and data of the Hub. Where ours differs, and why, stands in `DIFFERENCES`;
each of these tests must fail.
"""

from contextlib import ExitStack

import evaluate.module
import pytest

import metric_commons
from metric_commons.module.declaration.module import BatchModule

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
    """Name the marker, with which those who have no network leave tests out; load our modules."""
    import transformers

    config.addinivalue_line("markers", "online: needs the Hub")
    stack = ExitStack()
    patch = stack.enter_context(pytest.MonkeyPatch.context())
    patch.setattr(evaluate.module, "EvaluationModule", BatchModule)
    if not hasattr(transformers, "TFPreTrainedModel"):  # which evaluators ask for
        patch.setattr(
            transformers, "TFPreTrainedModel", type("TFPreTrainedModel", (), {}), raising=False
        )
    stack.enter_context(metric_commons.patch_evaluate())
    config.add_cleanup(stack.close)
