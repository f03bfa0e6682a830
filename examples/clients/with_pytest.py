"""Scores as tests.

pip install metric-commons pytest
python -m pytest examples/clients/with_pytest.py
"""

import json
import os
import sys
from pathlib import Path

import pytest

import metric_commons
from metric_commons.testing import assert_scores

LINES = (Path(__file__).resolve().parents[1] / "capitals.jsonl").read_text("utf-8").splitlines()
QUESTIONS = [json.loads(line) for line in LINES]
REFERENCES = [question["answers"] for question in QUESTIONS]


def answers(system):
    return [question[system] for question in QUESTIONS]


def test_atlas_is_good_enough():
    result = assert_scores("qa_f1", answers("atlas"), REFERENCES, at_least=0.6, certain=True)

    alone = metric_commons.load("qa_f1").compute(
        predictions=answers("atlas"), references=REFERENCES
    )
    assert {name: result[name] for name in alone} == alone


def test_borealis_is_not():
    with pytest.raises(AssertionError, match=r"qa_f1 0\.5478"):
        assert_scores("qa_f1", answers("borealis"), REFERENCES, at_least=0.6)


if __name__ == "__main__":
    sys.exit(pytest.main(["-c", os.devnull, "-q", "--noconftest", __file__]))
