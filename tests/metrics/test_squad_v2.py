from dataclasses import replace

import pytest

from metric_commons import State, load
from tests.spec import Spec
from tests.squad import squad
from tests.tables import by_table

TEXTS = ["denver broncos", "", "in 10th century", "Paris"]
ACCEPTED = [["Denver Broncos"], [], ["10th century", "the 10th century"], []]
PROBABILITIES = [0.1, 0.9, 0.2, 0.95]
SCORES = ("exact", "f1")
PARTS = ("", "HasAns_", "NoAns_")


def dictionaries(texts, accepted, probabilities):
    columns = squad(texts, accepted)
    for row, probability in zip(columns["predictions"], probabilities, strict=True):
        row["no_answer_probability"] = probability
    return columns


# By hand: the second answer is right since there is none, the third has one word too many.
SPEC = Spec(
    name="squad_v2",
    sample={"predictions": TEXTS, "references": ACCEPTED},
    result={
        "exact": 0.5,
        "f1": 0.7,
        "total": 4,
        "HasAns_exact": 0.5,
        "HasAns_f1": 0.9,
        "HasAns_total": 2,
        "NoAns_exact": 0.5,
        "NoAns_f1": 0.5,
        "NoAns_total": 2,
    },
    perfect={"predictions": ["a b", ""], "references": [["b a", "a b"], []]},
    best={f"{part}{score}": 1.0 for part in PARTS for score in SCORES}
    | {"total": 2, "HasAns_total": 1, "NoAns_total": 1},
    other_ranges={"total": (1, 4), "HasAns_total": (1, 4), "NoAns_total": (1, 4)},
    wrong={"predictions": 1889, "references": ["Paris", 7]},
    ordered=(
        {"threshold_ties": "official"},
        frozenset({"best_exact", "best_exact_thresh", "best_f1", "best_f1_thresh"}),
    ),
)

BEST = {"best_exact": 0.75, "best_exact_thresh": 0.1, "best_f1": 0.95, "best_f1_thresh": 0.2}
OTHER_SHAPES = (
    replace(
        SPEC,
        shape="dictionaries of SQuAD",
        sample=dictionaries(TEXTS, ACCEPTED, PROBABILITIES),
        result=SPEC.result | BEST,
        perfect=dictionaries(["a b", ""], [["b a", "a b"], []], [0.0, 0.0]),
        best=SPEC.best | dict(zip(BEST, (1.0, 0.0, 1.0, 0.0), strict=True)),
        wrong={
            "predictions": {"id": "q0", "prediction_text": "a"},
            "references": {"id": "q0", "answers": {"text": [7], "answer_start": [0]}},
        },
    ),
)


def score(texts, accepted, probabilities=None, **options):
    if probabilities is None:
        return load("squad_v2").compute(predictions=texts, references=accepted, **options)
    return load("squad_v2").compute(**dictionaries(texts, accepted, probabilities), **options)


# Each line by hand, from the steps of evaluate-v2.0.py.
@by_table("text, accepted, exact, f1")
def test_an_answer_is_right_or_having_none_is(text, accepted, exact, f1):
    result = score([text], [accepted])

    assert (result["exact"], result["f1"]) == (exact, pytest.approx(f1, rel=1e-15))
    assert ("HasAns_total" in result) is bool(accepted)
    assert ("NoAns_total" in result) is not accepted


def test_an_answer_above_the_threshold_counts_as_none():
    rows = (["Paris", "Paris"], [["Paris"], []], [0.5, 0.5])

    assert score(*rows)["exact"] == score(*rows, no_answer_threshold=0.5)["exact"] == 0.5
    result = score(*rows, no_answer_threshold=0.4, per_example=True)
    assert result["per_example"]["exact"] == [0.0, 1.0]
    assert (result["HasAns_f1"], result["NoAns_f1"]) == (0.0, 1.0)
    assert result["best_exact_thresh"] == score(*rows)["best_exact_thresh"]


