"""Mathematical answers against recorded peers, published figures, and 60 digits.

The given cases name for each pair of answers what peers said, and what is right; the real answers
come with the figures that they must give.
"""

import gzip
import itertools
import json
from random import Random

import pytest

from metric_commons import load
from metric_commons.mathematics import equivalence_scores, equivalent
from metric_commons.mathematics.proof.equivalence import readable
from tests.formulas import computed, differ, draw, notation, rearranged
from tests.spec import GIVEN, ROOT, recorded, rounds

ANSWERS = GIVEN / "data" / "answers"

given = pytest.mark.skipif(not ANSWERS.exists(), reason=f"no real answers at {ANSWERS}")

CARD = (ROOT / "metrics" / "math_equivalence" / "README.md").read_text("utf-8")
HENDRYCKS = "lm_eval hendrycks_math is_equiv"
CASES = [case for case in recorded("answers") if case["module"] == "math_equivalence"]
PAIRS = [case for case in CASES if not case["options"]]


def rows(name):
    text = gzip.decompress((ANSWERS / f"{name}.jsonl.gz").read_bytes()).decode()
    return list(map(json.loads, text.splitlines()))


def published(name):
    return json.loads((ANSWERS / "figures.json").read_text())[name]


# Recorded cases


@pytest.mark.parametrize("case", PAIRS, ids=lambda case: case["id"])
def test_a_recorded_pair_is_equal_or_different_as_it_should_be(case):
    [prediction], [reference] = case["inputs"]["predictions"], case["inputs"]["references"]
    verdict = equivalent(reference, prediction)

    assert float(verdict or 0) == case["expected"]["math_equivalence"]
    assert verdict is not None or not case["decided"]
    assert equivalent(prediction, reference) is verdict


def test_hendrycks_says_what_lm_eval_says():
    cases = [case for case in PAIRS if HENDRYCKS in case["peers"]]
    predictions = [case["inputs"]["predictions"][0] for case in cases]
    references = [case["inputs"]["references"][0] for case in cases]
    scores = equivalence_scores(predictions, references, backend="hendrycks")

    assert len(cases) == 173
    assert scores.equal.tolist() == [case["peers"][HENDRYCKS]["score"] for case in cases]


def verdict_on(case):
    return equivalent(case["inputs"]["references"][0], case["inputs"]["predictions"][0])


def test_the_counts_of_the_card():
    """Of the pairs that peers were asked, and of Math-Verify's own tests."""
    asked = [case for case in PAIRS if HENDRYCKS in case["peers"]]
    equal = [case for case in asked if case["expected"]["math_equivalence"]]
    undecided = [case for case in asked if verdict_on(case) is None]
    others = [case for case in PAIRS if HENDRYCKS not in case["peers"]]
    right = [
        case
        for case in others
        if verdict_on(case) is not None and verdict_on(case) == case["expected"]["math_equivalence"]
    ]

    assert (len(asked), len(equal)) == (173, 122)
    card = " ".join(CARD.split())
    assert f"leaves {len(undecided)} of these undecided" in card
    assert f"on {len(right)} of the {len(others)} pairs" in card


# Differences of relaxed accuracy: texts are equal here that are not there.
EQUAL_HERE = {("nan", "nan"), ("0", "-0.0")}


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["options"]], ids=lambda case: case["id"]
)
def test_relaxed_accuracy(case):
    [prediction], [reference] = case["inputs"]["predictions"], case["inputs"]["references"]
    score = float(equivalent(reference, prediction, **case["options"]) or 0)
    peer = case["peers"]["pix2struct relaxed_correctness"]["score"]

    assert score == (1.0 if (prediction, reference) in EQUAL_HERE else peer)


# Real answers


@given
@pytest.mark.parametrize("options", [{}, {"percent": "any_scale", "relative_tolerance": 1e-4}])
def test_tora_on_gsm8k(options):
    problems = rows("gsm8k_tora-70b-v1.0")
    figures = published("gsm8k_tora-70b-v1.0")
    result = load("math_equivalence").compute(
        predictions=[problem["prediction"] for problem in problems],
        references=[problem["reference"] for problem in problems],
        **options,
    )

    assert result["math_equivalence"] == figures["exact_backend"]
    assert round(100 * result["math_equivalence"], 1) == figures["published"]


@given
def test_qwen_on_math():
    problems = rows("math_cot_8samples")
    pairs = [
        (problem["reference"], answer) for problem in problems for answer in problem["answers"]
    ]
    grades = [grade for problem in problems for grade in problem["right"]]
    scores = equivalence_scores([answer for _, answer in pairs], [gold for gold, _ in pairs])
    others = {
        pair
        for pair, score, grade in zip(pairs, scores.equal, grades, strict=True)
        if score != grade
    }

    assert len(pairs) == 400
    assert others == {("10{,}000", "10000")}  # of which theirs is wrong


@pytest.mark.long
@given
@pytest.mark.parametrize("name", ["gsm8k_6b_finetuning", "gsm8k_6b_verification"])
def test_grade_school_math_row_by_row(name):
    problems, figures = rows(name), published(name)
    result = load("math_equivalence").compute(
        predictions=[problem["solution"] for problem in problems],
        references=[problem["reference"] for problem in problems],
        extract=figures["extract"],
        per_example=True,
    )

    assert result["per_example"]["math_equivalence"] == [
        float(problem["is_correct"]) for problem in problems
    ]
    assert result["unparsed"] * figures["n"] == pytest.approx(figures["unparsed_rows"])


def references_of_math():
    return (ANSWERS / "math_test_answers.txt").read_text().splitlines()


@given
def test_the_answers_of_math_are_understood():
    texts = references_of_math()

    assert len(texts) == 992
    assert [text for text in texts if not readable(text)] == []


@given
@pytest.mark.slow
def test_few_different_spellings_of_math_are_equal():
    pairs = itertools.combinations(references_of_math(), 2)
    equal = [pair for pair in pairs if equivalent(*pair)]

    assert len(equal) == 73  # all read by eye: other spellings, units, names and percentages
    assert ("0.75", r"75\%") in equal


# Random formulas


def formulas(pairs):
    """Pairs of random formulas in two notations, with their values to 60 digits."""
    random = Random(20211)
    while pairs:
        formula = draw(random)
        partner = rearranged(formula, random) if random.random() < 0.6 else draw(random, 2)
        values = computed(formula), computed(partner)
        if None not in values:
            pairs -= 1
            yield notation(formula, random), notation(partner, random), *values


def check(pairs):
    """No verdict is wrong; the share of equal pairs that are found."""
    found = equal = 0
    for left, right, left_value, right_value in formulas(pairs):
        verdict = equivalent(left, right)
        are_different = differ(left_value, right_value)
        equal += not are_different
        found += verdict is True
        assert verdict is None or verdict is not are_different, (left, right)
    return found / equal


@pytest.mark.long
@rounds(800, 20_000)
def test_no_verdict_on_random_formulas_is_wrong(rounds):
    assert check(rounds) > 0.99
