"""SQuAD's dictionaries are matched by id, and refused where they do not match."""

import pytest

import metric_commons
from tests.squad import squad

NAMES = ["qa_em", "qa_f1", "substring_recall"]
PREDICTIONS = ["Oslo", "the Eiffel Tower", "Rome"]
ACCEPTED = [["Bergen"], ["Eiffel Tower", "La tour Eiffel"], ["in Rome", "Rome"]]


@pytest.mark.parametrize("name", NAMES)
def test_dictionaries_score_as_their_texts(name):
    module = metric_commons.load(name)
    columns = squad(PREDICTIONS, ACCEPTED)
    columns["references"].reverse()
    expected = module.compute(predictions=PREDICTIONS, references=ACCEPTED, per_example=True)

    assert module.compute(**columns, per_example=True) == expected


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (lambda p, r: p[1].update(id="q7"), r"predictions\[1\] has the id 'q7', which no"),
        (lambda p, r: p[2].update(id="q0"), r"predictions\[2\] repeats the id 'q0'"),
        (lambda p, r: r[1].update(id="q0"), r"references\[1\] repeats the id 'q0'"),
        (
            lambda p, r: r[0].update(answers={"text": [], "answer_start": []}),
            r"references\[0\] has no answer; use squad_v2 for questions without one",
        ),
        (lambda p, r: p.pop(), "differ in length"),
    ],
)
def test_questions_that_do_not_match_are_refused(name, change, cause):
    columns = squad(PREDICTIONS, ACCEPTED)
    change(columns["predictions"], columns["references"])

    with pytest.raises(ValueError, match=cause):
        metric_commons.load(name).compute(**columns)
