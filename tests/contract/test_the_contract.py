"""The contract holds for a sound module, and each of its tests fails on a broken one."""

import inspect
from textwrap import indent

import evaluate
import pytest

from tests.contract import test_bad_input, test_behaviour
from tests.spec import Spec
from tests.tables import tabled

PROMISES = {
    name.removeprefix("test_"): promise
    for tests in (test_behaviour, test_bad_input)
    for name, promise in vars(tests).items()
    if name.startswith("test_") and "spec" in inspect.signature(promise).parameters
    if "slow" not in {mark.name for mark in getattr(promise, "pytestmark", ())}
}

# Texts, numbers and dicts, under other names than predictions and references.
SCRIPT = '''\
"""How far texts are from the length stated for them."""

import datasets
import evaluate
import numpy as np

from metric_commons.statistics.intervals.summary import summarize
from metric_commons.module.declaration.module import BatchComparison


class ToyLength(BatchComparison):
    """Mean difference of length, within bounds.

    Args:
        texts (list of str, or of list of str): one or several a row.
        lengths (list of float, or of int): their mean length.
        bounds (list of dict): the least and the greatest difference, {"low": float, "high": float}.
        unit (float): of the lengths, in letters.
        per_example, confidence_level, n_resamples, seed, groups: as everywhere.

    Returns:
        toy_length (float): lower is better.

    Examples:
        >>> toy_length = evaluate.load("./metrics/toy_length")
        >>> toy_length.compute(texts=["toy"], lengths=[1.0], bounds=[{"low": 0.0, "high": 9.0}])
        {'toy_length': 2.0}
    """

    arrays_allowed = True

    def _info(self):
        text, number = datasets.Value("string"), datasets.Value("float64")
        bounds = {"low": number, "high": number}
        return evaluate.ComparisonInfo(
            description=__doc__,
            citation="none",
            inputs_description=self.__doc__,
            features=[
                datasets.Features({"texts": texts, "lengths": lengths, "bounds": bounds})
                for texts in (text, datasets.List(text))
                for lengths in (number, datasets.Value("int64"))
            ],
        )

    def _compute(self, *, texts, lengths, bounds, unit=1.0, **summary):
        rows = zip([[t] if isinstance(t, str) else t for t in texts], lengths, bounds, strict=True)
        gaps = [
            np.clip(abs(unit * sum(map(len, t)) / len(t) - n), b["low"], b["high"])
            for t, n, b in rows
        ]
        return summarize({"toy_length": np.array(gaps)}, **summary)
'''

SPEC = Spec(
    name="toy_length",
    sample={
        "texts": ["a", ["bb", "cc"], "ddd"],
        "lengths": [0, 0, 0.7],
        "bounds": [{"low": 0.0, "high": 4.0} for _ in range(3)],
        "unit": 0.1,
    },
    result={"toy_length": 0.7 / 3},
    perfect={"texts": [["a", "bb"]], "lengths": [1.5], "bounds": [{"low": 0.0, "high": 4.0}]},
    best={"toy_length": 0.0},
    other_ranges={"toy_length": (0.0, 4.0)},
    wrong={"texts": 7, "lengths": "0", "bounds": {"low": 0.0}},
)


def loader(script, folder):
    """What loads a module of this script, by its name."""
    home = folder / "metrics" / SPEC.name
    home.mkdir(parents=True)
    (home / f"{SPEC.name}.py").write_text(script)
    load_from = evaluate.load  # as it is now

    def load(name, **settings):
        return load_from(str(home.with_name(name)), **settings)

    return load


def keep(promise, load, request):
    """Run one test of the contract on a module."""
    given = {"load": load, "spec": SPEC}
    names = inspect.signature(PROMISES[promise]).parameters
    PROMISES[promise](**{name: given.get(name) or request.getfixturevalue(name) for name in names})


@pytest.mark.parametrize("promise", PROMISES)
def test_a_sound_module_keeps_every_promise(promise, tmp_path_factory, request):
    keep(promise, loader(SCRIPT, tmp_path_factory.mktemp("sound")), request)


# Ways to break a module: what of its script becomes what, and promises that are broken by that

GAPS = "np.array(gaps)"


def with_method(text):
    """What puts a method into the class."""
    info = "    def _info(self):"
    return info, f"{indent(text, ' ' * 4)}\n{info}"


BROKEN = tabled(__file__, "BROKEN")


@pytest.mark.parametrize(
    ("change", "promise"),
    [
        pytest.param(change, promise, id=f"{what}-{promise}")
        for what, (change, promises) in BROKEN.items()
        for promise in promises
    ],
)
def test_a_broken_module_is_noticed(change, promise, tmp_path_factory, request):
    broken = SCRIPT.replace(*change)
    load = loader(broken, tmp_path_factory.mktemp("broken"))

    assert broken != SCRIPT
    load(SPEC.name)  # however broken
    with pytest.raises((AssertionError, ValueError, pytest.fail.Exception)):
        keep(promise, load, request)


def test_every_promise_can_be_broken():
    assert {promise for _, promises in BROKEN.values() for promise in promises} == PROMISES.keys()


# A module that would round or cut what it is given does not even load

FLOAT = 'datasets.Value("float64")'
FEATURES = SCRIPT[SCRIPT.index("features=[") : SCRIPT.index("        )\n\n    def _compute")]


@pytest.mark.parametrize(
    ("feature", "lossy"),
    [
        (FLOAT, 'datasets.Value("float32")'),
        (FLOAT, 'datasets.Value("int32")'),
        (FLOAT, 'datasets.Value("uint8")'),
        (FLOAT, 'datasets.ClassLabel(names=["a", "b"])'),
        ("datasets.List(text)", "datasets.List(text, length=2)"),
        (FEATURES, 'format="numpy", features=datasets.Features({"texts": text})\n'),
    ],
    ids=["float32", "int32", "uint8", "labels", "a fixed length", "a format"],
)
def test_a_lossy_feature_is_refused(feature, lossy, tmp_path):
    load = loader(SCRIPT.replace(feature, lossy), tmp_path)

    with pytest.raises(TypeError, match=r"(may change|would round) values"):
        load(SPEC.name)
