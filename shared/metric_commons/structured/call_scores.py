"""Scores of predicted tool calls against expected ones."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..statistics.arguments.checks import OptionError, RowError
from ..statistics.arguments.domains import Names, NonNegative, checked_options
from ..statistics.intervals.sum_distributions import SumRatio, row_mean
from ..statistics.intervals.summary import ModuleScores, summarize
from ..statistics.intervals.sums import RowStatistics
from ..text.tokens.references import check_columns
from ..text.tokens.thoughts import Thoughts
from .call_comparison import IN_ORDER, ArgumentMatch, CallComparison, CallMatch, Dots, MatchCounts
from .call_texts import CallFormat, Turns, expected_calls, read_calls
from .json_equality import Equality, ListOrder, Types, ValueNormalizer, value_normalizer
from .json_texts import InvalidJsonError, read_json
from .python_calls import Call, UnreadableCallError
from .tool_declarations import Toolbox, Tools, toolbox, toolboxes

_MEANS = ("exact_match", "name_match", "f1", "precision", "recall", "partial_match")
_COUNTS = ("matched", "predicted", "expected")
# The last four count rows that expect no call, those of them without a call, rows that expect
# calls, and those of them with a call.
_STATISTICS = (
    *_MEANS,
    "unparsed",
    *_COUNTS,
    "rows",
    "irrelevant",
    "irrelevant_silent",
    "relevant",
    "relevant_called",
)


@checked_options
def tool_call_scores(
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
    thoughts: Thoughts = "strip",
    dots: Dots = "keep",
    **summary: Any,
) -> ModuleScores:
    """Return the scores of predicted tool calls: of whole rows, of calls and of arguments.

    Args:
        predictions: texts of a model, or JSON texts of calls after `OBJECT_MARK`.
        references: the JSON texts of the expected calls.
        match: which rows are right: "any_order" and "same_order" need equal calls; "in_order" has
            the expected calls among others; "superset" and "subset" have more or fewer calls.
        arguments: which arguments fit: "equal" ones; a "superset" or "subset" of the expected ones;
            "ignore" compares names alone; "bfcl" is BFCL's AST checker, which needs `tools`.
        alternatives: whether each expected argument is the list of its accepted values, "" among
            them if it may be left out; "bfcl" implies it.
        tools: declarations of tools in OpenAI's or BFCL's form: for all rows, or a list per row.
        defaults: whether both sides get the defaults that `tools` declare.
        ignore_arguments: names of arguments that are left out.
        normalizer: of texts in arguments: a name, "bfcl" among them, or a function.
        types: "json": 1 equals 1.0; "strict": it does not; "loose": "1" equals 1 too. True is never
            1.
        rel_tol: how far a number may be from the expected one, as a proportion of that one.
        abs_tol: the same, as a number.
        list_order: whether lists in arguments are equal in "any" order of their items.
        format: the form of texts: "hermes", "qwen3_coder", "llama", "deepseek", "mistral" and
            "gemma" are those of models; "json", "python"; "auto" finds these and all others.
        turns: the calls of "all" messages of the assistant in a prediction, or of its "last".
        thoughts: "strip" leaves out calls in the thoughts of a model, such as
            `<think>...</think>`; "keep" does not; or the [opening mark, closing mark] of thoughts.
        dots: "underscore" takes a.b and a_b for one name.
        **summary: the options of `summarize`.

    Raises:
        ValueError: a reference, a declaration or an option is not valid.

    >>> scores = tool_call_scores(["[f(a=1), g()]"], ['[{"name": "f", "arguments": {"a": 1}}]'])
    >>> scores["precision"], scores["recall"]
    (0.5, 1.0)
    """
    check_columns(predictions, references)
    if tools is None and (defaults or arguments == "bfcl"):
        row = next((row for row, text in enumerate(references) if '"tools"' not in text), None)
        if row is not None:
            option = "arguments='bfcl'" if arguments == "bfcl" else "defaults=True"
            problem = f"needs tools, the declarations of functions; references[{row}] has none"
            raise OptionError(option, problem)
    comparison = CallComparison(
        Equality(value_normalizer(normalizer), types, rel_tol, abs_tol, list_order),
        match=match,
        arguments=arguments,
        alternatives=alternatives or arguments == "bfcl",
        defaults=defaults,
        ignore_arguments=frozenset(ignore_arguments),
        dots=dots,
    )
    arranged: Callable[[Iterable[str]], list[str]] = list if match in IN_ORDER else sorted
    boxes = toolboxes(tools, len(references))
    values: list[list[float]] = []
    for row, (prediction, reference) in enumerate(zip(predictions, references, strict=True)):
        expected, box = _expected(row, reference, boxes[row], comparison)
        try:
            predicted = read_calls(prediction, format, turns, thoughts)
        except UnreadableCallError:
            values.append(_row(None, 0, len(expected)))
            continue
        texts = [arranged(map(repr, calls)) for calls in (predicted, expected)]
        if not comparison.alternatives and texts[0] == texts[1]:
            counts = MatchCounts(1.0, 1.0, 1.0, len(expected))  # without forms, which take time
        else:
            counts = comparison.counts(predicted, expected, box)
        values.append(_row(counts, len(predicted), len(expected)))
    statistics = RowStatistics(
        _STATISTICS,
        np.array(values, np.float64).reshape(len(values), len(_STATISTICS)),
        _pooled_scores,
        _row_scores,
        lambda names: _RATIOS,
    )
    return summarize(statistics, **summary)


def _expected(
    row: int, reference: str, box: Toolbox, comparison: CallComparison
) -> tuple[list[Call], Toolbox]:
    """Return the expected calls of a row and its tools, which a reference may also declare."""
    try:
        value = read_json(reference)
        if isinstance(value, dict) and "tool_calls" in value:
            if "tools" in value:
                box = toolbox(value["tools"], "tools")
            value = value["tool_calls"]
        calls = expected_calls(value)
        _check_expected(calls, box, comparison)
    except (InvalidJsonError, UnreadableCallError, OptionError) as error:
        raise unreadable_reference(row, error) from None
    return calls, box


def unreadable_reference(row: int, error: ValueError) -> RowError:
    """Return the error about a reference that cannot be read."""
    problem = str(error)
    return RowError("references", row, problem if problem.startswith("is ") else f": {problem}")


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


def _row(counts: MatchCounts | None, calls: int, targets: int) -> list[float]:
    """Return the statistics of a row; without counts its prediction could not be read."""
    exact, named, partial, pairs = counts or (0.0, 0.0, 0.0, 0)
    empty_score = float(not calls and not targets and counts is not None)
    return [
        exact,
        named,
        2 * pairs / (calls + targets) if calls or targets else empty_score,
        pairs / calls if calls else empty_score,
        pairs / targets if targets else empty_score,
        partial,
        float(counts is None),
        pairs,
        calls,
        targets,
        1.0,
        not targets,
        empty_score,
        targets > 0,
        targets > 0 and calls > 0,
    ]


MICRO_RATIOS: Mapping[str, SumRatio] = {
    "micro_f1": SumRatio({"matched": 2.0}, {"predicted": 1.0, "expected": 1.0}),
    "micro_precision": SumRatio({"matched": 1.0}, {"predicted": 1.0}),
    "micro_recall": SumRatio({"matched": 1.0}, {"expected": 1.0}),
}
_RATIOS: Mapping[str, SumRatio] = {
    **{name: row_mean(name) for name in _MEANS},
    **MICRO_RATIOS,
    "irrelevance_accuracy": row_mean("irrelevant_silent", "irrelevant"),
    "relevance_accuracy": row_mean("relevant_called", "relevant"),
    "unparsed": row_mean("unparsed"),
}


def pooled(ratios: Mapping[str, SumRatio], sums: Mapping[str, float]) -> dict[str, float]:
    """Return ratios of sums over all rows; NaN if the divisor is 0.

    >>> pooled(MICRO_RATIOS, {"matched": 1, "predicted": 2, "expected": 0})
    {'micro_f1': 1.0, 'micro_precision': 0.5, 'micro_recall': nan}
    """

    def total(factors: Mapping[str, float]) -> float:
        return sum(factor * sums[name] for name, factor in factors.items())

    return {
        name: total(ratio.numerator) / divisor
        if (divisor := total(ratio.denominator))
        else math.nan
        for name, ratio in ratios.items()
    }


def _pooled_scores(sums: Mapping[str, float]) -> dict[str, Any]:
    return pooled(_RATIOS, sums) | {name: int(sums[name]) for name in _COUNTS}


def _row_scores(sums: Mapping[str, float]) -> dict[str, float]:
    scores = {name: sums[name] for name in (*_MEANS, "unparsed")}
    return scores | {name: int(sums[name]) for name in _COUNTS}
