"""Checks of arguments: each failure is a `ValueError` that names the value and the cause."""

import math
import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float64]


class RowError(ValueError):
    """A row of an input is not valid.

    `column` is the name of the input, `row` counts from 0, and `problem` says what is wrong, such
    as "is None; every row needs a value", or "[1] is None" of a value inside the row.

    >>> error = RowError("predictions", 3, "is None; every row needs a value")
    >>> print(error)
    predictions[3] is None; every row needs a value
    >>> error.about("field 'answer'")
    "field 'answer' is None; every row needs a value"
    """

    def __init__(self, column: str, row: int, problem: str) -> None:
        super().__init__(column, row, problem)
        self.column, self.row, self.problem = column, int(row), problem

    def about(self, name: str) -> str:
        """Return the message, with another name for the invalid value."""
        return _sentence(name, self.problem)

    def __str__(self) -> str:
        return self.about(f"{self.column}[{self.row}]")

    def __reduce__(self) -> tuple[Any, ...]:
        return _row_error, self.args


class OptionError(ValueError):
    """The value of an option is not valid: names the option and the problem.

    >>> print(OptionError("overlap", "must be one of 'multiset', 'set', got 'sets'"))
    overlap must be one of 'multiset', 'set', got 'sets'
    """

    def __init__(self, option: str, problem: str) -> None:
        super().__init__(option, problem)
        self.option, self.problem = option, problem

    def __str__(self) -> str:
        return _sentence(self.option, self.problem)

    def __reduce__(self) -> tuple[Any, ...]:
        return _option_error, self.args


class UnexpectedError(RuntimeError):
    """A module ended in an error that says nothing about its input: a mistake in the module.

    >>> print(UnexpectedError("qa_f1.py", 3, KeyError("x")))
    qa_f1.py: row 3: KeyError: 'x'; this is a mistake in the module, please report it
    """

    def __init__(self, script: str, row: int | None, error: Exception) -> None:
        super().__init__(script, row, error)

    def __str__(self) -> str:
        script, row, error = self.args
        position = script if row is None else f"{script}: row {row}"
        return (
            f"{position}: {type(error).__name__}: {error}; this is a mistake in the module, please "
            "report it"
        )


def _sentence(subject: str, problem: str) -> str:
    return f"{subject}{'' if problem.startswith(('[', ':')) else ' '}{problem}"


# In tracebacks both are called ValueError, wherever this file lies. Python then cannot find the
# classes by these names, so functions recreate errors that come from another process.
for _kind in (RowError, OptionError):
    _kind.__module__, _kind.__qualname__ = "builtins", "ValueError"


def _row_error(*arguments: Any) -> RowError:
    return RowError(*arguments)


def _option_error(*arguments: Any) -> OptionError:
    return OptionError(*arguments)


def shown(value: Any, most: int = 200) -> str:
    """Return a value as it appears in a message: on one line, cut if it is long.

    >>> shown([1, "a"]), len(shown("x" * 1000))
    ("[1, 'a']", 200)
    """
    try:
        text = " ".join(repr(value).split())
    except Exception:  # nested too deeply, an integer with too many digits, or a foreign object
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= most else f"{text[: most - 3]}..."