def test_equal_probabilities_have_one_threshold_if_they_are_grouped():
    rows = (["x", "q"], [["x"], []], [0.5, 0.5])
    turned = tuple(column[::-1] for column in rows)

    official = [score(*order) for order in (rows, turned)]
    assert [result["best_exact"] for result in official] == [1.0, 0.5]  # by the order of rows
    assert [result["best_exact_thresh"] for result in official] == [0.5, 0.0]
    grouped = [score(*order, threshold_ties="grouped") for order in (rows, turned)]
    assert grouped[0] == grouped[1]
    assert (grouped[0]["best_exact"], grouped[0]["best_exact_thresh"]) == (0.5, 0.0)


def test_probabilities_keep_all_their_digits():
    assert score(["x"], [["x"]], [0.995])["best_exact_thresh"] == 0.995  # not 0.9950000047683716


def test_texts_have_no_best_threshold():
    assert not {key for key in score(["x"], [["x"]]) if key.startswith("best_")}


def test_a_refusal_in_words_may_count_as_none():
    rows = (["Unanswerable.", "unanswerable", "no"], [[], ["Paris"], ["unanswerable"]])

    assert score(*rows)["exact"] == 0.0
    result = score(*rows, no_answer_texts=["unanswerable"], per_example=True)
    assert result["per_example"]["exact"] == [1.0, 0.0, 0.0]


def test_questions_are_matched_by_id():
    columns = dictionaries(TEXTS, ACCEPTED, PROBABILITIES)
    columns["references"].reverse()

    assert load("squad_v2").compute(**columns) == SPEC.result | BEST
    columns["references"][0]["id"] = "q7"
    with pytest.raises(ValueError, match=r"predictions\[3\] has the id 'q3', which no reference"):
        load("squad_v2").compute(**columns)


def test_groups_and_intervals_have_every_score():
    labels = ["a", "a", "b", "b"]
    result = score(TEXTS, ACCEPTED, PROBABILITIES, groups=labels, confidence_level=0.9)
    group = score(TEXTS[:2], ACCEPTED[:2], PROBABILITIES[:2], confidence_level=0.9)

    assert repr(result["groups"]["a"]) == repr(group | {"n": 2})  # of one row errors are NaN
    scores = [f"{part}{name}" for part in PARTS for name in SCORES]
    assert list(result["confidence_interval"]) == list(result["effective_n"]) == scores
    assert result["interval"]["HasAns_exact"] == "clopper_pearson"
    clustered = score(TEXTS, ACCEPTED, clusters=["a", "b", "b", "a"], confidence_level=0.9)
    assert clustered["n_clusters"] == 2
    assert clustered["design_effect"].keys() == set(scores)


@pytest.mark.parametrize("ties", ["official", "grouped"])
def test_states_merge_in_the_order_of_their_rows(ties):
    texts, accepted = TEXTS * 3, ACCEPTED * 3
    probabilities = [0.1, 0.2, 0.2, 0.9] * 3
    columns = dictionaries(texts, accepted, probabilities)
    parts = [State("squad_v2", threshold_ties=ties) for _ in range(3)]
    for part, state in enumerate(parts):
        rows = slice(4 * part, 4 * part + 4)
        state.update(**{name: column[rows] for name, column in columns.items()})
    total, *others = parts
    total.merge(*others)

    assert repr(total.result()) == repr(score(texts, accepted, probabilities, threshold_ties=ties))
    with pytest.raises(ValueError, match="some rows have groups, others have none"):
        total.update(**{name: column[:1] for name, column in columns.items()}, groups=["a"])
    total.update(predictions=["a"], references=[["a"]])
    with pytest.raises(ValueError, match=r"predictions\[12\] is 'a' \(str\); expected dict"):
        total.result()


def test_questions_without_answers_at_the_end_take_no_words_from_others():
    answers, accepted = ["New York City", *[""] * 10], [["New York City"], *[[]] * 10]
    result = load("squad_v2").compute(predictions=answers, references=accepted)

    assert result["HasAns_f1"] == result["NoAns_f1"] == result["f1"] == 1.0
