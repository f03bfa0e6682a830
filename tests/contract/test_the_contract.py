"""The contract holds for a sound module, and each of its tests fails on a broken one."""

import inspect
from textwrap import indent

import evaluate
import pytest

from tests.contract import test_bad_input, test_behaviour
from tests.spec import Spec

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


BROKEN = {
    "another name": (("class ToyLength", "class Toylength"), ["it_is_named_after_its_folder"]),
    "a wrong example": (("{'toy_length': 2.0}", "{'toy_length': 3.0}"), ["its_examples_run"]),
    "an option without description": (
        ("unit (float)", "scale (float)"),
        ["its_help_names_every_input_and_option"],
    ),
    "scores a little off": (
        (GAPS, f"{GAPS} + 1e-9"),
        ["the_sample_gives_the_stated_result", "perfect_inputs_give_the_best_result"],
    ),
    "scores out of range": ((GAPS, f"{GAPS} - 1"), ["scores_stay_in_their_range"]),
    "scores in another order": (
        (GAPS, "np.roll(gaps, 1)"),
        ["scores_of_rows_come_in_input_order", "groups_are_what_their_rows_alone_give"],
    ),
    "scores of one process": (
        (GAPS, f"{GAPS} + __import__('os').getpid()"),
        ["results_are_the_same_elsewhere"],
    ),
    "scores of one folder": (
        (GAPS, f"{GAPS} + (not __import__('os').path.exists('tests'))"),
        ["it_loads_from_any_folder"],
    ),
    "a sum one after another": (
        (f'summarize({{"toy_length": {GAPS}}}, **summary)', '{"toy_length": sum(gaps) / 3}'),
        ["the_order_of_rows_does_not_matter"],
    ),
    "arrays of nothing": (
        (
            "        rows",
            "        lengths = lengths if type(lengths) is list else 0 * lengths\n        rows",
        ),
        ["columns_may_be_of_any_container"],
    ),
    "inputs that are changed": (
        ("        return summ", "        lengths[-1] *= 0\n        return summ"),
        ["inputs_are_left_alone"],
    ),
    "numbers of numpy": (
        with_method("""\
def compute(self, **call):
    '''Scores.'''
    result = super().compute(**call)
    return result | {"toy_length": np.float64(result["toy_length"])}
"""),
        ["results_are_plain_python"],
    ),
    "rows that are not added": (
        with_method("""\
def add(self, **row):
    '''Add nothing.'''
"""),
        [
            "rows_may_be_added_one_by_one",
            "rows_may_come_in_all_ways_at_once",
            "the_length_is_the_number_of_rows_added",
        ],
    ),
    "the last batch alone": (
        with_method("""\
def add_batch(self, **columns):
    '''Keep the last.'''
    self.reset()
    super().add_batch(**columns)
"""),
        ["rows_may_be_added_in_batches"],
    ),
    "batches in another order": (
        with_method("""\
def _taken(self):
    return super()._taken()[::-1]
"""),
        ["groups_are_those_of_all_rows_added"],
    ),
    "rows that stay": (
        with_method("""\
def _taken(self):
    return list(self._batches)
"""),
        [
            "rows_are_forgotten_at_reset",
            "a_failure_leaves_no_rows_behind",
            "a_bad_call_of_compute_takes_earlier_rows_with_it",
            "an_unknown_option_takes_earlier_rows_with_it",
        ],
    ),
    "rows of the caller": (
        with_method("""\
def add_batch(self, **columns):
    '''Read them later.'''
    self.later = columns

def compute(self, **call):
    '''Scores.'''
    return super().compute(**vars(self).pop("later", {}), **call)
"""),
        ["a_caller_may_reuse_a_buffer"],
    ),
    "settings that are ignored": (
        with_method("""\
def __init__(self, *arguments, **settings):
    super().__init__(*arguments, **settings)
    self.settings = {}
"""),
        [
            "options_at_load_are_those_of_compute",
            "its_options_tell_their_values",
            "the_seed_at_load_is_the_seed_of_compute",
        ],
    ),
    "settings that come first": (
        with_method("""\
def compute(self, **call):
    '''Scores.'''
    return super().compute(**call | self.settings)
"""),
        ["an_option_of_compute_comes_before_one_of_load"],
    ),
    "options that may be anything": (
        with_method("""\
def _check_options(self, options, stock, others=frozenset()):
    pass
"""),
        ["an_unknown_option_is_refused_with_a_hint"],
    ),
    "configurations": (
        with_method("""\
def __init__(self, config_name=None, **settings):
    super().__init__(**settings)
"""),
        ["there_are_no_configurations"],
    ),
    "intervals upside down": (
        with_method("""\
def compute(self, **call):
    '''Scores.'''
    result = super().compute(**call)
    for ends in result.get("confidence_interval", {}).values():
        ends.reverse()
    return result
"""),
        ["intervals_hold_the_score"],
    ),
    "intervals that collapse": (
        with_method("""\
def compute(self, **call):
    '''Scores.'''
    result = super().compute(**call)
    for ends in result.get("confidence_interval", {}).values():
        ends[1] = ends[0]
    return result
"""),
        ["no_interval_of_equal_or_perfect_rows_is_a_point", "intervals_hold_the_score"],
    ),
    "a pickle of nothing": (
        with_method("""\
def __reduce__(self):
    return type(self), ()
"""),
        ["a_pickle_holds_settings_and_rows", "a_pickle_opens_in_another_process"],
    ),
    "a copy that is none": (
        with_method("""\
def __deepcopy__(self, memo):
    return self
"""),
        ["a_copy_goes_its_own_way"],
    ),
    "files": (
        with_method("""\
def add_batch(self, **columns):
    '''Leave a trace.'''
    open(self.data_dir + "/rows", "w").close()
    super().add_batch(**columns)
"""),
        ["two_live_side_by_side_without_a_file"],
    ),
    "nothing in memory": (
        with_method("""\
def add_batch(self, **columns):
    '''Add to a file.'''
    if not self.keep_in_memory:
        super().add_batch(**columns)
"""),
        ["it_may_be_kept_in_memory"],
    ),
    "results of every process": (
        with_method("""\
def compute(self, **call):
    '''Scores.'''
    return super().compute(**call) or {}
"""),
        ["two_processes_score_as_one", "two_processes_go_on_after_an_error"],
    ),
    "files that stay": (
        with_method("""\
def _close(self):
    pass
"""),
        ["two_processes_leave_no_rows_behind"],
    ),
    "rows of all threads": (
        with_method("""\
def compute(self, *, texts=None, lengths=None, bounds=None, **options):
    '''Scores.'''
    if texts is not None:
        self.add_batch(texts=texts, lengths=lengths, bounds=bounds)
    __import__("time").sleep(0.001)
    return super().compute(**options)
"""),
        ["threads_that_compute_get_the_scores_of_their_own_rows"],
    ),
    "rows that threads take from each other": (
        with_method("""\
def _keep_copy(self, layout, columns):
    batches = list(self._batches)
    __import__("time").sleep(0.001)
    self._batches = [*batches, (layout, columns)]
    __import__("time").sleep(0.001)
"""),
        ["threads_that_add_lose_no_rows"],
    ),
    "rows that come after those before them were taken": (
        with_method("""\
def _keep_copy(self, layout, columns):
    batches = self._batches
    self.calls = getattr(self, "calls", 0) + 1
    __import__("time").sleep(0.05 * (self.calls % 2))  # every second batch comes late
    batches.append((layout, columns))
"""),
        ["threads_that_add_and_compute_count_each_row_once"],
    ),
    "no other inputs beside its own": (
        with_method("""\
def compute(self, *, texts=None, lengths=None, bounds=None, **options):
    '''Scores.'''
    if "references" in options:
        raise ValueError
    return super().compute(texts=texts, lengths=lengths, bounds=bounds, **options)
"""),
        ["it_combines_with_one_of_other_settings"],
    ),
    "a score for anything": (
        with_method("""\
def compute(self, **call):
    '''Scores.'''
    try:
        return super().compute(**call)
    except ValueError:
        return {"toy_length": 0.0}
"""),
        [
            "no_rows_at_all_are_refused",
            "inputs_of_unequal_length_are_refused",
            "what_is_no_column_is_refused",
            "none_is_refused_wherever_it_stands",
            "half_of_a_surrogate_pair_is_refused_wherever_it_stands",
            "nan_is_refused_wherever_it_stands",
            "a_wrong_type_is_refused_in_every_row",
            "a_row_of_any_kind_is_named",
            "a_bad_option_is_named",
            "a_row_without_a_label_is_refused",
            "labels_that_would_become_one_are_refused",
            "an_odd_column_is_taken_or_is_a_value_error_about_it",
        ],
    ),
    "batches that may be anything": (
        with_method("""\
def add_batch(self, **columns):
    '''Add what is good.'''
    try:
        super().add_batch(**columns)
    except ValueError:
        pass
"""),
        [
            "a_missing_input_is_named",
            "what_is_no_input_is_refused",
            "a_bad_batch_leaves_earlier_rows_as_they_were",
        ],
    ),
}


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
