"""Functions that compare the same rows tokenize them once, without changing their results."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from metric_commons.text.answers import answers
from metric_commons.text.answers.answers import contained, exact_match, token_f1
from metric_commons.text.tokens.normalizers import tokenized_once

ROWS = 40
PREDICTIONS = [f"The answer, of row {row % 7}" for row in range(ROWS)]
REFERENCES = [[f"answer of row {row % 5}", "Row"] for row in range(ROWS)]


@pytest.fixture
def tokenized(monkeypatch):
    """The normalizers with which blocks of rows were tokenized, in order."""
    names = []

    class Pairs(answers.AnswerPairs):
        def __init__(self, block, normalizer):
            names.append(normalizer.__name__)
            super().__init__(block, normalizer)

    monkeypatch.setattr(answers, "AnswerPairs", Pairs)
    return names


def scores(predictions=PREDICTIONS, references=REFERENCES, **options):
    return [
        exact_match(predictions, references, **options),
        *token_f1(predictions, references, **options),
        contained(predictions, references, **options),
        contained(predictions, references, match="tokens", **options),
    ]


@pytest.mark.parametrize("normalizer", ["squad", "drop", "none"])
def test_results_are_those_of_rows_read_again(normalizer):
    with tokenized_once():
        shared = scores(normalizer=normalizer)

    np.testing.assert_array_equal(shared, scores(normalizer=normalizer))


def test_the_same_rows_are_tokenized_once(tokenized):
    with tokenized_once():
        scores(normalizer="squad")
        scores(normalizer="lower")
        scores(list(PREDICTIONS), [list(row) for row in REFERENCES], normalizer="squad")

    assert len(tokenized) == 2
    scores(normalizer="squad")
    assert len(tokenized) == 2 + 4


def test_different_rows_are_tokenized_again(tokenized):
    rows = list(PREDICTIONS)
    with tokenized_once():
        first = exact_match(rows, REFERENCES)
        second = exact_match(["Row"] * ROWS, REFERENCES)

    assert len(tokenized) == 2
    assert first.tolist() != second.tolist()


def test_threads_have_readings_of_their_own(tokenized):
    def work(_):
        with tokenized_once():
            return exact_match(PREDICTIONS, REFERENCES).tolist()

    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(work, range(8)))

    assert len(tokenized) == 8
    assert results == [exact_match(PREDICTIONS, REFERENCES).tolist()] * 8


def test_many_rows_are_not_kept(tokenized, monkeypatch):
    monkeypatch.setattr(answers, "_KEPT_ROWS", ROWS - 1)
    with tokenized_once():
        scores()

    assert len(tokenized) == 4
