"""The page about results at the limits of its parts: what is shown, folded or left out."""

import pytest

from metric_commons.reporting.plots.bar_plots import difference_panels
from metric_commons.reporting.plots.panels import BLUE, VERMILION
from metric_commons.reporting.report.page import render
from tests.apps.test_report import comparison, find_nothing, module_result, results_of


def compared(*, scores=(0.5, 0.5), is_lower_better=False, **more):
    """Results of two systems with these scores, and their comparison."""
    values = dict(zip("ab", scores, strict=True))
    lower = ["s"] if is_lower_better else []
    systems = {
        name: module_result(scores={"s": value}, lower_is_better=lower)
        for name, value in values.items()
    }
    return results_of(systems, comparisons=[comparison("a", "b", values, **more)])


@pytest.mark.parametrize(
    ("scores", "is_lower_better", "color"),
    [((0.7, 0.5), False, BLUE), ((0.5, 0.7), False, VERMILION), ((0.5, 0.7), True, BLUE)],
)
def test_of_a_one_sided_test_either_system_may_be_better(scores, is_lower_better, color):
    alternative = "greater" if scores[0] > scores[1] else "less"
    results = compared(scores=scores, is_lower_better=is_lower_better, alternative=alternative)
    ((_, (line,)),) = difference_panels(results)

    assert (line.name, line.color) == ("a − b", color)


def test_a_level_is_named_only_if_all_intervals_have_it():
    def page(*levels):
        systems = {
            f"s{number}": module_result(
                options={"confidence_level": level}, confidence_interval={"qa_em": [0.4, 0.6]}
            )
            for number, level in enumerate(levels)
        }
        return render(results_of(systems), find_nothing())

    assert "90 %" in page(0.9, 0.9)
    assert "90 %" not in page(0.9, 0.8)
    assert "80 %" not in page(0.9, 0.8)
