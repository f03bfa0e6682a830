"""Nothing that a model returns for a field raises an error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.frameworks.rewards.framework_values import completion_of, further_scores
from metric_commons.scorers import task

REFERENCES = {
    "math": "1",
    "choice": "B",
    "found": None,
    "qa_f1": "1",
    "json_match": "[]",
    "tool_calls": "[]",
}
TASKS = {module: task(module, explain=True) for module in REFERENCES}

anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(st.characters()),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.text(), inner)
        | st.dictionaries(st.sampled_from(["role", "content", "tool_calls", "text"]), inner)
    ),
    max_leaves=6,
)


@pytest.mark.long
@pytest.mark.parametrize("module", TASKS)
@given(value=anything)
def test_any_value_has_a_verdict(module, value):
    verdict = TASKS[module].verdict(completion_of(value), REFERENCES[module])

    assert verdict.score is not None
    assert verdict.reason


def test_values_that_are_not_json_are_printed():
    circle = []
    circle.append(circle)

    assert completion_of(circle) == "[[...]]"
    assert completion_of({(1, 2): 3}) == "{(1, 2): 3}"
    assert completion_of(1.5) == "1.5"


@pytest.mark.parametrize("module", [*TASKS, "rouge_n_l", "chrf", "error_rate"])
@pytest.mark.parametrize("options", [{}, {"extract": "boxed"}])
def test_the_names_of_further_scores_are_those_of_a_verdict(module, options):
    judge = task(module, **options)
    text = "[]" if module in ("json_match", "tool_calls") else r"\boxed{1}"

    assert further_scores(judge) == list(judge.verdict(text, text).scores)
