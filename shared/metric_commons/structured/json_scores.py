"""Scores of predicted JSON values against expected ones."""

from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from ..statistics.arguments.checks import OptionError
from ..statistics.arguments.domains import Names, NonNegative, PerRow, checked_options
from ..statistics.intervals.sum_distributions import SumRatio, row_mean
from ..statistics.intervals.sums import RowStatistics
from ..text.tokens.references import check_columns
from .call_scores import MICRO_RATIOS, pooled, unreadable_reference
from .json_equality import Equality, ListOrder, Types, ValueNormalizer, value_normalizer
from .json_leaves import ABSENT, PATH_COUNTS, Absence, LeafComparison, PathCounts, check_paths
from .json_texts import InvalidJsonError, fenced_json, found_json, read_json
from .tool_declarations import prepared

Schemas = Mapping[str, Any] | str | Annotated[Sequence[Any], PerRow("JSON Schema")]


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
    rows = len(references)
    if schema is None or isinstance(schema, Mapping | str):
        validators = [None if schema is None else _validator(schema, "schema")] * rows
    else:
        validators = prepared("schema", "schemas", schema, rows, _validator)
    names = _STATISTICS if schema is None else (*_STATISTICS, "schema_valid")
    values = np.zeros((rows, len(names)))
    paths: list[PathCounts] = []
    for row, (prediction, reference) in enumerate(zip(predictions, references, strict=True)):
        expected = _expected(row, reference)
        try:
            text = _TEXTS[parse](prediction)
            predicted = expected if text == reference else read_json(text)
        except InvalidJsonError:
            predicted = ABSENT
        if schema is not None:
            values[row, -1] = predicted is not ABSENT and _is_valid(validators[row], predicted)
        is_same = predicted is expected
        if not comparison.keeps_all:
            expected = comparison.reduced(expected)
            predicted = expected if is_same else comparison.reduced(predicted)
        values[row, : len(_STATISTICS)] = _row(predicted, expected, comparison)
        if by_path:
            paths.append(comparison.by_path(predicted, expected))
    statistics = RowStatistics(
        names,
        values,
        partial(_pooled_scores, by_path=by_path),
        _row_scores,
        _ratios,
    )
    return _with_paths(statistics, paths) if paths else statistics


def _expected(row: int, reference: str) -> Any:
    try:
        return read_json(reference)
    except InvalidJsonError as error:
        raise unreadable_reference(row, error) from None


def _row(predicted: Any, expected: Any, comparison: LeafComparison) -> list[float]:
    """Return the statistics of a row; an invalid prediction is `ABSENT`."""
    leaves = comparison.leaves(expected)
    if predicted is ABSENT:
        return [*([0.0] * len(_MEANS)), 0.0, 0.0, leaves, 1.0]
    if predicted is expected:
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
        matches,
        predicted_leaves,
        leaves,
        1.0,
    ]


def _with_paths(statistics: RowStatistics, rows: Sequence[PathCounts]) -> RowStatistics:
    """Return the statistics with a column for each path and kind of leaves that occurs."""
    cells = [
        (row, f"{kind}:{path}", number)
        for row, counts in enumerate(rows)
        for path, numbers in counts.items()
        for kind, number in zip(PATH_COUNTS, numbers, strict=True)
        if number
    ]
    columns = sorted({name for _, name, _ in cells})  # independent of the order of rows
    if len(rows) * len(columns) > _MOST_CELLS:
        raise OptionError(
            "by_path",
            f": {len(rows):,} rows with {len(columns):,} counts by path take too much memory",
        )
    positions = {name: position for position, name in enumerate(columns)}
    table = np.zeros((len(rows), len(columns)))
    for row, name, number in cells:
        table[row, positions[name]] = number
    return statistics.extended(columns, table)


def _pooled_scores(sums: Mapping[str, float], *, by_path: bool = False) -> dict[str, Any]:
    """Return the scores of all rows, from the sums of their statistics."""
    result: dict[str, Any] = pooled(_ratios(list(sums)), sums) | {
        name: int(sums[name]) for name in _COUNTS
    }
    if by_path:
        result["by_path"] = {path: _path_scores(sums, path) for path in _paths(sums)}
    return result


def _path_scores(sums: Mapping[str, float], path: str) -> dict[str, Any]:
    """Return the counts and scores of the leaves of one path."""
    counts = {kind: int(sums.get(f"{kind}:{path}", 0)) for kind in PATH_COUNTS}
    return counts | pooled(_path_ratios(path, sums), sums)


def _paths(sums: Mapping[str, float]) -> list[str]:
    """Return the paths with leaves in these sums, in order."""
    names = {
        name.partition(":")[2]
        for name, total in sums.items()
        if total and name.partition(":")[0] in PATH_COUNTS
    }
    return sorted(names - {""})


def _ratios(names: Sequence[str]) -> dict[str, SumRatio]:
    means = ["valid", *(["schema_valid"] if "schema_valid" in names else []), *_MEANS[1:]]
    return {**{name: row_mean(name) for name in means}, **MICRO_RATIOS}


def _path_ratios(path: str, names: Container[str]) -> dict[str, SumRatio]:
    """Return how the scores of a path follow from those of its counts that occur."""
    hits, wrong, missing, extra = (
        {f"{kind}:{path}": 1.0} if f"{kind}:{path}" in names else {} for kind in PATH_COUNTS
    )
    doubled = dict.fromkeys((*hits, *wrong), 2.0)
    return {
        "precision": SumRatio(hits, hits | wrong | extra),
        "recall": SumRatio(hits, hits | wrong | missing),
        "f1": SumRatio(dict.fromkeys(hits, 2.0), doubled | missing | extra),
    }


def _row_scores(sums: Mapping[str, float]) -> dict[str, float]:
    scores = {name: sums[name] for name in (*_MEANS, "schema_valid") if name in sums}
    return scores | {name: int(sums[name]) for name in _COUNTS}
