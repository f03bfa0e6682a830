import json

import numpy as np
import pytest

import metric_commons
from metric_commons.statistics import interval
from metric_commons.statistics.intervals.cluster_sums import Clusters
from metric_commons.statistics.tests.best_of_many import best_of


def coverage(systems, rows, samples):
    """How often the winner's interval, and its plain one, hold its true score: all are equal."""
    rng = np.random.default_rng([systems, rows])
    hits = np.zeros(2)
    for _ in range(samples):
        table = (rng.random((rows, systems)) < 0.5).astype(float)
        winner = best_of(table)
        plain = interval(table[:, winner.number])
        hits += [winner.low <= 0.5 <= winner.high, plain.low <= 0.5 <= plain.high]
    return hits / samples


@pytest.mark.slow
def test_the_winner_of_equal_systems_is_covered():
    covered, plain = coverage(20, 60, 40)
    assert covered >= 0.9
    assert plain <= 0.85


def test_a_clear_winner_has_the_plain_interval():
    table = np.zeros((50, 3))
    table[:45, 1] = 1
    winner = best_of(table)
    plain = interval(table[:, 1], confidence_level=0.955)
    assert winner == (1, 0.9, plain.low, plain.high, 1)


def test_no_digit_depends_on_the_order_of_rows_and_clusters_widen():
    rng = np.random.default_rng(0)
    table = rng.random((40, 4))
    labels = np.repeat(np.arange(10), 4)
    order = rng.permutation(40)
    assert best_of(table) == best_of(table[order])
    repeated = np.repeat(table[:10], 4, axis=0)
    clustered = best_of(repeated, Clusters.of_labels(labels.tolist(), 40))
    alone = best_of(repeated)
    assert clustered.high - clustered.low > 1.5 * (alone.high - alone.low)


@pytest.fixture
def answers():
    rng = np.random.default_rng(3)
    return {
        f"s{number}": ["x" if right else "y" for right in rng.random(60) < 0.5]
        for number in range(5)
    }


def test_results_name_their_best(answers):
    results = metric_commons.score("qa_em", predictions=answers, references=["x"] * 60)
    best = results.best("qa_em")
    scores = {name: results[name]["qa_em"]["qa_em"] for name in results}
    assert scores[best.system] == best.score == max(scores.values())
    low, high = best.interval
    assert low < best.score < high
    assert 2 <= best.candidates <= 5
    with pytest.raises(ValueError, match="level must be"):
        results.best("qa_em", level=2)
    one = metric_commons.score("qa_em", predictions=["x"], references=["x"])
    with pytest.raises(ValueError, match="needs two or more"):
        one.best("qa_em")
    wer = metric_commons.score(
        "error_rate", predictions={"a": ["a b"], "b": ["a"]}, references=["a b"]
    )
    with pytest.raises(ValueError, match="is not a mean of rows"):
        wer.best("wer")
    assert "compared_rows" not in json.dumps(results.to_dict())
