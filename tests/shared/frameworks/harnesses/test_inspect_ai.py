"""Scorers and metrics as inspect_ai 0.3.285 calls them, with stand-ins for its classes.

`examples/clients/with_inspect_ai.py` runs inspect_ai itself.
"""

import asyncio
import importlib
import math
import sys
from types import SimpleNamespace

import pytest

from metric_commons import load
from metric_commons.scorers import task
from metric_commons.statistics import interval as mean_interval
from tests.client_stand_ins import REGISTRY, install

CLUSTERS = ["a", "a", "b", "b", "c"]
VALUES = ["C", "I", "C", 0.5, 1]


@pytest.fixture(scope="module")
def extension():
    name = "metric_commons.frameworks.harnesses.inspect_ai"
    with pytest.MonkeyPatch.context() as patch:
        install(patch)
        patch.delitem(sys.modules, name, raising=False)
        yield importlib.import_module(name)
        sys.modules.pop(name)


def scored(scorer, text, target):
    state = SimpleNamespace(output=SimpleNamespace(completion=text))
    return asyncio.run(scorer(state, target))


def samples(values, metadata=None):
    return [
        SimpleNamespace(
            score=SimpleNamespace(value=value),
            sample_id=f"id{row}",
            sample_metadata=metadata and {"document": metadata[row]},
        )
        for row, value in enumerate(values)
    ]


def test_scorers_return_letters_or_numbers(extension):
    assert scored(extension.math(), r"\boxed{0.5}", ["1/2"]).value == "C"
    assert scored(extension.choice(), "The answer is (A).", ["B"]).value == "I"
    score = scored(extension.module("qa_f1"), "York city", ["New York", "NYC"])

    assert score.value == 0.5
    assert score.answer == "York city"
    assert score.explanation.startswith("qa_f1 is 0.5: the answer is")
    assert score.metadata == {
        "status": "scored",
        "qa_f1": 0.5,
        "qa_precision": 0.5,
        "qa_recall": 0.5,
        "signature": task("qa_f1").signature,
    }


def test_a_target_that_cannot_be_read_leaves_the_sample_unscored(extension):
    score = scored(extension.math(), r"\boxed{1}", [r"\left( see figure"])

    assert math.isnan(score.value)
    assert score.reason == "scoring_failed"
    assert score.metadata == {"status": "unreadable", "signature": task("math").signature}


def test_scorers_are_registered_with_metrics(extension):
    assert {"math", "choice", "qa_f1", "tool_calls", "error_rate"} <= REGISTRY.keys()
    assert "ir_ranking" not in REGISTRY
    assert [REGISTRY[name].metrics[0] for name in ("math", "qa_f1")] == ["accuracy", "mean"]
    names = [
        extension.module("qa_f1").registered,
        extension.module("qa_f1", score="qa_recall").registered,
        extension.module("json_match").registered,
    ]
    assert names == [
        "metric_commons/qa_f1",
        "metric_commons/qa_f1_qa_recall",
        "metric_commons/json_match",
    ]
    with pytest.raises(ValueError, match="ir_ranking does not compare a text with a reference"):
        extension.module("ir_ranking")


def test_the_interval_is_that_of_compute(extension):
    expected = load("qa_em").compute(
        predictions=["a"] * 5,
        references=["a", "b", "a", "a", "b"],
        confidence_level=0.9,
        clusters=CLUSTERS,
    )
    values = ["C", "I", "C", "C", "I"]

    found = extension.interval(0.9, cluster="document")(samples(values, CLUSTERS))
    error = extension.standard_error(cluster="document")(samples(values, CLUSTERS))

    assert [found["low"], found["high"]] == expected["confidence_interval"]["qa_em"]
    assert error == expected["standard_error"]["qa_em"]


def test_intervals_stay_within_the_range(extension):
    low, high = extension.interval()(samples(["C"] * 10)).values()

    assert 0.69 < low < high == 1.0


def test_samples_without_a_score_are_left_out(extension):
    rows = samples([*VALUES, math.nan], [*CLUSTERS, "d"])

    assert extension.interval()(rows) == extension.interval()(samples(VALUES))
    assert all(math.isnan(end) for end in extension.interval()([]).values())


def test_errors_above_one_have_an_interval_too(extension):
    found = extension.interval()(samples([0.5, 2.0, 0.0]))

    assert list(found.values()) == list(mean_interval([0.5, 2.0, 0.0], bounds=(0, math.inf))[:2])


def test_one_sample_has_no_standard_error(extension):
    assert math.isnan(extension.standard_error()(samples(["C"])))
    assert math.isnan(extension.standard_error("document")(samples(["C", "I"], ["a", "a"])))


def test_a_sample_without_its_cluster_is_named(extension):
    with pytest.raises(ValueError, match="sample 'id1' has no 'document' in its metadata"):
        extension.interval(cluster="document")(samples(["C", "I"], ["a", None]))


@pytest.mark.parametrize("level", [1, "high"])
def test_options_are_checked_before_samples_are(extension, level):
    with pytest.raises(ValueError, match="level"):
        extension.interval(level=level)
    with pytest.raises(ValueError, match="did you mean 'qa_f1'"):
        extension.module("qa_ff1")