def nearest(word: str, names: Collection[str]) -> str:
    """Return a hint naming the known word closest to a misspelt one, or an empty string.

    >>> nearest("squat", ["squad", "drop"])
    "; did you mean 'squad'?"
    >>> nearest("xyz", ["squad", "drop"])
    ''
    """
    from difflib import get_close_matches  # only for messages

    close = get_close_matches(word, names, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def alternatives(word: str, names: Collection[str]) -> str:
    """Return a hint naming the closest of some words, or all of them if none is close.

    >>> alternatives("xyz", ["squad", "drop"])
    '; there are squad, drop'
    """
    return nearest(word, names) or f"; there are {', '.join(names)}"


def check_choice(name: str, value: Any, choices: Collection[str]) -> None:
    """Check that `value` is one of `choices`.

    >>> check_choice("overlap", "sets", ["multiset", "set"])
    Traceback (most recent call last):
    ValueError: overlap must be one of 'multiset', 'set', got 'sets'; did you mean 'set'?
    """
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(map(repr, choices))
        hint = nearest(value, choices) if isinstance(value, str) else ""
        raise OptionError(name, f"must be one of {listed}, got {shown(value)}{hint}")


def check_measures(
    measures: Any, supported: Sequence[str], is_other: Callable[[str], Any] = lambda _: False
) -> list[str]:
    """Return the names of one or several measures, checked to be known and distinct.

    Args:
        measures: a name, or several.
        supported: the names without a parameter; the first is an example in messages.
        is_other: whether another name is one, such as a name with a parameter.

    >>> check_measures("mae", ["mae", "pearson"])
    ['mae']
    >>> check_measures(["mae", "pearsn"], ["mae", "pearson"])
    Traceback (most recent call last):
    ValueError: measures holds 'pearsn', which is not a measure; did you mean 'pearson'?
    """
    names = [measures] if isinstance(measures, str) else measures
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise OptionError(
            "measures", f"must be names such as {supported[0]!r}, got {shown(measures)}"
        )
    if not names:
        raise OptionError("measures", f"is empty; name at least one, such as {supported[0]!r}")
    for name in names:
        if name not in supported and not is_other(name):
            hint = alternatives(name, supported)
            raise OptionError("measures", f"holds {shown(name)}, which is not a measure{hint}")
        if names.count(name) > 1:
            raise OptionError("measures", f"holds {name!r} more than once")
    return list(names)


_WITH_PARAMETER = re.compile(r"(\w+)\((\w+)=([\w.+-]+)\)", re.ASCII)


def measure_parts(name: str) -> tuple[str, str, str]:
    """Split a name such as "pinball(alpha=0.9)" into the measure, its parameter and the value.

    Parameter and value are empty if there is no parameter.

    >>> measure_parts("nmi(average_method=max)"), measure_parts("nmi")
    (('nmi', 'average_method', 'max'), ('nmi', '', ''))
    """
    parts = _WITH_PARAMETER.fullmatch(name)
    return (parts[1], parts[2], parts[3]) if parts else (name.partition("(")[0], "", "")


def check_labels(name: str, labels: Any, rows: int) -> list[str]:
    """Return one label per row, as strings.

    A missing label is an error, and so are two labels that become equal as strings (1 and "1"): a
    group must not be absorbed into another.

    >>> check_labels("groups", [2023, 2024, 2023], rows=3)
    ['2023', '2024', '2023']
    >>> check_labels("groups", ["a", None], rows=2)
    Traceback (most recent call last):
    ValueError: groups[1] is None; every row needs a label
    """
    labels = unmasked(name, labels)
    plain: Sequence[Any] = labels.tolist() if hasattr(labels, "tolist") else labels
    if not hasattr(plain, "__len__") or isinstance(plain, str | Set | Mapping):
        raise OptionError(name, f"must hold one label per row, got {type(labels).__name__}")
    if len(plain) != rows:
        raise OptionError(name, f"has {len(plain)} labels, but there are {rows} rows")
    if set(map(type, plain)) in ({str}, {int}):
        return list(map(str, plain))  # distinct strings stay distinct
    first: dict[str, Any] = {}
    texts = []
    for row, label in enumerate(plain):
        if _is_missing(label):
            raise RowError(name, row, f"is {label}; every row needs a label")
        text = str(label)
        if first.setdefault(text, label) != label:
            raise RowError(
                name,
                row,
                f"is {label!r}, but an earlier row has {first[text]!r}: "
                f"both would be called {text!r}",
            )
        texts.append(text)
    return texts


def check_weights(name: str, weights: Any, rows: int) -> "Floats | None":
    """Return one finite, non-negative number per row, as float64; None if there are no weights.

    >>> check_weights("sample_weight", [1, 0.5], rows=2).tolist()
    [1.0, 0.5]
    >>> check_weights("sample_weight", [1, -1], rows=2)
    Traceback (most recent call last):
    ValueError: sample_weight[1] is -1.0; a weight is a finite number, at least 0
    """
    import numpy as np  # takes 60 ms, which a request for help should not have to wait for

    if weights is None:
        return None
    column = unmasked(name, weights)
    if isinstance(column, list | tuple) and not set(map(type, column)) <= {int, float, bool}:
        for row, value in enumerate(column):
            if not isinstance(value, Real | np.bool_):
                raise RowError(
                    name, row, f"is {shown(value)}; a weight is a finite number, at least 0"
                )
    array = column if isinstance(column, str | Set | Mapping) else np.asarray(column)
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in "biuf":
        raise OptionError(name, f"must hold one number per row, got {type(weights).__name__}")
    if array.size != rows:
        raise OptionError(name, f"has {array.size} weights, but there are {rows} rows")
    numbers = array.astype(np.float64)
    wrong = ~(np.isfinite(numbers) & (numbers >= 0))
    if wrong.any():
        row = int(wrong.argmax())
        raise RowError(name, row, f"is {numbers[row]}; a weight is a finite number, at least 0")
    if rows and numbers.max() > sys.float_info.max / rows:
        raise OptionError(name, "adds up to more than a float64 can hold")
    return numbers


def unmasked(name: str, column: Any) -> Any:
    """Return the column; a masked array, none of whose rows may be masked, without its mask."""
    if not hasattr(column, "mask") or not hasattr(column, "filled") or not column.ndim:
        return column
    import numpy as np

    is_masked = np.ma.getmaskarray(column).reshape(len(column), -1).any(axis=1)
    if is_masked.any():
        raise RowError(name, int(is_masked.argmax()), "is masked; every row needs a value")
    return np.asarray(column)


def check_number_lists(name: str, lists: Any, rows: int) -> "Floats | None":
    """Return a list of finite numbers per row, all of one length, as float64.

    None if there are none.

    >>> check_number_lists("covariates", [[1, 0.5], [1, -0.25]], rows=2).shape
    (2, 2)
    >>> check_number_lists("covariates", [[1, 0.5], [1]], rows=2)
    Traceback (most recent call last):
    ValueError: covariates must hold a list of numbers per row, all of one length
    """
    import numpy as np

    if lists is None:
        return None
    try:
        numbers = np.array([*unmasked(name, lists)], np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.empty(0)
    if numbers.ndim != 2 or not numbers.shape[1]:
        raise OptionError(name, "must hold a list of numbers per row, all of one length")
    if len(numbers) != rows:
        raise OptionError(name, f"has {len(numbers)} lists, but there are {rows} rows")
    check_finite(name, numbers)
    return numbers + 0.0


def check_widths(name: str, rows: Any, noun: str) -> None:
    """Check that all rows of a list have as many entries as the first one.

    >>> check_widths("references", [[0.5, 0.5], [1.0]], "numbers")
    Traceback (most recent call last):
    ValueError: references[1] has 1 numbers, but references[0] has 2
    """
    if isinstance(rows, Sequence) and rows and isinstance(rows[0], Sequence):
        for row, values in enumerate(rows):
            width = len(values) if hasattr(values, "__len__") else 1
            if width != len(rows[0]):
                raise RowError(name, row, f"has {width} {noun}, but {name}[0] has {len(rows[0])}")


def check_finite(
    name: str, table: "NDArray[Any]", cause: str = "every row needs a finite number"
) -> tuple[Any, Any]:
    """Return the minimum and the maximum of the numbers, checked to be finite; 0 if there are none.

    >>> import numpy as np
    >>> check_finite("references", np.array([1.0, np.inf]))
    Traceback (most recent call last):
    ValueError: references[1] is inf; every row needs a finite number
    """
    ends = (table.min(), table.max()) if table.size else (0.0, 0.0)
    if all(map(math.isfinite, ends)):
        return ends
    is_wrong = (table != table) | (abs(table) == math.inf)
    position = divmod(int(is_wrong.argmax()), table[0].size)
    index = f"[{position[1]}] " if table.ndim == 2 else ""
    raise RowError(
        name, position[0], f"{index}is {table.reshape(len(table), -1)[position]}; {cause}"
    )


def _is_missing(label: Any) -> bool:
    """Return whether a label is None, NaN, masked, or has no truth of ==, as pandas' NA."""
    try:
        is_masked = type(label).__name__ == "MaskedConstant"
        return label is None or is_masked or bool(label != label)
    except (TypeError, ValueError):  # ValueError: an array
        return True


def check_sizes(name: str, value: Any) -> tuple[int, ...]:
    """Return the sizes that an option names: one positive integer, or several distinct ones.

    >>> check_sizes("k", 10), check_sizes("k", [1, 10])
    ((10,), (1, 10))
    >>> check_sizes("k", [1, 0])
    Traceback (most recent call last):
    ValueError: k must hold integers of at least 1, got 0
    """
    plain = value.tolist() if hasattr(value, "tolist") else value  # an array
    sizes: Sequence[Any] = plain if isinstance(plain, list | tuple | range) else [plain]
    if not sizes:
        raise ValueError(f"{name} is empty; it needs at least one size")
    for size in sizes:
        if isinstance(size, bool) or not isinstance(size, Integral) or size < 1:
            raise ValueError(f"{name} must hold integers of at least 1, got {shown(size)}")
        if sizes.count(size) > 1:
            raise ValueError(f"{name} holds {size} more than once")
    return tuple(map(int, sizes))
