"""What holds of every call of every module, whatever its rows and options are."""

import contextlib
import io
import json
import math
import random
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from metric_commons.__main__ import main
from metric_commons.evaluation.comparison.saved_results import read_results
from metric_commons.evaluation.results.results import Results
from metric_commons.evaluation.rows.states import State
from metric_commons.module.declaration.declarations import OF_ROWS, OF_SCRIPTS
from tests.generators.blocks import SIZES, blocks_of
from tests.generators.calls import loaded
from tests.spec import spec

_ROW_KEYS = ("per_example", "alignments")  # lists with an item for each row


class NotApplicableError(Exception):
    """A property says nothing of a call."""


def text_of(result):
    """A result as text in which equal numbers are equal, NaN too."""
    return json.dumps(result, sort_keys=True, default=str)


def same(found, expected, about):
    """Fail unless both results are the same to the last bit.

    Raises:
        AssertionError: with the first of the differences.
    """
    if text_of(found) != text_of(expected):
        raise AssertionError(f"{about}: {_first_difference(found, expected)}")


def _first_difference(found, expected, path=""):
    if isinstance(found, dict) and isinstance(expected, dict):
        for key in sorted(found.keys() | expected.keys(), key=str):
            pair = found.get(key, "missing"), expected.get(key, "missing")
            if text_of(pair[0]) != text_of(pair[1]):
                return _first_difference(*pair, f"{path}[{key!r}]")
    if isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        for index, pair in enumerate(zip(found, expected, strict=True)):
            if text_of(pair[0]) != text_of(pair[1]):
                return _first_difference(*pair, f"{path}[{index}]")
    return f"{path} is {found!r:.200}, not {expected!r:.200}"


def _with_names(call):
    """The call without a format of its result that has no names."""
    reporting = {name: value for name, value in call.reporting.items() if name != "result_format"}
    return replace(call, reporting=reporting)


def batch_equals_rows(call, chance):
    """The scores of rows are those that each row has alone."""
    metric = loaded(call.module)
    if "per_example" not in metric.options or spec(call.module).whole:
        raise NotApplicableError
    if any(call.options.get(name) == value for name, value in metric.options_of_all_rows.items()):
        raise NotApplicableError
    call = replace(
        call, reporting={}, labels={k: v for k, v in call.labels.items() if k == "scores"}
    )
    together = call.compute(per_example=True)["per_example"]
    for row in range(call.rows):
        try:
            alone = call.take([row]).compute(per_example=True)["per_example"]
        except ValueError:  # a row of which no score is defined, as one without tags
            continue
        of_row = {name: [scores[row]] for name, scores in together.items()}
        same(of_row, alone, f"row {row} among others, not alone")


def order_does_not_matter(call, chance):
    """Rows in another order have the same result, and their own scores."""
    order = list(range(call.rows))
    chance.shuffle(order)
    call = _with_names(call)
    results = [_unordered(each, each.compute()) for each in (call, call.take(order))]
    same(*reversed(results), f"rows in the order {order}")


def _unordered(call, result):
    """The result without what depends on the order of rows, and with the scores of rows by row.

    Rows that are equal have no order; where a sample of them is scored, either may be in it.
    """
    reports = loaded(call.module).reports  # on single rows
    result = {key: value for key, value in result.items() if key not in reports}
    options, keys = spec(call.module).ordered
    settings = {**loaded(call.module).options, **call.options}
    if settings.items() >= options.items():
        for part in (result, *result.get("groups", {}).values()):
            for key in keys & part.keys():
                del part[key]
    rows = [text_of(call.take([row]).columns) for row in range(call.rows)]
    for key in (*_ROW_KEYS, *loaded(call.module).row_texts):
        if isinstance(result.get(key), list):
            result[key] = {"": result[key]}
        for name, column in result.get(key, {}).items():
            result[key][name] = sorted(zip(rows, map(text_of, column), strict=True))
    return result


