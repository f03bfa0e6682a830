"""Rows without an answer: bounds of scores, and verdicts that they could turn."""

import math
from itertools import combinations, product

import numpy as np
import pytest

from metric_commons import compare, score
from metric_commons.evaluation.comparison.comparisons import compare_pairs, paired_scores
from metric_commons.evaluation.comparison.verdicts import gate
from metric_commons.statistics.intervals.intervals import interval
from metric_commons.statistics.tests.significance import Differences


def answers(text):
    """Right answers for 1, wrong ones for 0, none for a full stop."""
    return [{"1": "yes", "0": "no", ".": None}[sign] for sign in text]


def scored(module="qa_em", **systems):
    """The result of systems whose rows are written as in `answers`."""
    predictions = {name: answers(text) for name, text in systems.items()}
    rows = len(next(iter(predictions.values())))
    return score(
        module,
        predictions=predictions,
        references=["yes"] * rows,
        missing="bounds",
        confidence_level=0.9,
        rows=True,
    )


@pytest.mark.parametrize("text", ["10.1..0", "...1", "11111.", "0.", "1"])
def test_bounds_are_those_of_all_fillings(text):
    results = scored(bot=text)
    result = results.systems["bot"]["qa_em"]
    known = [int(sign) for sign in text if sign != "."]
    gaps = text.count(".")
    fillings = [[*known, *filling] for filling in product([0, 0.5, 1], repeat=gaps)]
    means = [math.fsum(rows) / len(rows) for rows in fillings]

    assert result.scores["qa_em"] == math.fsum(known) / len(known)
    assert result.rows == len(text)
    if not gaps:
        assert not {"score_bounds", "missing_rows"} & result.values.keys()
        return
    assert result.values["score_bounds"]["qa_em"] == [min(means), max(means)]
    assert result.values["missing_rows"] == gaps
    ends = [interval(np.array(rows, float), confidence_level=0.9) for rows in fillings]
    assert result.confidence_interval["qa_em"] == [
        min(end.low for end in ends),
        max(end.high for end in ends),
    ]
    rows = results.rows["bot"]["qa_em"].columns["qa_em"]
    assert np.isnan(rows).tolist() == [sign == "." for sign in text]


@pytest.mark.parametrize(
    ("text", "groups", "bounds"),
    [
        ("10..1", "bbaaa", [[1 / 3, 1.0], [0.5, 0.5]]),
        ("10..", "aabb", [[0.5, 0.5], [0.0, 1.0]]),  # without any answer: worst and best
    ],
)
def test_groups_have_bounds_of_their_own(text, groups, bounds):
    rows = {"predictions": answers(text), "references": ["yes"] * len(text), "groups": [*groups]}
    found = score("qa_em", **rows, missing="bounds").systems["predictions"]["qa_em"].groups

    assert [found[group]["score_bounds"]["qa_em"] for group in "ab"] == bounds
    assert math.isnan(found["b"]["qa_em"]) == (text == "10..")


def test_rows_are_skipped_or_count_as_zero():
    rows = {"predictions": answers("11.0"), "references": ["yes"] * 4, "ids": list("abcd")}
    skipped, zero = (
        score("qa_em", **rows, missing=missing).systems["predictions"]["qa_em"]
        for missing in ("skip", "zero")
    )

    assert skipped.scores["qa_em"] == 2 / 3
    assert skipped.left_out == {"unanswered": 1}
    assert zero.scores["qa_em"] == 0.5
    with pytest.raises(ValueError, match=r"predictions\[2\]"):
        score("qa_em", **rows)


def test_scores_without_bounds_are_refused():
    columns = {"predictions": ["a", None], "references": ["a", "b"], "missing": "bounds"}
    with pytest.raises(ValueError, match="bleu does not score row by row, so that rows that are"):
        score("bleu", **columns)
    with pytest.raises(ValueError, match="bits_per_byte of a row that is missing may be any"):
        score(
            "truthful_mc",
            predictions=[{"score": [-1.0, -2.0], "length": [3, 4]}, None],
            references=[[1, 0]] * 2,
            length_normalization="byte",
            missing="bounds",
        )


def test_a_comparison_holds_whatever_missing_rows_are():
    rows = {"x": "1" * 9 + "0" * 10 + "....", "y": "0" * 9 + "0" * 10 + "1.00"}
    results = scored(**rows)
    (pair,) = paired_scores(results, combinations(results.systems, 2))
    (comparison,) = compare_pairs([pair])
    known = [[float(digit) for digit in text[:-4]] for text in rows.values()]
    fillings = ([0, 0, 0, 0], [1, 1, 0, 0]), ([1, 1, 1, 1], [1, 0, 0, 0])
    filled = [Differences.of_scores(*map(np.append, known, filling)) for filling in fillings]
    found = [compare_pairs([pair._replace(differences=d, fillings=())])[0] for d in filled]

    assert (comparison["missing_rows"], comparison["rows"]) == (4, 19)
    assert comparison["p_value"] == max(each["p_value"] for each in found)
    ends = [each["confidence_interval"] for each in found]
    assert comparison["confidence_interval"] == [min(ends)[0], max(high for _, high in ends)]
    note = compare(results).tables()[-1].note
    assert "4 rows of x and y are missing: p and interval hold what" in note


def test_missing_rows_count_against_the_gate():
    new, old = scored(bot="1" * 300 + "0" * 60), scored(bot="1" * 300 + "0" * 60)
    gappy = scored(bot="1" * 300 + "0" * 20 + "." * 40)
    options = {"score": "qa_em", "margin": 0.05}

    assert gate(new, old, **options).verdict == "not inferior"
    assert gate(old, gappy, **options).verdict == "cannot tell"
    worst, best = (scored(bot="1" * 300 + "0" * 20 + sign * 40) for sign in "01")
    verdict = gate(gappy, old, **options)
    assert verdict.p_not_inferior == gate(worst, old, **options).p_not_inferior
    assert verdict.p_inferior == gate(best, old, **options).p_inferior
