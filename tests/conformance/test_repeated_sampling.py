"""Majorities and best samples: recorded cases, and what Qwen2.5-Math published."""

import gzip
import json
import re
from collections import Counter

import pytest

from metric_commons import load
from tests.spec import GIVEN, ROOT, recorded

SAMPLES = GIVEN / "data" / "answers" / "math_cot_8samples.jsonl.gz"
CARD = ROOT / "metrics" / "repeated_sampling" / "README.md"
CASES = [case for case in recorded("answers") if case["module"] == "repeated_sampling"]
VOTES = [case for case in CASES if "references" in case["inputs"]]
PEERS = {  # by their names in the card
    "lm-eval `majority_vote`, lighteval `maj@n`, Qwen2.5-Math": "maj (all samples)",
    "Qwen2.5-Math `rm@k`": "rm",
}


@pytest.fixture(scope="module")
def sampling():
    return load("repeated_sampling")


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_recorded_case(sampling, case):
    result = sampling.compute(**case["inputs"], **case["options"])

    assert result == pytest.approx(case["expected"], rel=1e-15, abs=0)


@pytest.mark.parametrize("case", VOTES, ids=[case["id"] for case in VOTES])
def test_the_rule_for_ties_is_recorded_too(sampling, case):
    k = case["ties"]["k"]
    for ties in ("optimistic", "pessimistic"):
        result = sampling.compute(**case["inputs"], k=k, ties=ties)
        assert result[f"maj@{k}"] == pytest.approx(case["ties"][ties], rel=1e-15, abs=0)


def test_the_first_of_equals_is_that_of_the_peers(sampling):
    compared = Counter()
    for case in CASES:
        options = {"measures": case["options"]["measures"], "ties": "first"}
        (score,) = sampling.compute(**case["inputs"], **options).values()
        for peer, column in PEERS.items():
            for values in case["peers"].values():
                if column in values:
                    assert score == values[column], case["id"]
                    compared[peer] += 1

    table = re.findall(r"^\| (.+?) \| (\d+) of (\d+) \|", CARD.read_text("utf-8"), re.M)
    assert {(peer, str(count), str(count)) for peer, count in compared.items()} == set(table)


@pytest.mark.skipif(not SAMPLES.exists(), reason="the samples are not part of the project")
def test_eight_samples_of_mathematical_problems(sampling):
    figures = json.loads((SAMPLES.parent / "figures.json").read_text("utf-8"))["math_cot_8samples"]
    problems = [json.loads(line) for line in gzip.decompress(SAMPLES.read_bytes()).splitlines()]
    answers = [[answer.strip() for answer in problem["answers"]] for problem in problems]
    right = {
        (problem["reference"], answer)
        for problem, texts in zip(problems, answers, strict=True)
        for answer, is_right in zip(texts, problem["right"], strict=True)
        if is_right
    }

    def graded(reference, answer):  # votes are on equal texts, grades are theirs
        return (reference, answer) in right

    columns = {
        "predictions": answers,
        "references": [problem["reference"] for problem in problems],
        "scores": [problem["rm_score"] for problem in problems],
    }
    options = {"k": 8, "measures": ["maj@k", "best_of@k"], "ties": "first", "equivalence": graded}

    result = sampling.compute(**columns, **options)
    assert result["maj@8"] == figures["maj@8 (first met wins)"]
    assert result["best_of@8"] == figures["rm@8 (first maximum)"]

    proved = sampling.compute(**columns, **options | {"equivalence": "math"})
    # Their grader calls 10{,}000 wrong where the reference is 10000.
    assert proved == {"maj@8": result["maj@8"], "best_of@8": 0.94}

    outcomes = [problem["right"] for problem in problems]
    counted = load("pass_at_k").compute(
        predictions=outcomes, k=8, measures=["avg@n", "pass@k", "pass^k"]
    )
    assert list(counted.values()) == [figures[name] for name in ("avg@8", "pass@8", "pass^8")]
