"""Grades and confidences: recorded cases, and published scores of models."""

import math
import re
from collections import Counter

import pytest

from metric_commons import load
from tests.spec import ROOT, published, recorded

CARD = ROOT / "metrics" / "selective_answering" / "README.md"
CASES = [case for case in recorded("answers") if case["module"] == "selective_answering"]
SIMPLE_EVALS = "openai/simple-evals simpleqa_eval"


@pytest.fixture(scope="module")
def selective():
    return load("selective_answering")


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_recorded_case(selective, case):
    result = selective.compute(**case["inputs"], **case["options"])
    expected = {
        name: math.nan if value == "NaN" else value for name, value in case["expected"].items()
    }

    found = {name: result[name] for name in expected}
    assert found == pytest.approx(expected, rel=1e-14, abs=1e-15, nan_ok=True)


def test_the_card_counts_the_cases_of_simple_evals(selective):
    compared = Counter()
    for case in CASES:
        if SIMPLE_EVALS in case["peers"]:
            compared["cases"] += 1
            result = selective.compute(**case["inputs"])
            compared["equal"] += all(
                result[name] == pytest.approx(value, rel=1e-15)
                for name, value in case["peers"][SIMPLE_EVALS].items()
            )

    card = CARD.read_text("utf-8")
    (told,) = re.findall(r"^\| simple-evals .*? \| (\d+) of (\d+) \|", card, re.M)
    assert tuple(map(int, told)) == (compared["equal"], compared["cases"])


@pytest.mark.parametrize(
    "model", ["claude-3-5-haiku-20241022", "gpt-4o-2024-11-20", "gpt-4o-mini-2024-07-18"]
)
def test_models_on_czech_simpleqa(selective, model):
    case = published(f"czech-simpleqa-{model}")
    result = selective.compute(predictions=list(case["rows"]))

    assert len(case["rows"]) == 4_326
    assert result["f1"] == pytest.approx(case["f1"], rel=1e-15)
    assert round(100 * result["f1"], 1) == case["published"]["f1"]
