"""Systems compared by scores that follow from sums: in one call, and from saved rows."""

import math
import random

import pytest
from metric_commons.statistics.tests.paired_sums import compare_sums

from metric_commons import Results, compare, load, score
from metric_commons.evaluation.comparison.saved_results import read_results
from metric_commons.evaluation.comparison.verdicts import gate

REFERENCES = [f"the cat sat on mat {i} and looked at the dogs" for i in range(30)]
DRAWS = {"n_resamples": 200, "seed": 3}


def noisy(share, seed):
    chance = random.Random(seed)
    return [
        " ".join(word if chance.random() > share else "x" for word in text.split())
        for text in REFERENCES
    ]


SYSTEMS = {"good": noisy(0.1, 1), "poor": noisy(0.3, 2)}
TAGS = ["B-PER", "I-PER", "O", "B-LOC", "O"]
TAGGED = {
    "good": [TAGS] * 12 + [["O"] * 5] * 2,
    "poor": [TAGS] * 4 + [["B-PER", "O", "O", "B-LOC", "O"]] * 10,
}


def scored(modules="bleu", **options):
    arguments = {"predictions": SYSTEMS, "references": REFERENCES} | options
    return score(modules, **arguments)


@pytest.mark.parametrize(
    ("module", "name"),
    [("bleu", "bleu"), ("chrf", "chrf"), ("ter", "ter"), ("error_rate", "wer")],
)
def test_a_comparison_is_that_of_the_sums(module, name):
    (comparison,) = scored(module, compare=True, **DRAWS).comparisons
    sides = [
        load(module).row_statistics(predictions=texts, references=REFERENCES)
        for texts in SYSTEMS.values()
    ]
    expected = compare_sums(*sides, **DRAWS)[name]

    assert (comparison["a"], comparison["b"], comparison["score"]) == ("good", "poor", name)
    assert {key: comparison[key] for key in expected} == expected
    assert comparison["p_value"] == 1 / 201
    assert comparison["rows"] == 30
    assert comparison["test"] == "randomization"
    assert "test=randomization|" in comparison["signature"]
    assert "|n_resamples=200|seed=3|" in comparison["signature"]


def test_spans_are_compared_too():
    results = score(
        "span_f1", predictions=TAGGED, references=[TAGS] * 14, compare=True, scores=["f1"], **DRAWS
    )

    (comparison,) = results.comparisons
    assert (
        comparison["diff"]
        == results.systems["good"]["span_f1"].scores["f1"]
        - (results.systems["poor"]["span_f1"].scores["f1"])
    )


def test_means_and_sums_are_one_family_of_tests():
    results = scored(["bleu", "qa_f1"], compare=True, **DRAWS)

    assert [comparison["score"] for comparison in results.comparisons] == ["bleu", "qa_f1"]
    assert all(comparison["options"]["tests"] == 2 for comparison in results.comparisons)
    assert results.ranks["bleu"]["good"]["rank_interval"] == [1, 1]
    assert "bleu" in results.to_table()
    assert results.to_dict() == Results.from_dict(results.to_dict()).to_dict()


def saved(folder, name="results", **options):
    results = scored(rows=True, **options)
    results.save_rows(folder / f"{name}.parquet").save(folder / f"{name}.json")
    return read_results(folder / f"{name}.json")


