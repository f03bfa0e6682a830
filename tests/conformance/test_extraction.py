"""Steps of extraction beside the functions of their communities, recorded and on real answers."""

import gzip
import json

import pytest

from metric_commons import load
from metric_commons.text import extract_answers
from metric_commons.text.extraction.step_chains import STEPS
from tests.contract.test_cards import code, column
from tests.spec import GIVEN, ROOT, published, recorded

ANSWERS = GIVEN / "data" / "answers"
CASES = [case for case in recorded("answers") if case["module"] == "extract"]
CRASH = {("extract_33", "boxed")}  # hendrycks_math fails on its own \fbox
# No peer has these as they are.
OURS = {
    *("choice", "code_fence", "strip_citations", "strip_think", "tagged_or_boxed"),
    *("boxed_all", "final_answer", "final_number", "final_number_comma"),
}

given = pytest.mark.skipif(not ANSWERS.is_dir(), reason=f"no real answers at {ANSWERS}")
CARD = (ROOT / "metrics" / "qa_em" / "README.md").read_text("utf-8")


def differing(step):
    """How many values of a step were recorded, and the cases in which ours is another."""
    values = [(case, case["peers"][step]) for case in CASES if step in case["peers"]]
    return len(values), {
        (case["id"], step)
        for case, peer in values
        if extract_answers(case["inputs"]["predictions"], step, case["inputs"].get("choices"))
        != [peer["extracted"]]
    }


def test_every_step_finds_what_its_community_finds():
    counts, differences = zip(*map(differing, STEPS.keys() - OURS), strict=True)

    assert set().union(*differences) == CRASH
    assert min(counts) >= 5
    assert f"{sum(counts) - 1} of {sum(counts)} values are equal" in " ".join(CARD.split())


def test_a_thought_that_is_never_closed_is_no_answer():
    thoughts = [case for case in CASES if case["options"].get("extract") == "strip_think"]
    differences = []
    for case in thoughts:
        answers = extract_answers(case["inputs"]["predictions"], "strip_think")
        assert answers == [case["expected"]["extracted"]]
        if answers != [case["peers"]["lm_eval think_end_token=</think>"]["extracted"]]:
            differences.append(answers)

    assert set(map(tuple, differences)) <= {(None,)}


def test_the_card_lists_the_steps():
    usage = CARD.partition("## Inputs")[0]

    assert [name.strip('"') for name in code(column(usage, "Step"))] == list(STEPS)


@pytest.mark.parametrize("system", ["gsm8k-6b-finetuning", "gsm8k-6b-verification"])
def test_published_grades_of_the_first_rows_of_gsm8k(system):
    case = published(system)
    predictions, references = zip(*case["rows"], strict=True)
    result = load("qa_em", normalizer="gsm8k", extract=case["extract"]).compute(
        predictions=list(predictions), references=list(references), per_example=True
    )

    assert 0 < sum(case["published"]) < len(case["published"])
    assert result["per_example"]["qa_em"] == list(map(float, case["published"]))


@given
@pytest.mark.parametrize("system", ["gsm8k_6b_finetuning", "gsm8k_6b_verification"])
def test_published_grades_of_gsm8k_row_by_row(system):
    figures = json.loads((ANSWERS / "figures.json").read_text())[system]
    with gzip.open(ANSWERS / f"{system}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = list(map(json.loads, lines))
    result = load("qa_em", normalizer="gsm8k", extract=figures["extract"]).compute(
        predictions=[row["solution"] for row in rows],
        references=[row["reference"] for row in rows],
        per_example=True,
    )

    assert result["per_example"]["qa_em"] == [float(row["is_correct"]) for row in rows]
    assert result["qa_em"] == figures["accuracy"]
    assert result["unparsed"] * len(rows) == pytest.approx(figures["unparsed_rows"])
    assert f"{result['qa_em']:.4f}" in CARD
