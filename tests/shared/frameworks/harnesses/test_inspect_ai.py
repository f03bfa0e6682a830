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
from metric_commons.statistics import ConfidenceSequence
from metric_commons.statistics import interval as mean_interval
from metric_commons.statistics.tests.confidence_sequences import SequentialComparison
from tests.client_stand_ins import LOGS, REGISTRY, InspectScore, install

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
    assert score.explanation.endswith("Missing: new. Too much: city.")
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


@pytest.mark.parametrize(
    ("answers", "values", "equivalence", "expected"),
    [
        (["1/2", "0.5", "3", None], [1, 1, 0, 0], "math", 1.0),
        (["1/2", "0.5", "3", None], [1, 1, 0, 0], "normalized", 2 / 3),
        (["3", "3 ", "2"], [0, 0, 1], "normalized", 0.0),
        ([None, ""], [0, 0], "math", 0.0),
    ],
)
def test_the_majority_of_epochs(extension, answers, values, equivalence, expected):
    scores = [
        InspectScore(value=value, answer=answer, metadata={})
        for value, answer in zip(values, answers, strict=True)
    ]

    assert extension.maj(equivalence)(scores).value == expected


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
    assert extension.groups("document")(rows)["d_n"] == 0
    assert all(math.isnan(end) for end in extension.interval()([]).values())


def test_errors_above_one_have_an_interval_too(extension):
    found = extension.interval()(samples([0.5, 2.0, 0.0]))

    assert list(found.values()) == list(mean_interval([0.5, 2.0, 0.0], bounds=(0, math.inf))[:2])


def test_one_sample_has_no_standard_error(extension):
    assert math.isnan(extension.standard_error()(samples(["C"])))
    assert math.isnan(extension.standard_error("document")(samples(["C", "I"], ["a", "a"])))


def test_groups_have_means_intervals_and_sizes(extension):
    found = extension.groups("document")(samples(VALUES, CLUSTERS))

    assert list(found) == [
        f"{group}{end}" for group in "abc" for end in ("", "_low", "_high", "_n")
    ]
    assert [found[group] for group in "abc"] == [0.5, 0.75, 1.0]
    assert [found[f"{group}_n"] for group in "abc"] == [2, 2, 1]
    assert (found["a_low"], found["a_high"]) == mean_interval([1, 0])[:2]


def test_a_group_may_not_hide_a_value_of_another(extension):
    with pytest.raises(ValueError, match="lead to the name 'a_low'"):
        extension.groups("document")(samples(["C", "I"], ["a", "a_low"]))


def test_a_sample_without_its_cluster_is_named(extension):
    for metric in (extension.interval(cluster="document"), extension.groups("document")):
        with pytest.raises(ValueError, match="sample 'id1' has no 'document' in its metadata"):
            metric(samples(["C", "I"], ["a", None]))


@pytest.mark.parametrize("options", [{"level": 1}, {"level": "high"}, {"method": "waldo"}])
def test_options_are_checked_before_samples_are(extension, options):
    (name,) = options
    with pytest.raises(ValueError, match=name):
        extension.interval(**options)
    with pytest.raises(ValueError, match="did you mean 'qa_f1'"):
        extension.module("qa_ff1")


def run_with(manager, values, order, epochs=1):
    """Complete the samples of a run in this order; return those that were started, and the end."""

    async def run():
        samples = [SimpleNamespace(id=row) for row in range(len(values))]
        assert await manager.start_task(None, samples, epochs) == "until_decided"
        started = []
        for row in order:
            for epoch in range(1, epochs + 1):
                stop = await manager.schedule_sample(row, epoch)
                if stop is not None:
                    return started, stop, await manager.complete_task()
                started.append((row, epoch))
                value = values[row][epoch - 1] if epochs > 1 else values[row]
                score = SimpleNamespace(score=SimpleNamespace(value=value))
                await manager.complete_sample(row, epoch, {"match": score})
        return started, None, await manager.complete_task()

    return asyncio.run(run())


def test_a_run_ends_once_its_mean_is_known(extension):
    values = ["C", "I", "C", "C"] * 100
    sequence = ConfidenceSequence(total=400)
    ends = [sequence.update(value == "C") for value in values]
    expected = next(n for n, (low, high) in enumerate(ends, 1) if high - low <= 0.12)
    manager = extension.until_decided(score="accuracy", half_width=0.06)
    started, stop, decided = run_with(manager, values, range(400))

    assert len(started) == expected < 400
    assert decided["confidence_interval"] == list(ends[expected - 1])
    assert (decided["verdict"], decided["samples"], decided["total"]) == ("known", expected, 400)
    assert stop.id == expected
    assert stop.reason.startswith(f"known after {expected} samples: [")


def test_a_sample_that_is_finished_early_waits(extension):
    # Right answers are quick, so the interval of what arrived first would miss the mean.
    values = ["C", "I"] * 100
    manager = extension.until_decided("match", half_width=0.1)
    order = [*range(0, 200, 2), *range(1, 200, 2)]
    started, _, decided = run_with(manager, values, order)

    in_order = run_with(manager, values, range(200))[2]
    assert decided == in_order
    assert len(started) == 100 + decided["samples"] // 2


def test_epochs_of_a_sample_are_one_mean(extension):
    values = [("C", "I"), ("C", "C")] * 60
    manager = extension.until_decided(half_width=0.1)
    _, stop, decided = run_with(manager, values, range(120), epochs=2)
    sequence = ConfidenceSequence(total=120)
    sequence.update([0.5, 1.0] * (decided["samples"] // 2) + [0.5] * (decided["samples"] % 2))

    assert stop is not None
    assert decided["confidence_interval"] == list(sequence.interval)


def test_a_run_is_compared_with_the_log_of_another(extension):
    scores = ["C", "C", "C", "I"] * 100
    others = ["C", "I", "C", "I"] * 100
    LOGS["old.eval"] = SimpleNamespace(
        samples=[
            SimpleNamespace(id=row, scores={"match": SimpleNamespace(value=value)})
            for row, value in reversed(list(enumerate(others)))
        ]
    )
    manager = extension.until_decided(margin=0.02, baseline="old.eval")
    started, _, decided = run_with(manager, scores, range(400))
    comparison = SequentialComparison(0.02, total=400)
    pairs = zip(scores, others, strict=True)
    verdicts = [comparison.update(a == "C", b == "C") for a, b in pairs]

    assert len(started) == verdicts.index("better") + 1
    assert decided["verdict"] == "better"
    LOGS["old.eval"].samples.pop()
    with pytest.raises(ValueError, match=r"old.eval: sample 0 has no score"):
        run_with(manager, scores, range(400))


def test_what_is_decided_is_named(extension):
    with pytest.raises(ValueError, match="half_width or baseline is needed, and not both"):
        extension.until_decided()
    with pytest.raises(ValueError, match="half_width"):
        extension.until_decided(half_width=-1)
    manager = extension.until_decided("other", half_width=0.1)
    with pytest.raises(ValueError, match="score must be one of the scorers match, got 'other'"):
        run_with(manager, ["C"], [0])


def test_a_sample_without_a_score_decides_nothing(extension):
    manager = extension.until_decided(half_width=0.1)
    started, stop, decided = run_with(manager, [math.nan, *["C"] * 99], range(100))
    assert (len(started), stop, decided["samples"]) == (100, None, 0)
    assert decided["verdict"] == "undecided"