def test_saved_rows_are_compared_like_those_in_memory(tmp_path):
    modules = ["bleu", "ter", "qa_em"]
    ids = [f"q{i}" for i in range(30)]
    options = {"modules": modules, "clusters": [i // 3 for i in range(30)], "ids": ids}
    read = saved(tmp_path, **options)

    expected = scored(compare=True, **options, **DRAWS).comparisons
    assert compare(read, **DRAWS).comparisons == expected
    assert [comparison["n_clusters"] for comparison in expected] == [10] * 3
    tables = read.rows["good"]
    assert tables["ter"].columns["ref_length"][0] == 11
    assert [*tables["qa_em"].columns] == ["qa_em"]


def test_rows_of_two_files_are_matched_by_their_ids(tmp_path):
    ids, order = list(range(30)), random.Random(5).sample(range(30), 30)
    sides = []
    for name, rows in (("good", ids), ("poor", order)):
        predictions = {name: [SYSTEMS[name][row] for row in rows]}
        references = [REFERENCES[row] for row in rows]
        sides.append(
            saved(tmp_path, name, predictions=predictions, references=references, ids=rows)
        )

    (comparison,) = compare(*sides, **DRAWS).comparisons
    (expected,) = scored(compare=True, **DRAWS).comparisons
    assert {key: comparison[key] for key in ("diff", "p_value", "confidence_interval")} == {
        key: expected[key] for key in ("diff", "p_value", "confidence_interval")
    }


def test_rows_of_another_result_are_noticed(tmp_path):
    saved(tmp_path)
    scored(predictions={"good": SYSTEMS["poor"]}, rows=True).save_rows(tmp_path / "results.parquet")

    with pytest.raises(ValueError, match="its scored rows changed"):
        read_results(tmp_path / "results.json")


def test_a_function_is_an_option_that_a_file_cannot_hold(tmp_path):
    options = {"modules": "error_rate", "options": {"normalizer": str.upper}}
    (comparison,) = scored(compare=True, **options, **DRAWS).comparisons

    assert comparison["score"] == "wer"
    with pytest.raises(ValueError, match="error_rate was scored with a function as normalizer"):
        saved(tmp_path, **options)


@pytest.mark.parametrize(
    ("modules", "testing", "message"),
    [
        ("bleu", {"correction": "max_t"}, "correction 'max_t' requires scores of rows"),
        ("bleu", {"test": "t"}, "test 't' requires means of rows, but bleu is computed from sums"),
        (["bleu", "qa_f1"], {"test": "bootstrap"}, "test 'bootstrap' requires scores computed"),
    ],
)
def test_a_test_of_other_scores_is_refused(modules, testing, message):
    with pytest.raises(ValueError, match=message):
        compare(scored(modules, rows=True), **DRAWS, **testing)


def test_the_bootstrap_is_a_test_of_sums():
    (comparison,) = compare(scored(rows=True), test="bootstrap", **DRAWS).comparisons

    assert comparison["test"] == comparison["options"]["test"] == "bootstrap"
    assert comparison["p_value"] == 1 / 201


@pytest.mark.long
def test_a_gate_of_sums_goes_by_the_error_of_the_resamples():
    good, poor = (
        scored(["bleu", "ter"], predictions={name: SYSTEMS[name]}, rows=True) for name in SYSTEMS
    )

    assert gate(good, poor, score="bleu", margin=1.0).verdict == "not inferior"
    assert gate(poor, good, score="bleu", margin=1.0).verdict == "inferior"
    assert gate(good, poor, score="ter", margin=1.0).verdict == "not inferior"
    verdict = gate(poor, good, score="ter", margin=18.0)
    assert verdict.verdict == "cannot tell"
    assert "rows" in verdict.sentences[-1]


def test_what_comes_with_a_margin_and_a_power():
    sides = [
        load("bleu").row_statistics(predictions=texts, references=REFERENCES)
        for texts in SYSTEMS.values()
    ]
    result = compare_sums(*sides, margin=5.0, power=0.8, **DRAWS)["bleu"]
    plain = compare_sums(*sides, confidence_level=None, **DRAWS)["bleu"]

    assert result["p_non_inferior"] < 0.01
    assert result["p_equivalent"] > 0.9
    assert 2 < result["mde"] / result["standard_error"] < 3.5
    assert result["significant"] is True
    assert math.isnan(plain["standard_error"])
    assert {"confidence_interval", "mde", "p_equivalent"}.isdisjoint(plain)


def test_what_nobody_asked_for_is_not_held():
    assert scored(predictions=SYSTEMS["good"]).rows == {}
