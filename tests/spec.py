"""What a module promises, stated once beside its own tests and checked for all in `contract/`."""

import atexit
import gzip
import json
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

ROOT = Path(__file__).parents[1]
GIVEN = ROOT.parent / "shared"  # real data, which is not part of the repository
CASES = ROOT / "tests" / "cases"
PATIENCE = 600  # seconds after which a process is taken to hang, on however busy a machine
METRICS = sorted(path.parent.name for path in ROOT.glob("metrics/*/*.py"))


def nightly(*values: Any) -> list[Any]:
    """Further values of parameters, or tuples of them, which only the nightly tests take."""
    return [
        pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.slow)
        for value in values
    ]


def rounds(by_day: int, at_night: int) -> pytest.MarkDecorator:
    """How many rows a test draws, which takes them as `rounds`."""
    return pytest.mark.parametrize("rounds", [by_day, *nightly(at_night)])


def drawn_examples(number: int) -> settings:
    """Settings for this number of drawn examples at night, and for a third of it by day.

    Each day draws other examples, except in continuous integration.
    """
    is_night = settings.get_current_profile_name() == "many"
    return settings(max_examples=number if is_night else -(-number // 3), deadline=None)


@dataclass(frozen=True, kw_only=True)
class Spec:
    """One module, as the contract sees it, with inputs of one shape."""

    name: str
    shape: str = ""  # of the inputs, where there are several specs of one module
    sample: Mapping[str, Any]  # an ordinary call: inputs and options
    result: Mapping[str, Any]  # what it returns, worked out by hand or by a peer
    perfect: Mapping[str, Any]  # inputs on which no score can be better
    best: Mapping[str, float]  # what those return
    other_ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # not 0 to 1
    wrong: Mapping[str, Any] = field(default_factory=dict)  # for each input a row of a wrong type
    no_interval: frozenset[str] = frozenset()  # scores whose interval the sample leaves unknown
    no_intervals: bool = False  # whether no score of inputs of this shape has an interval
    whole: bool = False  # whether a row has no score without the others
    # Keys that by definition depend on the order of rows, where options have these values
    ordered: tuple[Mapping[str, Any], frozenset[str]] = ({}, frozenset())

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """Where each score may lie."""
        scores = [
            key
            for key, value in self.result.items()
            if isinstance(value[0] if isinstance(value, list) else value, float)
        ]
        return dict.fromkeys(scores, (0.0, 1.0)) | self.other_ranges


def spec(name: str) -> Spec:
    """The `SPEC` in the tests of one module."""
    return specs(name)[0]


@cache
def specs(name: str) -> tuple[Spec, ...]:
    """The `SPEC` in the tests of one module, and those of other inputs in its `OTHER_SHAPES`."""
    path = ROOT / "tests" / "metrics" / f"test_{name}.py"
    if not path.exists():
        raise pytest.UsageError(f"metrics/{name} needs tests/metrics/test_{name}.py with a SPEC")
    location = spec_from_file_location(f"spec_of_{name}", path)
    assert location is not None
    assert location.loader is not None
    module = module_from_spec(location)
    location.loader.exec_module(module)
    return module.SPEC, *getattr(module, "OTHER_SHAPES", ())


def published(name: str) -> dict[str, Any]:
    """The outputs of a system with the figures published for them."""
    return next(case for case in recorded("published") if case["id"] == name)


@cache
def trec_eval_files() -> Path:
    """A folder with the recorded files of trec_eval's own test."""
    folder = Path(tempfile.mkdtemp(prefix="metric-commons-trec-eval-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for case in recorded("trec_eval"):
        (folder / case["id"]).write_bytes(case["text"].encode("latin-1"))
    return folder


@cache
def recorded(family: str) -> list[dict[str, Any]]:
    """What peers returned for the cases of a family."""
    lines = gzip.decompress((CASES / f"{family}.jsonl.gz").read_bytes()).splitlines()
    return list(map(json.loads, lines))


# Options, and one value, that shared cases have and modules do not: such cases are passed over.
DROPPED = {
    *("strata", "labelling_probability", "ddof", "combine", "weighting", "power_tuning"),
    *("prior", "standardize", ("ties", "rao_kupper")),
}


def is_passed_over(case: Mapping[str, Any]) -> bool:
    """Whether a shared case has an option that was taken out."""
    options = case["options"]
    return any(
        options.get(entry[0]) == entry[1] if isinstance(entry, tuple) else entry in options
        for entry in DROPPED
    )


def of_this_python(expected: Any) -> Any:
    """What was recorded where `sum` made it: from Python 3.12 on, `sum` rounds less.

    Peers that add floats by it (sacrebleu, UltraRAG) return other last digits there, and so do we.
    """
    if sys.version_info < (3, 12):
        return expected
    if isinstance(expected, Mapping):
        return {key: of_this_python(value) for key, value in expected.items()}
    if isinstance(expected, list):
        return list(map(of_this_python, expected))
    return pytest.approx(expected, rel=1e-14, abs=0) if isinstance(expected, float) else expected
