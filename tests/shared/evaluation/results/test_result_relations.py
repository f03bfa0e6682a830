"""Relations between the values of a results file: one line names the file and what contradicts."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.data.files.stored import checksum
from metric_commons.evaluation.results.result_relations import check_relations
from metric_commons.evaluation.results.results import Results
from metric_commons.evaluation.scoring.scoring import score

SYSTEMS = {"a": ["Paris", "Rom x", "Oslo"], "b": ["paris", "x", "y"]}


@pytest.fixture(scope="module")
def text():
    results = score(
        ["qa_f1", "ter"],
        predictions=SYSTEMS,
        references=["Paris", "Rom", "Oslo"],
        confidence_level=0.9,
        groups=["u", "u", "v"],
        compare=True,
    )
    return results.to_json()


def delete(*keys):
    def change(content):
        for key in keys[:-1]:
            content = content[key]
        del content[keys[-1]]

    return change


def put(value, *keys):
    def change(content):
        for key in keys[:-1]:
            content = content[key]
        content[keys[-1]] = value

    return change


EMPTY = {"systems": {}, "comparisons": [], "ranks": {}}
F1, TER = ("systems", "a", "qa_f1"), ("systems", "a", "ter")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (delete("comparisons", 0, "p_adjusted"), "a comparison lacks 'p_adjusted'"),
        (delete(*TER, "lower_is_better"), "lower_is_better of 'ter' is not"),
        (delete(*F1, "conditions"), "module 'qa_f1' lacks 'conditions'"),
        (delete(*F1, "interval", "qa_f1"), "has an interval of 'qa_f1', but not its method"),
        (put({}, *TER, "scores", "ter"), "an interval of 'ter', which is not a number"),
        (put(1.0, *F1, "groups", "u", "qa_f1"), "qa_f1 is 1.0, which cannot be with"),
        (put(7, *F1, "groups", "u", "n"), "groups have 8 rows, but module 'qa_f1' has 3"),
        (lambda content: content.update(EMPTY), "a result needs at least one system"),
        (put("a", "comparisons", 0, "b"), "a comparison is of 'a' with itself"),
        (put([2, 1], "ranks", "qa_f1", "a", "rank_interval"), "the rank of 'a' by 'qa_f1' is"),
        (put(9, "ranks", "qa_f1", "a", "tier"), "the rank of 'a' by 'qa_f1' is"),
    ],
    ids=range(11),
)
def test_a_file_that_contradicts_itself_is_refused(tmp_path, text, change, message):
    content = json.loads(text)
    del content["sha256"]
    change(content)
    path = tmp_path / "x.json"
    path.write_text(json.dumps(content | {"sha256": checksum(content)}))
    with pytest.raises(ValueError, match=r"^[^\n]+$") as raised:
        Results.read(path)

    assert str(raised.value).startswith(f"{path}: ")
    assert message in str(raised.value)


def test_means_of_a_comparison_are_the_scores(text):
    content = json.loads(text)
    comparison = content["comparisons"][0]
    for key in ("A_mean", "diff"):
        comparison[key] -= 0.125
    with pytest.raises(ValueError, match=r"a comparison has the qa_f1 .* of 'a', not "):
        check_relations(content)


ROWS = st.lists(st.tuples(*[st.floats(0, 1)] * 2), min_size=1, max_size=6)


@given(ROWS)
def test_f1_of_rows_is_possible_with_precision_and_recall(rows):
    f1 = [2 * p * r / (p + r) if p + r > 1e-300 else 0.0 for p, r in rows]
    means = [math.fsum(column) / len(rows) for column in (f1, *zip(*rows, strict=True))]
    scores = dict(zip(["f1", "precision", "recall"], means, strict=True))
    module = {"scores": scores, "groups": {}, "rows": 0}
    content = {"systems": {"a": {"other": module}}, "comparisons": [], "provenance": {}}

    check_relations(content)
    module["scores"] = scores | {"f1": max(means[1:]) + 0.01}
    with pytest.raises(ValueError, match="which cannot be with precision"):
        check_relations(content)


def test_a_result_of_an_older_format_may_lack_keys(text):
    content = json.loads(text)
    del content["sha256"], content["comparisons"][0]["p_adjusted"]
    again = Results.from_json(json.dumps(content | {"format": "metric-commons/2"}))
    assert math.isnan(again.comparisons[0]["p_adjusted"])
