"""What the code of each peer returned for (n, c, k), and published results."""

import re
from collections import Counter
from fractions import Fraction
from math import comb, fsum

import pytest

from metric_commons import load
from tests.spec import ROOT, published, recorded

CARD = ROOT / "metrics" / "pass_at_k" / "README.md"
PEERS = {  # by their names in the card
    "human-eval 6d43fb9 `estimate_pass_at_k`": "human_eval.estimate_pass_at_k",
    "evaluate 0.4.6 `code_eval`": "hf_code_eval.estimate_pass_at_k",
    "HELM 63754d0": "helm.pass_at_k_estimator",
    "lighteval 3fd1526 `PassAtK`": "lighteval.PassAtK",
    "inspect_ai 499e615 `pass_at`": "inspect_ai.pass_at",
}
RELIABILITY = [case for case in recorded("answers") if case["module"] == "pass_at_k"]


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
    table = {row for row in table if row[0] in PEERS}
    assert {(peer, str(count), str(count)) for peer, count in compared.items()} == table


def test_codegen_on_humaneval(pass_at_k):
    case = published("codet")
    sizes = list(map(int, case["published"]))
    counts = [{"n": n, "c": c} for n, c, _ in case["rows"]]
    outcomes = [[int(mark == "P") for mark in marks] for *_, marks in case["rows"]]

    result = pass_at_k.compute(predictions=counts, k=sizes)
    assert len(counts) == 164
    assert {str(k): round(100 * result[f"pass@{k}"], 2) for k in sizes} == case["published"]
    assert pass_at_k.compute(predictions=outcomes, k=sizes) == result
    for k in sizes:
        truth = [
            1 - Fraction(comb(count["n"] - count["c"], k), comb(count["n"], k)) for count in counts
        ]
        assert result[f"pass@{k}"] == pytest.approx(fsum(truth) / len(truth), rel=2e-15, abs=0)


# Whether all samples pass, or a share of them


@pytest.mark.parametrize("case", RELIABILITY, ids=[case["id"] for case in RELIABILITY])
def test_a_recorded_case_of_reliability(pass_at_k, case):
    result = pass_at_k.compute(**case["inputs"], **case["options"])

    assert set(case["expected"]) == set(result)
    for name, value in case["expected"].items():
        assert result[name] == pytest.approx(value, rel=1e-15, abs=0), name


def test_the_card_counts_the_cases_of_reliability(pass_at_k):
    agreeing, compared = Counter(), Counter()
    for case in RELIABILITY:
        result = pass_at_k.compute(**case["inputs"], **case["options"])
        for peer, scores in case["peers"].items():
            compared[peer] += 1
            agreeing[peer] += all(
                value == pytest.approx(result[name], rel=1e-12) for name, value in scores.items()
            )

    table = re.findall(r"^\| (.+?) \| (\d+) of (\d+) \|", CARD.read_text("utf-8"), re.M)
    names = {
        "inspect_ai 0.3.285 `pass_k`": "inspect_ai 0.3.285 pass_k, pass_at",
        "GPassK 20a02a1 and lighteval": "GPassK and lighteval",
    }
    told = {names[peer]: (int(n), int(total)) for peer, n, total in table if peer in names}
    assert told == {peer: (agreeing[peer], compared[peer]) for peer in compared}


def test_four_trials_of_tau_bench(pass_at_k):
    case = published("tau-bench")
    result = pass_at_k.compute(predictions=case["rows"], k=[1, 2, 3, 4], measures="pass^k")

    assert {name: round(value, 3) for name, value in result.items()} == case["published"]
