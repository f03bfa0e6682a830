"""Results in damaged files: one line, never other numbers."""

import json
import math
import random
import re
from dataclasses import replace

import pytest

import metric_commons
from metric_commons.data.files.stored import checksum
from metric_commons.evaluation.results.results import Results
from metric_commons.evaluation.scoring.scoring import score
from metric_commons.module.catalog import catalog
from metric_commons.module.declaration.declarations import REPORTING
from metric_commons.statistics.arguments.domains import score_range
from tests.spec import METRICS, ROOT, specs

ROWS = {"predictions": ["Paris", "Rome", "Oslo"], "references": ["paris", "Rom", "Oslo"]}


@pytest.fixture(scope="module")
def results():
    return score("qa_em", **ROWS, confidence_level=0.9, groups=["a", "a", "b"])


def mutants(text, count):
    """A text with small damages: digits, letters, keys and pieces."""
    dice = random.Random(0)
    for _ in range(count):
        at = dice.randrange(len(text))
        yield dice.choice(
            [
                text[:at] + dice.choice('0123456789"{}[],:-e. ') + text[at + 1 :],
                text[:at] + text[at + dice.randrange(1, 30) :],
                text[:at] + text[at : at + 12] * 2 + text[at + 12 :],
                text[:at],
            ]
        )


def test_damaged_files_are_refused_or_the_same(results):
    refused = 0
    for mutant in mutants(results.to_json(), 400):
        try:
            again = Results.from_json(mutant)
        except ValueError:
            refused += 1
        else:
            assert again.to_dict() == results.to_dict()

    assert refused > 300


def changed(stored, path, value):
    """A file in which one value is another, with a checksum that fits."""
    content = json.loads(stored.to_json())
    del content["sha256"]
    at = content
    *folders, last = path.split(".")
    for key in folders:
        at = at[int(key) if isinstance(at, list) else key]
    at[int(last) if isinstance(at, list) else last] = value
    return json.dumps(content | {"sha256": checksum(content)})


@pytest.fixture(scope="module")
def compared():
    systems = {"a": ROWS["predictions"], "b": ["paris", "x", "y"]}
    results = score(
        "qa_em",
        predictions=systems,
        references=ROWS["references"],
        confidence_level=0.9,
        groups=["a", "a", "b"],
        compare=True,
    )
    inputs = [{"path": "1.jsonl", "sha256": "1" * 64, "rows": 3}]
    return replace(results, provenance=results.provenance | {"inputs": inputs})


# A value of a results file, another one, and what is said about it.
CHANGES = json.loads((ROOT / "tests/cases/changed_results.json").read_text("utf-8"))


@pytest.mark.parametrize(("path", "value", "message"), CHANGES)
def test_values_of_other_types_and_ranges_are_refused(compared, path, value, message):
    with pytest.raises(ValueError, match=re.escape(message)) as raised:
        Results.from_json(changed(compared, path, value))

    assert "\n" not in str(raised.value)
    assert Results.from_json(changed(compared, "format", compared.FORMAT)).systems


def leaves(value, path=()):
    """The paths to all values of a JSON document."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield ".".join([*path, str(key)])
        if isinstance(item, dict | list):
            yield from leaves(item, (*path, str(key)))


@pytest.mark.long
def test_no_value_of_another_type_makes_a_traceback(compared):
    paths = [p for p in leaves(json.loads(compared.to_json())) if p.count("metric-commons") == 0]
    dice = random.Random(0)
    outcomes = []
    for path in dice.sample(paths, 40):
        if path == "sha256":
            continue
        for odd in ("x", -1, 7.5, None, [], {}, True, 10**400, "\x1b[2J"):
            try:
                again = Results.from_json(changed(compared, path, odd))
            except ValueError:
                outcomes.append(False)
            else:
                outcomes.append(bool(again.to_table() and again.to_csv() and again.to_json()))

    assert outcomes.count(False) > 0.7 * len(outcomes)


@pytest.mark.parametrize("name", METRICS)
def test_what_every_module_returns_may_be_stored(name, tmp_path):
    ranges = catalog.score_ranges(name)
    assert ranges == metric_commons.load(name).score_ranges
    for spec in specs(name):
        for key, value in spec.result.items():
            ends = score_range(key, ranges)
            if ends is not None and isinstance(value, int | float) and not math.isnan(value):
                assert ends[0] - 1e-9 <= value <= ends[1] + 1e-9
        for key, (low, high) in spec.ranges.items():
            least, greatest = score_range(key, ranges)
            assert least <= low
            assert greatest >= high - 0.1 or key == "coverage"
        metric = metric_commons.load(name)
        columns = {key: spec.sample[key] for key in metric.input_names if key in spec.sample}
        if "predictions" not in columns:
            continue
        options = {key: value for key, value in spec.sample.items() if key not in columns}
        level = {"confidence_level": 0.9} if "confidence_level" in metric.options else {}
        results = score(name, **columns, options=_of_scores(options), **level, n_resamples=50)
        assert Results.from_json(results.to_json()).to_dict() == results.to_dict()


def _of_scores(options):
    return {name: value for name, value in options.items() if name not in REPORTING}


def test_a_changed_number_is_noticed(results):
    text = results.to_json().replace('"rows": 3', '"rows": 4')
    with pytest.raises(ValueError, match="the content has changed since it was written"):
        Results.from_json(text)
