"""The scores of tool calls, and the statistics of rows for them."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..statistics.arguments.checks import OptionError, RowError
from ..statistics.arguments.domains import Names, NonNegative, checked_options
from ..statistics.intervals.sum_distributions import SumRatio, SumScore, row_mean
from ..statistics.intervals.sums import RowStatistics
from .call_formats import CallFormat
from .call_matches import ArgumentMatch, CallComparison, CallMatch, Dots
from .call_texts import Turns, expected_calls, has_plain_values, read_calls
from .json_equality import Equality, ListOrder, Types, ValueNormalizer, value_normalizer
from .json_texts import InvalidJsonError, read_json
from .python_calls import Call, UnreadableCallError
from .tool_declarations import Toolbox, Tools, toolbox, toolboxes

_MEANS = ("exact_match", "name_match", "f1", "precision", "recall", "partial_match")
_COUNTS = ("matched", "predicted", "expected")
# A row that expects no call, and one of them without a call; one that expects some, and has some.
_STATISTICS = (
    *_MEANS,
    "unparsed",
    *_COUNTS,
    *("rows", "irrelevant", "irrelevant_silent", "relevant", "relevant_called"),
)


@checked_options
def call_statistics(
    predictions: Sequence[str],
    references: Sequence[str],
    *,
    match: CallMatch = "any_order",
    arguments: ArgumentMatch = "equal",
    alternatives: bool = False,
    tools: Tools | None = None,
    defaults: bool = False,
    ignore_arguments: Names = (),
    normalizer: ValueNormalizer = "none",
    types: Types = "json",
    rel_tol: NonNegative = 0.0,
    abs_tol: NonNegative = 0.0,
    list_order: ListOrder = "ordered",
    format: CallFormat = "auto",  # noqa: A002 # the name of the option
    turns: Turns = "all",
    dots: Dots = "keep",
) -> RowStatistics:
    """Return the statistics of rows for the scores of `tool_calls`, whose options these are.

    Args:
        predictions: texts of a model, or JSON texts of calls after `OBJECT_MARK`.
        references: the JSON texts of the expected calls.
        match: "any_order", "same_order", "in_order", "superset" or "subset".
        arguments: "equal", "superset", "subset", "ignore" or "bfcl".
        alternatives: whether an expected argument is the list of its accepted values.
        tools: declarations of tools, for all rows or for each.
        defaults: whether both sides get the declared defaults first.
        ignore_arguments: names of arguments to ignore.
        normalizer: the normalizer of texts.
        types: "json", "strict" or "loose".
        rel_tol: the tolerance of numbers, relative to the expected one.
        abs_tol: the absolute tolerance of numbers.
        list_order: "ordered" or "any".
        format: the format of texts: "auto", "hermes", "qwen3_coder", "llama", "deepseek",
            "mistral", "gemma", "json" or "python".
        turns: "all" messages of a prediction, or the "last" of the assistant.
        dots: "keep", or "underscore" for names that cannot have dots.

    Raises:
        ValueError: a reference, a declaration or an option is not valid.

    >>> rows = call_statistics(["[f(a=1), g()]"], ['[{"name": "f", "arguments": {"a": 1}}]'])
    >>> rows.result()["precision"], rows.result()["recall"]
    (0.5, 1.0)
    """
    if tools is None and references and not any('"tools"' in text for text in references):
        if arguments == "bfcl":
            raise OptionError("arguments='bfcl'", "needs tools: the declarations of the functions")
        if defaults:
            raise OptionError("defaults=True", "needs tools, which declare the defaults")
    comparison = CallComparison(
        Equality(value_normalizer(normalizer), types, rel_tol, abs_tol, list_order),
        match=match,
        arguments=arguments,
        alternatives=alternatives or arguments == "bfcl",
        defaults=defaults,
        ignore_arguments=frozenset(ignore_arguments),
        dots=dots,
    )
    plain = comparison.plain()
    boxes = toolboxes(tools, len(references))
    values: list[list[float]] = []
    for row, (prediction, reference) in enumerate(zip(predictions, references, strict=True)):
        expected, box = _expected(row, reference, boxes[row], comparison)
        try:
            predicted = read_calls(prediction, format, turns)
        except UnreadableCallError:
            values.append(_unparsed(len(expected)))
            continue
        comparison_of_row = comparison
        if (
            plain is not None
            and plain.takes_few(predicted, expected)
            and has_plain_values(prediction, reference)
        ):
            comparison_of_row = plain
        values.append(_row(predicted, expected, box, comparison_of_row))
    return RowStatistics(
        _STATISTICS,
        np.array(values, np.float64).reshape(len(values), len(_STATISTICS)),
        call_scores,
        _row_scores,
        lambda names: _DISTRIBUTIONS,
    )


def _expected(
    row: int, reference: str, box: Toolbox, comparison: CallComparison
) -> tuple[list[Call], Toolbox]:
    """Return the expected calls of a row, and its tools, which may be given beside the calls."""
    try:
        value = read_json(reference)
        if isinstance(value, dict) and "tool_calls" in value:
            if "tools" in value:
                box = toolbox(value["tools"], "tools")
            value = value["tool_calls"]
        calls = expected_calls(value)
        _check_expected(calls, box, comparison)
    except (InvalidJsonError, UnreadableCallError) as error:
        problem = str(error) if str(error).startswith("is ") else f": {error}"
        raise RowError("references", row, problem) from None
    except OptionError as error:
        raise RowError("references", row, f": {error}") from None
    return calls, box


def _check_expected(calls: Sequence[Call], box: Toolbox, comparison: CallComparison) -> None:
    """Check that the expected calls have the form that the options require.

    Raises:
        UnreadableCallError: an argument lacks its list of accepted values, or a call its tool.
    """
    is_bfcl = comparison.arguments == "bfcl"
    for name, arguments in calls:
        if is_bfcl and name not in box:
            raise UnreadableCallError(
                f"{name} is not among the tools; arguments='bfcl' needs its types"
            )
        if not comparison.alternatives:
            continue
        for key, options in arguments.items():
            if not isinstance(options, list) or not (options or is_bfcl):
                raise UnreadableCallError(
                    f"{key!r} of {name} is not a list of accepted values, which alternatives need"
                )


def _unparsed(expected: int) -> list[float]:
    """Return the statistics of a row whose prediction attempts a call and cannot be read."""
    is_relevant = expected > 0
    counts = (0.0, 0.0, float(expected))
    return [*([0.0] * len(_MEANS)), 1.0, *counts, 1.0, not is_relevant, 0.0, is_relevant, 0.0]


def _row(
    predicted: Sequence[Call], expected: Sequence[Call], box: Toolbox, comparison: CallComparison
) -> list[float]:
    """Return the statistics of a row whose prediction could be read."""
    counts = comparison.counts(
        [comparison.predicted_form(call, box) for call in predicted],
        [comparison.expected_form(call, box) for call in expected],
    )
    pairs, calls, targets = counts.pairs, len(predicted), len(expected)
    empty_score = float(not calls and not targets)
    return [
        counts.exact_match,
        counts.name_match,
        2 * pairs / (calls + targets) if calls or targets else 1.0,
        pairs / calls if calls else empty_score,
        pairs / targets if targets else empty_score,
        counts.partial_match,
        0.0,
        *(pairs, calls, targets),
        1.0,
        not targets,
        not targets and not calls,
        targets > 0,
        targets > 0 and calls > 0,
    ]


def micro_scores(sums: Mapping[str, float]) -> dict[str, float]:
    """F1, precision and recall of the items of all rows together; NaN if there are none.

    >>> micro_scores({"matched": 1, "predicted": 2, "expected": 0})
    {'micro_f1': 1.0, 'micro_precision': 0.5, 'micro_recall': nan}
    """
    pairs, predicted, expected = (sums[name] for name in _COUNTS)
    return {
        "micro_f1": ratio(2 * pairs, predicted + expected),
        "micro_precision": ratio(pairs, predicted),
        "micro_recall": ratio(pairs, expected),
    }


MICRO_RATIOS: Mapping[str, SumScore] = {
    "micro_f1": SumRatio({"matched": 2.0}, {"predicted": 1.0, "expected": 1.0}),
    "micro_precision": SumRatio({"matched": 1.0}, {"predicted": 1.0}),
    "micro_recall": SumRatio({"matched": 1.0}, {"expected": 1.0}),
}


def call_scores(sums: Mapping[str, float]) -> dict[str, Any]:
    """Return the scores of all rows, from the sums of their statistics."""
    return {
        **{name: ratio(sums[name], sums["rows"]) for name in _MEANS},
        **micro_scores(sums),
        "irrelevance_accuracy": ratio(sums["irrelevant_silent"], sums["irrelevant"]),
        "relevance_accuracy": ratio(sums["relevant_called"], sums["relevant"]),
        "unparsed": ratio(sums["unparsed"], sums["rows"]),
        **{name: int(sums[name]) for name in _COUNTS},
    }


_DISTRIBUTIONS: Mapping[str, SumScore] = {
    **{name: row_mean(name) for name in (*_MEANS, "unparsed")},
    **MICRO_RATIOS,
    "irrelevance_accuracy": row_mean("irrelevant_silent", "irrelevant"),
    "relevance_accuracy": row_mean("relevant_called", "relevant"),
}


def _row_scores(sums: Mapping[str, float]) -> dict[str, float]:
    scores = {name: sums[name] for name in (*_MEANS, "unparsed")}
    return scores | {name: int(sums[name]) for name in _COUNTS}


def ratio(numerator: float, denominator: float) -> float:
    """Return the ratio of two sums; NaN if the divisor is 0."""
    return numerator / denominator if denominator else math.nan
