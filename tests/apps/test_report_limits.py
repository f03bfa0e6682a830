"""The page about results at the limits of its parts: what is shown, folded or left out."""

import pytest

from metric_commons.reporting.report.page import render
from tests.apps.test_report import Page, comparison, find_nothing, module_result, results_of


def page_of(results):
    return Page(render(results, find_nothing()))


def differences(page):
    return page.where(id="differences")[0]["inside"]


def labels(elements):
    """The texts under an axis."""
    scale = next(each for each in elements if "scale" in (each.get("class") or "").split())
    return [each["text"] for each in scale["inside"] if each["tag"] == "text"]


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
    ("scores", "is_lower_better", "better"),
    [((0.7, 0.5), False, "a"), ((0.5, 0.7), False, "b"), ((0.5, 0.7), True, "a")],
)
def test_of_a_one_sided_test_either_system_may_be_better(scores, is_lower_better, better):
    alternative = "greater" if scores[0] > scores[1] else "less"
    results = compared(scores=scores, is_lower_better=is_lower_better, alternative=alternative)
    (line,) = (each for each in differences(page_of(results)) if "data-diff" in each)

    assert line["class"].split() == ["line", better]
    (winner,) = (each["text"] for each in line["inside"] if each.get("class") == "winner")
    assert winner == better


@pytest.mark.long
def test_an_axis_of_differences_includes_zero():
    assert labels(differences(page_of(compared(scores=(0.7, 0.5)))))[0] == "0.0"
    equal = labels(differences(page_of(compared(low=0.0, high=0.0))))
    assert (equal[0], equal[-1]) == ("-0.50", "0.50")


def test_an_axis_of_groups_begins_at_zero_and_each_group_has_its_largest_size():
    sizes = {"a": 5, "b": 3}
    systems = {
        name: module_result(groups={"x": {"qa_em": 0.8, "n": size}, "y": {"qa_em": 0.9, "n": 4}})
        for name, size in sizes.items()
    }
    page = page_of(results_of(systems))

    assert [each["text"] for each in page.of_class("rows")] == ["5", "4"]
    bars = {
        (cell["data-group"], rectangle["width"])
        for cell in page.elements
        if "data-group" in cell
        for rectangle in cell["inside"]
        if rectangle["tag"] == "rect" and rectangle.get("class") is None
    }
    assert bars == {("x", "80.0%"), ("y", "90.0%")}


@pytest.mark.long
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


@pytest.mark.long
def test_options_that_differ_are_listed_with_their_systems():
    def page(*names):
        systems = {
            f"s{number}": module_result(options={"normalizer": name})
            for number, name in enumerate(names)
        }
        return render(results_of(systems), find_nothing())

    assert "m · s0" not in page("lower", "lower")
    assert "m · s0" in page("lower", "none")
    assert "m · s1" in page("lower", "none")
