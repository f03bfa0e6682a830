"""Our modules with `result_format` against evaluate's own modules: recorded results, and live."""

import ast
import doctest
import math
import random
import re
from pathlib import Path

import evaluate
import pytest

import metric_commons
from metric_commons.module.catalog.stock_modules import replacements
from tests.stock.results import CHECKOUT, differences, our_result, recorded, stock_result

RECORDED = recorded()


def tolerance(call):
    """The module computes this correlation in single precision."""
    return 1e-6 if call.configuration == "stsb" else 1e-12


def test_every_stock_module_is_recorded():
    names = {(call.stock, call.configuration) for call, _ in RECORDED}
    for found in replacements():
        assert found.stock == "code_eval" or any(  # which test_execution.py compares
            stock == found.stock and found.configuration in (None, configuration)
            for stock, configuration in names
        ), found.result_format


@pytest.mark.parametrize("stock", sorted({call.stock for call, _ in RECORDED}))
def test_a_result_is_that_of_the_stock_module(stock):
    for call, result in RECORDED:
        if call.stock == stock:
            assert not list(differences(result, our_result(call), tolerance(call))), call


def test_a_result_is_that_of_the_module_in_a_checkout():
    if not CHECKOUT:
        pytest.skip("EVALUATE_CHECKOUT names no checkout of evaluate")
    for call, _ in RECORDED:
        result = stock_result(CHECKOUT, call)
        assert not list(differences(result, our_result(call), tolerance(call))), call


@pytest.mark.parametrize("stock", sorted({entry.stock for entry in replacements()}))
def test_the_examples_of_a_stock_module_hold_for_ours(stock):
    if not CHECKOUT:
        pytest.skip("EVALUATE_CHECKOUT names no checkout of evaluate")
    script = Path(CHECKOUT, "metrics", stock, f"{stock}.py").read_text("utf-8")
    usage = next(
        ast.literal_eval(node.value)
        for node in ast.parse(script).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_KWARGS_DESCRIPTION"
    )
    examples = doctest.DocTestParser().get_doctest(usage, {"evaluate": evaluate}, stock, None, None)
    for example in examples.examples:
        if "array(" in example.want:  # ours returns a list
            example.want = re.sub(r"array\((.*?)\)", "...", example.want)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    report = []
    with metric_commons.patch_evaluate():
        doctest.DocTestRunner(verbose=False, optionflags=flags).run(examples, out=report.append)

    assert examples.examples
    assert not report


def test_the_mean_of_rouge_is_what_the_median_of_the_stock_module_estimates():
    dice = random.Random(1)
    words = "the cat dog sat ran on in a mat".split()
    columns = {
        side: [" ".join(dice.choices(words, k=6)) for _ in range(200)]
        for side in ("predictions", "references")
    }
    rouge = metric_commons.load("rouge_n_l", result_format="rouge")
    means = rouge.compute(**columns)
    rows = rouge.compute(**columns, use_aggregator=False)

    assert means.keys() == rows.keys() == {"rouge1", "rouge2", "rougeL", "rougeLsum"}
    for name, values in rows.items():
        assert means[name] == pytest.approx(math.fsum(values) / 200, rel=1e-15)
    scoring = pytest.importorskip("rouge_score.scoring", reason="rouge_score is not installed")
    aggregator = scoring.BootstrapAggregator()
    for value in rows["rouge1"]:
        aggregator.add_scores({"rouge1": scoring.Score(value, value, value)})
    low, median, high = aggregator.aggregate()["rouge1"]
    assert low.fmeasure < means["rouge1"] < high.fmeasure
    assert median.fmeasure == pytest.approx(means["rouge1"], abs=0.005)
