import math

import pytest
from datasets import Dataset

from metric_commons import State, load, score
from tests.spec import Spec
from tests.tables import by_table, other_shapes

KEYS = ("precision", "recall", "f1")


def scores(prefix, precision, recall, f1):
    return {
        f"{prefix}{key}": value for key, value in zip(KEYS, (precision, recall, f1), strict=True)
    }


def of_type(precision, recall, f1, number):
    return scores("", precision, recall, f1) | {"number": number}


BEST = (
    scores("", 1.0, 1.0, 1.0) | scores("macro_", 1.0, 1.0, 1.0) | scores("weighted_", 1.0, 1.0, 1.0)
)

SPEC = Spec(
    name="span_f1",
    sample={
        "predictions": [
            ["B-PER", "I-PER", "O", "B-LOC"],
            ["O", "B-LOC", "I-LOC", "O"],
            ["B-PER", "O", "O", "O"],
            ["B-LOC", "B-PER", "O", "O"],
        ],
        "references": [
            ["B-PER", "I-PER", "O", "B-ORG"],
            ["O", "B-LOC", "I-LOC", "O"],
            ["B-PER", "I-PER", "O", "O"],
            ["B-LOC", "B-PER", "O", "O"],
        ],
    },
    # By hand: of six spans on either side four are equal; LOC 2 of 3 and 2, PER 2 of 3, ORG none.
    result={
        **scores("", 4 / 6, 4 / 6, 4 / 6),
        **scores("macro_", 4 / 9, 5 / 9, 4 / 5 / 3 + 2 / 9),
        **scores("weighted_", 5 / 9, 4 / 6, (2 * 4 / 5 + 3 * 2 / 3) / 6),
        "accuracy": 14 / 16,
        "support": 6,
        "per_type": {
            "LOC": of_type(2 / 3, 1.0, 4 / 5, 2),
            "ORG": of_type(0.0, 0.0, 0.0, 1),
            "PER": of_type(2 / 3, 2 / 3, 2 / 3, 3),
        },
    },
    perfect={"predictions": [["B-A", "I-A"]], "references": [["B-A", "I-A"]]},
    best=BEST | {"accuracy": 1.0, "support": 1, "per_type": {"A": of_type(1.0, 1.0, 1.0, 1)}},
    wrong={"predictions": 3, "references": ["B-A", 7]},
)

OTHER_SHAPES = other_shapes(__file__)


def f1(predictions, references, **options):
    return load("span_f1").compute(predictions=predictions, references=references, **options)["f1"]


@by_table("tags, types")
def test_spans_are_read_as_conlleval_does(tags, types):
    found = load("span_f1").compute(predictions=[tags.split()], references=[tags.split()])

    assert found["support"] == len(types)
    assert list(found["per_type"]) == sorted(set(types))


@by_table("scheme, tags, support")
def test_a_scheme_takes_what_is_well_formed(scheme, tags, support):
    rows = {"predictions": [tags.split()], "references": [tags.split()]}

    assert load("span_f1").compute(**rows, scheme=scheme)["support"] == support


def test_the_letter_may_stand_behind_the_type():
    rows = [["PER-B", "PER-I", "O"]], [["PER-B", "PER-I", "LOC-B"]]

    assert f1(*rows, suffix=True) == f1(*rows, suffix=True, scheme="IOB2") == 2 / 3


@pytest.mark.parametrize(
    ("match", "expected"), [("strict", 0.0), ("exact", 1 / 3), ("partial", 2 / 3), ("type", 2 / 3)]
)
def test_matches_may_be_loose(match, expected):
    predictions = [{"type": ["A", "B", "B"], "start": [0, 3, 7], "end": [2, 5, 8]}]
    references = [{"type": ["A", "A", "B"], "start": [1, 3, 7], "end": [2, 5, 10]}]

    assert f1(predictions, references, match=match) == pytest.approx(expected)


def test_a_true_span_is_taken_once():
    predictions = [{"type": ["A", "A"], "start": [0, 2], "end": [1, 3]}]
    references = [{"type": ["A"], "start": [0], "end": [3]}]

    assert f1(predictions, references, match="type") == pytest.approx(2 / 3)
    assert f1(predictions, references, match="partial") == pytest.approx(1 / 3)


def test_looser_matches_count_for_the_type_of_each_side():
    span = {"start": [0], "end": [1]}
    found = load("span_f1").compute(
        predictions=[{"type": ["A"], **span}], references=[{"type": ["B"], **span}], match="exact"
    )["per_type"]

    assert (found["A"]["precision"], found["B"]["recall"]) == (1.0, 1.0)


@pytest.mark.parametrize("zero_division", [0.0, 1.0])
def test_nothing_to_find_is_worth_what_is_asked_for(zero_division):
    found = load("span_f1").compute(
        predictions=[["O"]], references=[["O"]], zero_division=zero_division
    )

    assert found["f1"] == found["weighted_f1"] == zero_division
    assert math.isnan(found["macro_f1"])
    assert found["accuracy"] == 1.0


def test_a_part_may_have_no_tags_but_not_all_rows():
    state, part = State("span_f1"), State("span_f1")
    state.update(predictions=[["B-A"]], references=[["B-A"]])
    part.update(predictions=[[]], references=[[]])
    with pytest.raises(ValueError, match="there are no tags in any row"):
        load("span_f1").compute(predictions=[[]], references=[[]])
    with pytest.raises(ValueError, match="there are no tags in any row"):
        part.result()

    state.merge(part)
    assert state.result()["f1"] == 1.0


def test_a_part_of_rows_without_spans_has_its_rows(tmp_path):
    none = {"type": [], "start": [], "end": []}
    some = {"type": ["A"], "start": [0], "end": [1]}
    state, part = State("span_f1"), State("span_f1")
    part.update(predictions=[none], references=[none], ids=["x"])
    state.update(predictions=[some], references=[some], ids=["y"])
    for name in ("rows.parquet", "rows.jsonl"):
        part.save(tmp_path / name)
        assert len(State.read(tmp_path / name)) == 1
    state.merge(part)

    rows = {"predictions": [some, none], "references": [some, none]}
    expected = load("span_f1").compute(**rows, confidence_level=0.9)
    assert len(state) == 2
    assert state.result(confidence_level=0.9) == expected


def test_rows_do_not_touch():
    apart = [["B-A"], ["I-A"]]

    assert f1(apart, [["B-A"], ["I-A"]]) == 1.0
    assert load("span_f1").compute(predictions=apart, references=apart)["support"] == 2


@by_table("predictions, references, options, message")
def test_what_cannot_be_scored_is_named(predictions, references, options, message):
    with pytest.raises(ValueError, match=message):
        f1(predictions, references, **options)


def test_the_scheme_of_all_rows_is_not_for_states():
    rows = {"predictions": [["S-A", "O"], ["O"]], "references": [["B-A", "E-A"], ["O"]]}
    table = Dataset.from_dict(rows)
    columns = {"predictions": "predictions", "references": "references"}

    with pytest.raises(ValueError, match="scheme='auto' follows from all rows; name its value"):
        State("span_f1", scheme="auto")
    results = score("span_f1", table, **columns, options={"scheme": "auto"})
    assert results.systems["predictions"]["span_f1"].scores["f1"] == f1(**rows, scheme="auto")
