"""Scores of crossed rows, from Python and the command line."""

import json
import random

import pytest

import metric_commons
from metric_commons import Results
from metric_commons.statistics.tests.significance import compare as compare_rows
from tests.apps.files import write_rows

FIELDS = ["item", "template"]
SYSTEMS = ["a", "b"]
CLUSTERS = ["--cluster-by", "item", "--cluster-by", "template"]


@pytest.fixture
def columns():
    draw = random.Random(0)
    cells = [(item, template) for item in range(8) for template in range(4)]
    draw.shuffle(cells)
    return {
        "item": [f"i{item}" for item, _ in cells],
        "template": [template for _, template in cells],
        "references": ["yes"] * len(cells),
        "a": ["yes" if draw.random() < 0.4 + item / 20 else "no" for item, _ in cells],
        "b": ["yes" if draw.random() < 0.3 + template / 20 else "no" for _, template in cells],
    }


@pytest.fixture
def write(tmp_path):
    def write(columns):
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        return write_rows(tmp_path / "rows.jsonl", rows)

    return write


def crossed(columns):
    return {field: columns[field] for field in FIELDS}


def intervals_of_modules(columns):
    module = metric_commons.load("qa_em")
    return {
        system: module.compute(
            predictions=columns[system],
            references=columns["references"],
            clusters=crossed(columns),
            confidence_level=0.9,
        )["confidence_interval"]
        for system in SYSTEMS
    }


def compared_rows(columns, **options):
    scores = [[float(answer == "yes") for answer in columns[system]] for system in SYSTEMS]
    return compare_rows(*scores, clusters=crossed(columns), **options)


def check_comparison(comparison, columns):
    expected = compared_rows(columns, confidence_level=0.9)
    assert expected["test"] == "crossed_t"
    assert {name: comparison[name] for name in expected} == expected


@pytest.mark.parametrize("source", ["table", "file", "columns"])
def test_score_equals_module_and_test_of_rows(columns, write, source):
    predictions = {system: columns[system] for system in SYSTEMS}
    arguments = {
        "table": {"data": columns, "predictions": SYSTEMS, "clusters": FIELDS},
        "file": {"data": write(columns), "predictions": SYSTEMS, "clusters": FIELDS},
        "columns": {"predictions": predictions, "clusters": crossed(columns)},
    }[source]
    references = "references" if "data" in arguments else columns["references"]
    results = metric_commons.score(
        "qa_em", references=references, confidence_level=0.9, compare=True, **arguments
    )
    intervals = {name: results.systems[name]["qa_em"].confidence_interval for name in SYSTEMS}
    assert intervals == intervals_of_modules(columns)
    (comparison,) = results.comparisons
    check_comparison(comparison, columns)


def test_rows_of_two_files_in_another_order_are_matched_by_id(columns):
    ids = [f"{item}/{template}" for item, template in zip(*crossed(columns).values(), strict=True)]
    reverse = {name: column[::-1] for name, column in columns.items()}
    results = [
        metric_commons.score(
            "qa_em",
            predictions={system: of[system]},
            references=columns["references"],
            ids=names,
            clusters=crossed(of),
            rows=True,
        )
        for system, of, names in (("a", columns, ids), ("b", reverse, ids[::-1]))
    ]
    results = metric_commons.compare(*results, confidence_level=0.9)
    check_comparison(results.comparisons[0], columns)


def check_saved(path, columns):
    result = json.loads(path.read_text())
    results = Results.read(path)
    intervals = {name: results.systems[name]["qa_em"].confidence_interval for name in SYSTEMS}
    assert intervals == intervals_of_modules(columns)
    for signed in [*(result["runs"][name]["qa_em"] for name in SYSTEMS), *result["comparisons"]]:
        assert "|clusters=item,template|" in signed["signature"]
    assert "|test=crossed_t|" in result["comparisons"][0]["signature"]
    check_comparison(result["comparisons"][0], columns)


@pytest.mark.parametrize("when", ["scored", "compared"])
def test_saved_rows_are_compared_by_both_fields(columns, write, run, tmp_path, when):
    saved, compared = tmp_path / "result.json", tmp_path / "compared.json"
    later = CLUSTERS if when == "compared" else []
    rows = ["--rows", tmp_path / "scores.jsonl", "--save", saved]
    level = ["--confidence", 0.9]
    run("score", "qa_em", write(columns), "-p", "a", "-p", "b", *CLUSTERS, *level, *rows)
    assert run("compare", saved, *later, *level, "--save", compared)[0] == 0
    check_saved(compared, columns)


def test_gate_counts_both_fields(columns, write, run, tmp_path):
    for system in SYSTEMS:
        files = ["--rows", tmp_path / f"{system}.rows", "--save", tmp_path / system]
        run("score", "qa_em", write(columns), "-p", system, *CLUSTERS, *files)
    gate = ["gate", tmp_path / "a", "--baseline", tmp_path / "b", "--score", "qa_em"]
    options = ["--margin", 0.2, "--confidence", 0.9, "--floor", "qa_em=0.1", "--format", "json"]
    for chosen in ([], CLUSTERS):
        status, out, _ = run(*gate, *options, *chosen)
        compared, floor = json.loads(out)["checks"]
        expected = compared_rows(columns, margin=0.2)
        assert compared["p_not_inferior"] == expected["p_non_inferior"]
        assert floor["confidence_interval"] == intervals_of_modules(columns)["a"]["qa_em"]
        assert status == 3
    status, _, err = run(*gate, "--margin", 0.2, "--sequential", *CLUSTERS)
    assert (status, err) == (2, "--cluster-by is not for --sequential, which counts rows\n")


def test_unbalanced_rows_name_the_missing_combination(columns):
    place = [*zip(*crossed(columns).values(), strict=True)].index(("i3", 2))
    for column in columns.values():
        del column[place]
    for compare in (False, True):
        with pytest.raises(ValueError, match="0 rows have item 'i3' and template '2'"):
            metric_commons.score(
                "qa_em",
                data=columns,
                predictions=SYSTEMS,
                clusters=FIELDS,
                confidence_level=None if compare else 0.9,
                compare=compare,
            )


def test_refused(columns):
    table = {"data": columns, "predictions": SYSTEMS, "clusters": FIELDS}
    with pytest.raises(ValueError, match="crossed clusters are for means of rows, and bleu is"):
        metric_commons.score("bleu", compare=True, **table)
    with pytest.raises(ValueError, match="clusters of several fields are for means of rows alone"):
        metric_commons.score("bleu", confidence_level=0.9, **table)
    with pytest.raises(ValueError, match="crossed clusters are for means of rows, and kendall"):
        metric_commons.score(
            "ranking_agreement",
            predictions={"a": [0.0, 0.0, 0.0, 1.0], "b": [1.0, 0.0, 0.0, 0.0]},
            references=[3.0, 1.0, 2.0, 4.0],
            clusters={"item": [0, 0, 1, 1], "template": [0, 1, 0, 1]},
            compare=True,
        )
