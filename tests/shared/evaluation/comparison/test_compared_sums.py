"""Systems compared by scores that follow from sums: in one call, and from saved rows."""

import random

import numpy as np
import pytest

from metric_commons import Results, compare, load, score
from metric_commons.evaluation.comparison.saved_results import read_results
from metric_commons.evaluation.comparison.verdicts import gate

REFERENCES = [f"the cat sat on mat {i} and looked at the dogs" for i in range(30)]


def noisy(share, seed):
    chance = random.Random(seed)
    return [
        " ".join(word if chance.random() > share else "x" for word in text.split())
        for text in REFERENCES
    ]


SYSTEMS = {"good": noisy(0.1, 1), "poor": noisy(0.3, 2)}


def scored(modules="bleu", **options):
    arguments = {"predictions": SYSTEMS, "references": REFERENCES} | options
    return score(modules, **arguments)


def swapped_p(module, name, draws=4_000):
    """The share of random exchanges of rows that make a difference at least as large."""
    sides = [
        load(module).row_statistics(predictions=texts, references=REFERENCES)
        for texts in SYSTEMS.values()
    ]
    names, values = sides[0].names, [side.columns(sides[0].names) for side in sides]

    def difference(swap):
        sums = [np.where(swap[:, None], *pair).sum(axis=0) for pair in (values, values[::-1])]
        scores = [sides[0].scores(dict(zip(names, of.tolist(), strict=True))) for of in sums]
        return abs(scores[0][name] - scores[1][name])

    observed = difference(np.zeros(len(REFERENCES), bool))
    swaps = np.random.default_rng(0).random((draws, len(REFERENCES))) < 0.5
    return np.mean([difference(swap) >= observed * (1 - 1e-12) for swap in swaps])


@pytest.mark.parametrize(
    ("module", "name"),
    [("bleu", "bleu"), ("chrf", "chrf"), ("ter", "ter"), ("error_rate", "wer")],
)
def test_a_comparison_is_near_that_of_exchanged_rows(module, name):
    alike = {"predictions": {"good": SYSTEMS["good"], "poor": noisy(0.16, 2)}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SYSTEMS, "poor", alike["predictions"]["poor"])
        expected = swapped_p(module, name)
    (comparison,) = scored(module, compare=True, **alike).comparisons

    assert (comparison["a"], comparison["b"], comparison["score"]) == ("good", "poor", name)
    assert comparison["p_value"] == pytest.approx(expected, abs=0.03)
    assert comparison["rows"] == 30
    assert comparison["test"].startswith("sign_flip")
    low, high = comparison["confidence_interval"]
    assert low < comparison["diff"] < high
    assert (comparison["p_value"] < 0.05) == (low > 0 or high < 0)


def test_means_and_sums_are_one_family_of_tests():
    results = scored(["bleu", "qa_f1"], compare=True)

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

    expected = scored(compare=True, **options).comparisons
    assert compare(read).comparisons == expected
    assert [comparison["n_clusters"] for comparison in expected] == [10] * 3
    tables = read.rows["good"]
    assert tables["ter"].columns["ref_length"][0] == 11
    assert [*tables["qa_em"].columns] == ["qa_em"]


def test_a_function_is_an_option_that_a_file_cannot_hold(tmp_path):
    options = {"modules": "error_rate", "options": {"normalizer": str.upper}}
    (comparison,) = scored(compare=True, **options).comparisons

    assert comparison["score"] == "wer"
    with pytest.raises(ValueError, match="normalizer must be one of"):
        saved(tmp_path, **options)


def test_a_gate_of_sums():
    good, poor = (
        scored(["bleu", "ter"], predictions={name: SYSTEMS[name]}, rows=True) for name in SYSTEMS
    )

    assert gate(good, poor, score="bleu", margin=1.0).verdict == "not inferior"
    assert gate(poor, good, score="bleu", margin=1.0).verdict == "inferior"
    assert gate(good, poor, score="ter", margin=1.0).verdict == "not inferior"
    verdict = gate(poor, good, score="ter", margin=18.0)
    assert verdict.verdict == "cannot tell"
    assert "rows" in verdict.sentences[-1]


def test_what_nobody_asked_for_is_not_held():
    assert scored(predictions=SYSTEMS["good"]).rows == {}
