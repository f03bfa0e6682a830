"""What the code of each peer returned for (n, c, k), and published results."""

import json
import re
from collections import Counter
from fractions import Fraction
from math import comb, fsum

import pytest

from metric_commons import load
from tests.spec import GIVEN, ROOT, recorded

RESULTS = GIVEN / "data" / "text" / "codet_humaneval" / "codegen16B_n100_executed_results.jsonl"
CARD = ROOT / "metrics" / "pass_at_k" / "README.md"
PEERS = {  # by their names in the card
    "human-eval 6d43fb9 `estimate_pass_at_k`": "human_eval.estimate_pass_at_k",
    "evaluate 0.4.6 `code_eval`": "hf_code_eval.estimate_pass_at_k",
    "HELM 63754d0": "helm.pass_at_k_estimator",
    "lighteval 3fd1526 `PassAtK`": "lighteval.PassAtK",
    "inspect_ai 499e615 `pass_at`": "inspect_ai.pass_at",
}


@pytest.fixture(scope="module")
def pass_at_k():
    return load("pass_at_k")


def cases():
    of_group = [case for case in recorded("text") if case["group"] == "pass_at_k"]
    return [case for case in of_group if "n" in case["input"]]


def is_sound(n, c, k):
    return 1 <= k <= n and 0 <= c <= n


def test_cases(pass_at_k):
    compared = Counter()
    for case in cases():
        n, c, k = (case["input"][name] for name in "nck")
        if not is_sound(n, c, k):
            with pytest.raises(ValueError):  # noqa: PT011 - which one is tested elsewhere
                pass_at_k.compute(predictions=[{"n": n, "c": c}], k=k)
            continue
        value = pass_at_k.compute(predictions=[{"n": n, "c": c}], k=k)[f"pass@{k}"]
        if case["exact"] is not None:
            assert value == pytest.approx(case["exact"], rel=2e-15, abs=0), case["id"]
        for peer, column in PEERS.items():
            if column in case["peers"]:
                # Theirs is one minus a product: right to some units of the last place of 1.
                assert value == pytest.approx(case["peers"][column], rel=0, abs=1e-15), case["id"]
                compared[peer] += 1

    table = re.findall(r"^\| (.+?) \| (\d+) of (\d+) \|", CARD.read_text("utf-8"), re.M)
    assert {(peer, str(count), str(count)) for peer, count in compared.items()} == set(table)


@pytest.mark.skipif(not RESULTS.exists(), reason="the results are not part of the project")
def test_codegen_on_humaneval(pass_at_k):
    problems = [json.loads(line) for line in RESULTS.read_bytes().splitlines()]
    sizes = [1, 2, 5, 10, 50, 100]
    published = [22.10, 30.78, 42.02, 50.38, 68.69, 73.78]
    counts = [{"n": problem["n"], "c": problem["c"]} for problem in problems]
    outcomes = [[int(mark == "P") for mark in problem["results"]] for problem in problems]

    result = pass_at_k.compute(predictions=counts, k=sizes)
    assert [round(100 * result[f"pass@{k}"], 2) for k in sizes] == published
    assert pass_at_k.compute(predictions=outcomes, k=sizes) == result
    for k in sizes:
        truth = [
            1 - Fraction(comb(count["n"] - count["c"], k), comb(count["n"], k)) for count in counts
        ]
        assert result[f"pass@{k}"] == pytest.approx(fsum(truth) / len(truth), rel=2e-15, abs=0)
