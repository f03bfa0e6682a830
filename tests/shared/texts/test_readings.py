"""Functions that compare the same rows read them once, with the results of reading them anew."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from metric_commons.answers import answers
from metric_commons.answers.answers import contained, exact_match, token_f1
from metric_commons.texts.readings import shared_readings

ROWS = 40
PREDICTIONS = [f"The answer, of row {row % 7}" for row in range(ROWS)]
REFERENCES = [[f"answer of row {row % 5}", "Row"] for row in range(ROWS)]


@pytest.fixture
def readings(monkeypatch):
    """The normalizers with which blocks of rows were read."""
    read = []

    class Pairs(answers.AnswerPairs):
        def __init__(self, block, normalizer):
            read.append(normalizer.__name__)
            super().__init__(block, normalizer)

    monkeypatch.setattr(answers, "AnswerPairs", Pairs)
    return read


def scores(predictions=PREDICTIONS, references=REFERENCES, **options):
    return [
        exact_match(predictions, references, **options),
        *token_f1(predictions, references, **options),
        contained(predictions, references, **options),
        contained(predictions, references, match="tokens", **options),
    ]


@pytest.mark.parametrize("normalizer", ["squad", "drop", "none"])
def test_results_are_those_of_single_readings(normalizer):
    with shared_readings():
        shared = scores(normalizer=normalizer)

    np.testing.assert_array_equal(shared, scores(normalizer=normalizer))


def test_the_same_rows_are_read_once(readings):
    with shared_readings():
        scores(normalizer="squad")
        scores(normalizer="lower")
        scores(list(PREDICTIONS), [list(row) for row in REFERENCES], normalizer="squad")

    assert len(readings) == 2
    scores(normalizer="squad")
    assert len(readings) == 2 + 4


def test_other_rows_are_read_again(readings):
    rows = list(PREDICTIONS)
    with shared_readings():
        first = exact_match(rows, REFERENCES)
        second = exact_match(["Row"] * ROWS, REFERENCES)

    assert len(readings) == 2
    assert first.tolist() != second.tolist()


def test_threads_have_readings_of_their_own(readings):
    def work(_):
        with shared_readings():
            return exact_match(PREDICTIONS, REFERENCES).tolist()

    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(work, range(8)))

    assert len(readings) == 8
    assert results == [exact_match(PREDICTIONS, REFERENCES).tolist()] * 8


def test_many_rows_are_not_kept(readings, monkeypatch):
    monkeypatch.setattr(answers, "_SHARED_ROWS", ROWS - 1)
    with shared_readings():
        scores()

    assert len(readings) == 4