def split_does_not_matter(call, chance):
    """States of some rows each, stored and merged in any order, have the result of all rows."""
    labels = {k: v for k, v in call.labels.items() if k in ("groups", "clusters")}
    reporting = {
        name: value
        for name, value in call.reporting.items()
        if name not in ("per_example", *OF_ROWS, *OF_SCRIPTS)
    }
    if "clusters" in labels and reporting.get("confidence_level") is None:
        del labels["clusters"]
    call = replace(call, reporting=reporting, labels=labels)
    if not call.is_accepted():
        raise NotApplicableError
    intervals = ("confidence_level", "standard_error")
    settings = call.options | {k: v for k, v in reporting.items() if k in intervals}
    try:
        State(call.module, **settings)
    except ValueError as error:
        raise NotApplicableError from error
    owner = [chance.randrange(chance.choice((1, 2, 5))) for _ in range(call.rows)]
    states = []
    for part in range(5):
        state = State(call.module, **settings)
        own = [row for row in range(call.rows) if owner[row] == part]
        for some in (own[: len(own) // 2], own[len(own) // 2 :]):
            if some:
                taken = call.take(some)
                state.update(**taken.columns, **taken.labels, ids=some)
        if own:
            states.append(_again(state, part))
    chance.shuffle(states)
    merged, *others = states
    merged.merge(*others)
    expected = _unordered(call, call.compute())
    for key in _ROW_KEYS:
        expected.pop(key, None)
    found = _unordered(call, merged.result(**call.reporting))
    same({key: found.get(key) for key in expected}, expected, f"parts {owner}")


def _again(state, part):
    """The state from a file of either form, or as it is."""
    if not part % 3:
        return state
    with TemporaryDirectory() as folder:
        path = Path(folder) / ("rows.parquet" if part % 2 else "rows.jsonl")
        state.save(path)
        return State.read(path)


def _in_this_process(arguments):
    """The exit status of a command, and what it says on stderr."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()) as errors,
    ):
        return main(arguments), errors.getvalue()


def file_equals_columns(call, chance, command=_in_this_process):
    """The command that scores a file saves what `compute` returns for its columns."""
    labels = {k: v for k, v in call.labels.items() if k in ("groups", "clusters")}
    kept = ("confidence_level", "interval", "n_resamples", "seed")
    reporting = {name: value for name, value in call.reporting.items() if name in kept}
    if reporting.get("confidence_level") is None:
        reporting, labels = {}, {k: v for k, v in labels.items() if k == "groups"}
    texts = {name: value for name, value in call.reporting.items() if name in OF_ROWS and value}
    call = replace(call, reporting=reporting, labels=labels)
    if not call.is_accepted():
        raise NotApplicableError
    columns = call.columns | call.labels
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    is_ascii = chance.random() < 0.5
    try:
        lines = [json.dumps(row, allow_nan=False, ensure_ascii=is_ascii) for row in rows]
    except ValueError as error:
        raise NotApplicableError from error
    with TemporaryDirectory() as folder:
        path, saved = Path(folder, "rows.jsonl"), Path(folder, "result.json")
        row_file = Path(folder, "row_scores.jsonl")
        path.write_text("".join(line + "\n" for line in lines), "utf-8", newline="")
        arguments = ["score", call.module, path, "--save", saved, "--format", "json"]
        flags_of_columns = {"groups": "group-by", "clusters": "cluster-by"}
        flags_of_columns |= {name: name for name in ("predictions", "references")}
        for name in columns.keys() & flags_of_columns.keys():  # others have the names of inputs
            arguments += [f"--{flags_of_columns[name]}", name]
        for name, value in (call.options | texts).items():
            arguments += ["--set", f"{name}={json.dumps(value)}"]
        flags = {"confidence_level": "confidence", "n_resamples": "n-resamples"}
        for name, value in call.reporting.items():
            if value is not None:
                arguments += [f"--{flags.get(name, name)}", value]
        if texts:
            arguments += ["--rows", row_file]
        status, errors = command(list(map(str, arguments)))
        if status or not saved.exists():
            raise AssertionError(f"the command ends with {status}: {errors[-300:]}")
        (results,) = Results.read(saved).systems.values()
        if texts:
            (rows_of_modules,) = read_results(saved).rows.values()
    found, expected = results[call.module], call.compute()
    if texts:
        same(
            rows_of_modules[call.module].texts,
            {
                name: column
                for name, column in call.compute(**texts).items()
                if name in loaded(call.module).row_texts
            },
            "texts of a file",
        )
    plain = replace(call, reporting={}, labels={}).compute()
    numbers = {k: expected[k] for k, v in plain.items() if isinstance(v, int | float)}
    scores = {key: _stored(found.scores.get(key, "missing")) for key in numbers}
    same(scores, {key: _stored(value) for key, value in numbers.items()}, "scores of a file")
    intervals = expected.get("confidence_interval", {})
    if isinstance(intervals, list):
        intervals = {loaded(call.module).main_score: intervals}
    intervals = {key: _stored(value) for key, value in intervals.items()}
    stored = {key: _stored(found.confidence_interval.get(key)) for key in intervals}
    same(stored, intervals, "intervals of a file")


def _stored(value):
    """A value as files hold it, where numbers that are not finite are null."""
    if isinstance(value, list):
        return list(map(_stored, value))
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return float(value) if isinstance(value, int | float) else value


def blocks_do_not_matter(call, chance):
    """Kernels with blocks of one, two, three or seven rows or tokens have the same result.

    Sums of the rows of a block are rounded, so the last digits of some scores may differ.
    """
    expected = call.compute()
    for size in SIZES:
        with blocks_of(size):
            found = call.compute()
        if not _close(found, expected):
            same(found, expected, f"blocks of {size}")


def _close(found, expected):
    """Whether results are equal up to the rounding of their numbers."""
    if isinstance(found, dict) and isinstance(expected, dict):
        keys = found.keys()
        return keys == expected.keys() and all(_close(found[key], expected[key]) for key in keys)
    if isinstance(found, list | tuple) and isinstance(expected, list | tuple):
        return len(found) == len(expected) and all(map(_close, found, expected))
    if isinstance(found, float) and isinstance(expected, float):
        both_undefined = math.isnan(found) and math.isnan(expected)
        return both_undefined or math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-14)
    return bool(found == expected)


PROPERTIES = (
    batch_equals_rows,
    order_does_not_matter,
    split_does_not_matter,
    file_equals_columns,
    blocks_do_not_matter,
)


def fault(check, call, seed):
    """Why a property does not hold of a call; None where it does.

    Raises:
        NotApplicableError: it says nothing of the call.
    """
    try:
        check(call, random.Random(f"{seed}:{check.__name__}"))
    except NotApplicableError:
        raise
    except Exception as error:  # a refusal of what `compute` takes is a fault too
        return f"{call.module}: {check.__name__}: {type(error).__name__}: {error}"
    return None


def smaller(check, call, seed):
    """A call with as few rows and options as still fail, and why that fails."""
    cause = fault(check, call, seed)
    again = True
    while again:
        again = False
        for candidate in _parts(call):
            try:
                found = fault(check, candidate, seed) if candidate.is_accepted() else None
            except NotApplicableError:
                continue
            if found:
                call, cause, again = candidate, found, True
                break
    return call, cause


def _parts(call):
    """The call with fewer rows, and without one of its options or columns of labels."""
    half = call.rows // 2
    if half > 1:
        yield call.take(range(half))
        yield call.take(range(half, call.rows))
    if call.rows > 1:
        for row in range(call.rows):
            yield call.take([other for other in range(call.rows) if other != row])
    for kind in ("options", "reporting", "labels"):
        settings = getattr(call, kind)
        for name in settings:
            yield replace(call, **{kind: {k: v for k, v in settings.items() if k != name}})
