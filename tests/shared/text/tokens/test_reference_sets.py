"""Rows with several sets of references: each score is the mean over the sets."""

import pytest

from metric_commons import State, load
from tests.spec import recorded
from tests.tables import by_table

ALCE = {"normalizer": "squad", "empty_reference": "always"}
CASES = [case for case in recorded("answers") if case["module"] == "substring_recall"]

PREDICTIONS = ["the Broncos beat the Panthers", "Panthers", "nobody"]
SETS = [
    [["Denver Broncos", "Broncos"], ["2015"], ["Panthers"]],
    [["Panthers", "Carolina Panthers"]],
    [["Broncos"], ["Panthers"]],
]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_recorded_values_of_alce(case):
    result = load("substring_recall", **case["options"]).compute(**case["inputs"])
    (peer,) = case["peers"].values()

    assert result == pytest.approx(case["expected"], rel=1e-12)
    assert list(result.values()) == pytest.approx([*peer.values()], rel=1e-12)


@pytest.mark.parametrize("name", ["qa_em", "qa_f1", "substring_recall"])
def test_the_score_of_a_row_is_the_mean_over_its_sets(name):
    module = load(name)
    rows = module.compute(predictions=PREDICTIONS, references=SETS, per_example=True)
    alone = [
        [module.compute(predictions=[prediction], references=[aliases]) for aliases in sets]
        for prediction, sets in zip(PREDICTIONS, SETS, strict=True)
    ]

    scores = rows["per_example"]
    assert ("all_found" in scores) is (name == "substring_recall")
    for key in alone[0][0]:
        means = [sum(result[key] for result in row) / len(row) for row in alone]
        assert scores[key] == pytest.approx(means, rel=1e-15)


def test_of_all_sets_found_there_is_a_share():
    result = load("substring_recall").compute(
        predictions=PREDICTIONS, references=SETS, per_example=True
    )

    assert result["per_example"]["all_found"] == [0.0, 1.0, 0.0]
    assert result["all_found"] == 1 / 3


def test_citations_are_cut_before_answers_are_looked_for():
    data = {"predictions": ["Denver [1][2] Broncos [3]."], "references": [[["Denver Broncos"]]]}

    assert load("substring_recall", **ALCE).compute(**data)["all_found"] == 0.0
    result = load("substring_recall", **ALCE, extract="strip_citations").compute(**data)
    assert result == {"substring_recall": 1.0, "all_found": 1.0, "unparsed": 0.0}


def test_an_unparsed_row_finds_none_of_its_sets():
    result = load("substring_recall", **ALCE, extract="strip_think").compute(
        predictions=["<think>a"], references=[[["the"]]]
    )

    assert result == {"substring_recall": 0.0, "all_found": 0.0, "unparsed": 1.0}


def test_references_in_sets_are_cut_where_that_is_asked_for():
    result = load("qa_em", extract_references="gsm8k").compute(
        predictions=["5"], references=[[["2 + 3 #### 5", "#### 6"], ["#### 7"]]]
    )

    assert result == {"qa_em": 0.5}


@by_table("references, problem")
def test_sets_do_not_mix_with_plain_references(references, problem):
    with pytest.raises(ValueError, match=f"^{problem}"):
        load("qa_em").compute(predictions=["a", "b"], references=references)


def test_rouge_takes_no_sets():
    with pytest.raises(ValueError, match="expected str"):
        load("rouge_n_l").compute(predictions=["a"], references=[[["a"]]])


def test_states_of_sets_merge_with_their_like_alone():
    first, second, plain = (State("substring_recall") for _ in range(3))
    first.update(predictions=PREDICTIONS[:1], references=SETS[:1])
    second.update(predictions=PREDICTIONS[1:], references=SETS[1:])
    plain.update(predictions=["a"], references=["a"])
    first.merge(second)

    expected = load("substring_recall").compute(predictions=PREDICTIONS, references=SETS)
    assert first.result() == expected
    with pytest.raises(ValueError, match="some rows have all_found, others have none"):
        first.merge(plain)
