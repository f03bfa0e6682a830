"""Scores of predicted JSON values against expected ones."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from ..statistics.arguments.checks import OptionError, RowError
from ..statistics.arguments.domains import Names, NonNegative, PerRow, checked_options
from ..statistics.intervals.sum_distributions import SumRatio, SumScore, row_mean
from ..statistics.intervals.sums import RowStatistics
from ..text.tokens.references import check_columns
from .call_scores import MICRO_RATIOS, micro_scores, ratio
from .json_equality import Equality, ListOrder, Types, ValueNormalizer, value_normalizer
from .json_leaves import ABSENT, PATH_COUNTS, Absence, LeafComparison, PathCounts, check_paths
from .json_texts import InvalidJsonError, fenced_json, found_json, read_json

Schemas = Mapping[str, Any] | str | Annotated[Sequence[Any], PerRow("JSON Schema")]


def _validators(schema: Any, rows: int) -> list[Any]:
    """Return the validator of each row, each prepared once.

    Args:
        schema: one for all rows, or a list with one for each; schemas may be JSON texts.
        rows: the number of rows.

    Raises:
        ImportError: jsonschema is not installed.
        OptionError: a schema is not valid, or there is not one for each row.
    """
    is_list = not isinstance(schema, Mapping | str)
    schemas = list(schema) if is_list else [schema]
    if is_list and rows and len(schemas) != rows:
        raise OptionError("schema", f"has {len(schemas)} schemas for {rows} rows")
    validators: dict[int | str, Any] = {}  # rows often share a schema
    keys = [item if isinstance(item, str) else id(item) for item in schemas]
    for row, (key, item) in enumerate(zip(keys, schemas, strict=True)):
        if key not in validators:
            validators[key] = _validator(item, f"schema[{row}]" if is_list else "schema")
    return [validators[key] for key in keys] * (1 if is_list else rows)


def _is_valid(validator: Any, value: Any) -> bool:
    """Return whether a value follows a schema."""
    try:
        return bool(validator.is_valid(value))
    except RecursionError:
        return False


def _validator(schema: Any, label: str) -> Any:
    try:
        from jsonschema import SchemaError
        from jsonschema.validators import Draft202012Validator, validator_for
    except ImportError as error:
        raise ImportError(
            "option schema needs jsonschema: pip install 'metric-commons[schema]'"
        ) from error
    if isinstance(schema, str):
        try:
            schema = read_json(schema)
        except InvalidJsonError as error:
            raise OptionError(label, str(error)) from None
    if not isinstance(schema, Mapping | bool):
        raise OptionError(label, "is not a JSON Schema, which is an object")
    kind = validator_for(schema, default=Draft202012Validator)
    try:
        kind.check_schema(schema)
    except SchemaError as error:
        raise OptionError(label, f"is not a JSON Schema: {error.message}") from None
    return kind(schema)


Parse = Literal["strict", "fenced", "found"]
_TEXTS: Mapping[Parse, Callable[[str], str]] = {
    "strict": str,
    "fenced": fenced_json,
    "found": found_json,
}

_MEANS = ("valid", "exact_match", "f1", "precision", "recall")
_COUNTS = ("matched", "predicted", "expected")
_STATISTICS = (*_MEANS, *_COUNTS, "rows")
_MOST_CELLS = 1 << 27  # numbers of a table by path, 1 GiB


@checked_options
def json_statistics(
    predictions: Sequence[str],
    references: Sequence[str],
    *,
    schema: Schemas | None = None,
    parse: Parse = "strict",
    list_order: ListOrder = "ordered",
    normalizer: ValueNormalizer = "none",
    types: Types = "json",
    rel_tol: NonNegative = 0.0,
    abs_tol: NonNegative = 0.0,
    nulls: Absence = "value",
    empties: Absence = "value",
    ignore_paths: Names = (),
    by_path: bool = False,
) -> RowStatistics:
    """Return the statistics of predicted JSON: validity, whole rows, leaves, and leaves by path.

    Predictions may be invalid. The options are those of `json_match`.

    Raises:
        ValueError: a reference, a schema or an option is not valid.

    >>> scores = json_statistics(['{"a": 1, "b": 2}'], ['{"a": 1}']).result()
    >>> scores["precision"], scores["recall"]
    (0.5, 1.0)
    """
    check_columns(predictions, references)
    check_paths("ignore_paths", ignore_paths)
    comparison = LeafComparison(
        Equality(value_normalizer(normalizer), types, rel_tol, abs_tol, list_order),
        nulls,
        empties,
        frozenset(ignore_paths),
    )
    validators = None if schema is None else _validators(schema, len(references))
    names = _STATISTICS if validators is None else (*_STATISTICS, "schema_valid")
    values = np.zeros((len(references), len(names)))
    paths: list[PathCounts] = []
    for row, (prediction, reference) in enumerate(zip(predictions, references, strict=True)):
        expected = _expected(row, reference)
        try:
            text = _TEXTS[parse](prediction)
            predicted = expected if text == reference else read_json(text)
            is_valid = True
        except InvalidJsonError:
            predicted, is_valid = ABSENT, False
        if validators is not None:
            values[row, -1] = is_valid and _is_valid(validators[row], predicted)
        is_same = predicted is expected
        if not comparison.keeps_all:
            expected = comparison.reduced(expected)
            predicted = expected if is_same else comparison.reduced(predicted)
        values[row, : len(_STATISTICS)] = _row(predicted, expected, comparison, is_same=is_same)
        if by_path:
            paths.append(comparison.by_path(predicted, expected))
    statistics = RowStatistics(
        names,
        values,
        partial(_pooled_scores, by_path=by_path),
        _row_scores,
        _distributions,
        _breakdowns,
    )
    return _with_paths(statistics, paths) if paths else statistics


def _expected(row: int, reference: str) -> Any:
    try:
        return read_json(reference)
    except InvalidJsonError as error:
        problem = str(error) if str(error).startswith("is ") else f": {error}"
        raise RowError("references", row, problem) from None


def _row(
    predicted: Any, expected: Any, comparison: LeafComparison, *, is_same: bool
) -> list[float]:
    """Return the statistics of a row; an invalid prediction is `ABSENT`."""
    leaves = comparison.leaves(expected)
    if predicted is ABSENT:
        return [*([0.0] * len(_MEANS)), 0.0, 0.0, leaves, 1.0]
    if is_same:
        return [*([1.0] * len(_MEANS)), leaves, leaves, leaves, 1.0]
    predicted_leaves = comparison.leaves(predicted)
    matches = comparison.matched(predicted, expected)
    empty_score = float(not leaves and not predicted_leaves)
    total = predicted_leaves + leaves
    return [
        1.0,
        float(matches == predicted_leaves == leaves),
        2 * matches / total if total else empty_score,
        matches / predicted_leaves if predicted_leaves else empty_score,
        matches / leaves if leaves else empty_score,
        *(matches, predicted_leaves, leaves),
        1.0,
    ]


def _with_paths(statistics: RowStatistics, rows: Sequence[PathCounts]) -> RowStatistics:
    """Return the statistics with a column for each path and kind of leaves that occurs."""
    columns: dict[str, int] = {}
    cells: list[tuple[int, int, int]] = []
    for row, counts in enumerate(rows):
        for path, numbers in counts.items():
            for kind, number in zip(PATH_COUNTS, numbers, strict=True):
                if number:
                    name = f"{kind}:{path}"
                    cells.append((row, columns.setdefault(name, len(columns)), number))
    if len(rows) * len(columns) > _MOST_CELLS:
        raise OptionError(
            "by_path",
            f": {len(rows):,} rows with {len(columns):,} counts by path take too much memory",
        )
    table = np.zeros((len(rows), len(columns)))
    if cells:
        row_numbers, column_numbers, numbers_of_leaves = np.array(cells, np.int64).T
        table[row_numbers, column_numbers] = numbers_of_leaves
    order = sorted(columns)  # independent of the order of rows
    table = table[:, [columns[name] for name in order]]
    return statistics.extended(order, table)


def _pooled_scores(sums: Mapping[str, float], *, by_path: bool = False) -> dict[str, Any]:
    """Return the scores of all rows, from the sums of their statistics."""
    means = {name: ratio(sums[name], sums["rows"]) for name in _MEANS}
    if "schema_valid" in sums:
        valid = means.pop("valid")
        schema_valid = ratio(sums["schema_valid"], sums["rows"])
        means = {"valid": valid, "schema_valid": schema_valid, **means}
    result: dict[str, Any] = {
        **means,
        **micro_scores(sums),
        **{name: int(sums[name]) for name in _COUNTS},
    }
    if by_path:
        result["by_path"] = {path: path_scores(sums, path) for path in _paths(sums)}
    return result


def path_scores(sums: Mapping[str, float], path: str) -> dict[str, Any]:
    """Return the counts and scores of the leaves of one path.

    >>> path_scores({"matched:$.a": 3, "wrong:$.a": 1, "missing:$.a": 2}, "$.a")["recall"]
    0.5
    """
    counts = [int(sums.get(f"{kind}:{path}", 0)) for kind in PATH_COUNTS]
    hits, wrong, missing, extra = counts
    return {
        **dict(zip(PATH_COUNTS, counts, strict=True)),
        "precision": ratio(hits, hits + wrong + extra),
        "recall": ratio(hits, hits + wrong + missing),
        "f1": ratio(2 * hits, 2 * hits + 2 * wrong + missing + extra),
    }


def _paths(sums: Mapping[str, float]) -> list[str]:
    """Return the paths with leaves in these sums, in order."""
    names = {
        name.partition(":")[2]
        for name, total in sums.items()
        if total and name.partition(":")[0] in PATH_COUNTS
    }
    return sorted(names - {""})


def _distributions(names: Sequence[str]) -> dict[str, SumScore]:
    means = [*_MEANS, *(["schema_valid"] if "schema_valid" in names else [])]
    return {**{name: row_mean(name) for name in means}, **MICRO_RATIOS}


def _breakdowns(names: Sequence[str]) -> dict[str, dict[str, dict[str, SumRatio]]]:
    """Return how the scores of each path follow from sums."""
    by_path = {}
    for path in _paths(dict.fromkeys(names, 1)):
        hits, wrong, missing, extra = (
            {f"{kind}:{path}": 1.0} if f"{kind}:{path}" in names else {} for kind in PATH_COUNTS
        )
        doubled = dict.fromkeys((*hits, *wrong), 2.0)
        by_path[path] = {
            "precision": SumRatio(hits, hits | wrong | extra),
            "recall": SumRatio(hits, hits | wrong | missing),
            "f1": SumRatio(dict.fromkeys(hits, 2.0), doubled | missing | extra),
        }
    return {"by_path": by_path} if by_path else {}


def _row_scores(sums: Mapping[str, float]) -> dict[str, float]:
    schema_valid = {"schema_valid": sums["schema_valid"]} if "schema_valid" in sums else {}
    scores = {name: sums[name] for name in _MEANS} | schema_valid
    return scores | {name: int(sums[name]) for name in _COUNTS}
