"""The examples in the docstrings of torchmetrics: each printed value is a test."""

import contextlib
import doctest
import io
import re
import sys

import numpy as np
import pytest
import torch

from tests.peers.adapt_torchmetrics import FUNCTIONS
from tests.peers.plugin import Unsupported

_FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
_DECIMALS = re.compile(r"-?\d+\.\d*(?![\de])")


def _examples(function):
    return doctest.DocTestParser().get_examples(function.__doc__ or "")


CASES = [
    pytest.param(name, number, id=f"{name}-{line}")
    for name, function in FUNCTIONS.items()
    for line, number in enumerate(
        number for number, example in enumerate(_examples(function)) if example.want
    )
]


@pytest.mark.parametrize(("name", "number"), CASES)
def test_example(name, number):
    function = FUNCTIONS[name]
    names = vars(sys.modules[function.__module__]) | {"torch": torch}
    torch.manual_seed(42)
    np.random.seed(42)  # noqa: NPY002 - so do torchmetrics' own doctests
    *earlier, example = _examples(function)[: number + 1]
    for other in earlier:
        with contextlib.suppress(Unsupported) if other.want else contextlib.nullcontext():
            _printed(other, names)

    printed = _printed(example, names)

    texts = _with_four_decimals(example.want), _with_four_decimals(printed)
    is_equal = doctest.OutputChecker().check_output(*texts, _FLAGS)
    assert is_equal, f"{example.source}documented: {example.want}here: {printed}"


def _with_four_decimals(text):
    """A text with its numbers as 1.0000, which torch writes as 1. if all in a tensor are whole."""
    text = _DECIMALS.sub(lambda match: f"{float(match[0]) + 0:.4f}", text)
    return re.sub(r"(?<=[\[(])\s+|\s+(?=[\])])", "", text)


def _printed(example, names):
    """What an example prints."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(example.source, "example", "single"), names)
    return output.getvalue()
