"""Figures of published judgments: 1,485 answers with the verdicts of people and of a judge."""

import csv
import json
import math

import pytest
from scipy import stats

from metric_commons import load
from tests.spec import GIVEN

FOLDER = GIVEN / "data" / "preferences"
pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason=f"no published judgments at {FOLDER}")


@pytest.fixture(scope="module")
def figures():
    return json.loads((FOLDER / "figures.json").read_text())["nq301"]


@pytest.fixture(scope="module")
def rows():
    with (FOLDER / "nq301_judges.csv").open() as file:
        return list(csv.DictReader(file))


def agree(result, expected):
    for name, value in expected.items():
        if isinstance(value, dict):
            agree(result[name], value)
        else:
            assert result[name] == pytest.approx(value, rel=1e-9, abs=1e-9), name


def test_agreement_with_people(figures, rows):
    agreement = load("judge_agreement")
    columns = {
        "predictions": [int(row["gpt4"]) for row in rows],
        "references": [int(row["human"]) for row in rows],
    }
    agree(
        agreement.compute(**columns), {name: figures[name] for name in ("agreement", "cohen_kappa")}
    )
    for name, expected in figures["agreement_intervals"].items():
        measures = list(expected["confidence_interval"])
        options = {"measures": measures, "confidence_level": 0.95}
        if name.endswith("clusters"):
            options["clusters"] = [row["id"] for row in rows]
        elif name == "bootstrap":
            options["interval"] = name
        found = agreement.compute(**columns, **options)
        for measure, ends in expected["confidence_interval"].items():
            low, high = found["confidence_interval"][measure]
            if name == "linearized":  # irrCAC's, Student's around the value
                reach = stats.t.ppf(0.975, len(rows) - 1) * found["standard_error"][measure]
                low, high = found[measure] - reach, found[measure] + reach
            # Others were recorded with a cautious variance, or other draws.
            nearly = 1e-9 if name == "linearized" else 0.01
            assert [low, high] == pytest.approx(ends, abs=nearly)


@pytest.mark.long
def test_annotators_with_holes(figures, rows):
    names = ("annotator1", "annotator2", "annotator3")
    ratings = [[float(row[name]) if row[name] else None for name in names] for row in rows]
    agreement = load("judge_agreement")
    alpha = agreement.compute(predictions=ratings, measures="krippendorff_alpha")
    expected = figures["annotators"]
    assert alpha["krippendorff_alpha"] == pytest.approx(expected["krippendorff_alpha_nominal"])
    peers = {"gwet": "gwet_ac", "fleiss": "fleiss_kappa"}
    result = agreement.compute(
        predictions=ratings, measures=list(peers.values()), confidence_level=0.95
    )
    for short, name in peers.items():
        value, error = expected["irrCAC"][short]
        assert result[name] == pytest.approx(value, abs=1e-12)
        assert result["standard_error"][name] == pytest.approx(error, abs=1e-12)


def test_corrected_rates(figures, rows):
    verdicts = [float(row["gpt4"]) for row in rows]
    people = [float(row["human"]) for row in rows]
    clusters = [row["id"] for row in rows]
    chosen = {
        "first_200_rows": range(200),
        "rows_i_7919_mod_1485_below_200": [row for row in range(1485) if 7919 * row % 1485 < 200],
    }
    modes = {
        "auto": {},
        "auto_clusters": {"clusters": clusters},
        "normal": {},
    }
    corrected = load("judge_corrected")
    for sample, labelled in chosen.items():
        labels = [math.nan] * 1485
        for row in labelled:
            labels[row] = people[row]
        for mode in modes:
            expected = figures["judge_corrected_intervals"][sample][mode]
            result = corrected.compute(predictions=verdicts, references=labels, **modes[mode])
            ends = result["confidence_interval"]["judge_corrected"]
            # Recorded ends of "auto" are of a cautious variance, and ours of an unseen row.
            nearly = 0.025
            if mode == "normal":
                reach = stats.norm.ppf(0.975) * result["standard_error"]
                ends, nearly = [expected[0] - reach, expected[0] + reach], 1e-9
            assert result["judge_corrected"] == pytest.approx(expected[0], abs=1e-9)
            assert ends == pytest.approx(expected[1:], abs=nearly)
    labels = people[:200] + [math.nan] * 1285
    result = corrected.compute(predictions=verdicts, references=labels, method="rogan_gladen")
    ends = result["confidence_interval"]["judge_corrected"]
    value, *published = figures["judge_corrected"]["rogan_gladen"]
    assert result["judge_corrected"] == pytest.approx(value, abs=1e-9)
    assert ends == pytest.approx(published, abs=0.03)
    assert result["judged_rate"] == pytest.approx(
        figures["judge_corrected"]["judged_rate_of_the_rest"]
    )
