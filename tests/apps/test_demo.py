"""The examples of a Space's page come out of it as the card has them."""

import json
import math
from functools import cache

import numpy as np
import pytest

from metric_commons import load
from metric_commons.apps.hub.bundling import published_card
from metric_commons.apps.hub.demo import Demo
from metric_commons.apps.hub.page import page, usage, worked_examples
from tests.spec import METRICS, ROOT, nightly
from tests.tables import tabled

pytestmark = pytest.mark.processes

CARD = """\
# Toy

## Usage

```python
>>> import evaluate
>>> toy = evaluate.load("./metrics/toy", size=2)
>>> toy.compute(predictions=["a"], references=["b"])["toy"]
0.5
```

Words between.

```python
>>> data = {"predictions": ["<"], "references": ["c"]}
>>> first = toy.compute(**data, kind="x")
>>> scores = [score for score in range(3)]
>>> toy.compute(predictions=scores)
1
>>> toy.compute(predictions=["a"], references=["b"])
2
>>> other = evaluate.load("./metrics/toy", normalizer=str.lower)
>>> other.compute(**data)
3
>>> round(toy.compute(predictions=data["predictions"]), 1)
4
```

## Inputs

```python
>>> toy.compute(predictions=["never"])
```
"""


def card_of(name):
    return (ROOT / "metrics" / name / "README.md").read_text("utf-8")


@pytest.fixture(autouse=True)
def _programs_may_be_run(monkeypatch):
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")


@cache
def demo_of(name):
    """The demo of a module with the card of its Space."""
    return Demo(load(name), worked_examples(published_card(card_of(name), "acme")))


@pytest.fixture(scope="module")
def demo():
    return demo_of


def score(shown, cells, options):
    """The scores, the header and the rows that a page shows."""
    return tuple(shown.score(cells, options).values())


def same(one, other):
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def test_examples_are_the_calls_that_json_can_hold():
    assert worked_examples(CARD) == [
        {"size": 2, "predictions": ["a"], "references": ["b"]},
        {"size": 2, "predictions": ["<"], "references": ["c"], "kind": "x"},
        {"size": 2, "predictions": [0, 1, 2]},
        {"size": 2, "predictions": ["<"]},
    ]
    assert [len(block) for block in usage(CARD)] == [3, 8]


BY_DAY = ["bleu", "classification", "code_eval", "ir_ranking", "qa_f1"]


@pytest.mark.parametrize(
    "name", [*BY_DAY, *nightly(*(name for name in METRICS if name not in BY_DAY))]
)
def test_the_examples_of_a_card_are_those_of_its_demo(name, demo):
    card, shown = card_of(name), demo(name)

    assert shown.examples
    assert usage(card)[0][-1].want
    for number, example in enumerate(shown.examples):
        scores, names, rows = score(shown, shown.cells(number), shown.options(number))
        plain = {key: value for key, value in example.items() if key not in {"groups"}}
        expected = load(name).compute(**{**plain, **({"per_example": True} if rows else {})})
        if not isinstance(expected, dict):  # as evaluate's own modules
            expected = {example["result_format"]: expected}
        each = expected.pop("per_example", {})
        assert same(scores, without_nan(expected))
        assert names == [*shown.inputs, *each]
        assert [row[len(shown.inputs) :] for row in rows] == [
            [value if isinstance(value, str) else json.dumps(value) for value in row]
            for row in zip(*each.values(), strict=True)
        ]


def without_nan(value):
    if isinstance(value, dict):
        return {key: without_nan(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [without_nan(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


@pytest.mark.parametrize("name", METRICS)
def test_the_page_shows_the_first_example_of_the_card(name):
    card = card_of(name)

    about = {"name": name, "summary": "", "namespace": "acme", "version": "1"}
    html = page(card, **about, requirements=[], files={})

    assert f'evaluate.load("acme/{name}"' in html
    assert "./metrics/" not in html.partition('id="files"')[0]
    last = usage(card)[0][-1]
    assert last.want.replace("&", "&amp;").replace("<", "&lt;").strip() in html


# Cells


@pytest.mark.parametrize(
    ("cell", "value"),
    tabled(__file__, "a_cell_is_a_text_or_json"),
)
def test_a_cell_is_a_text_or_json(cell, value, demo):
    scores, _, _ = score(demo("qa_f1"), [["Paris", cell], ["", ""]], "{}")

    assert scores == load("qa_f1").compute(predictions=["Paris"], references=[value])


@pytest.mark.parametrize("text", ["", " a", "[a]", '"a"', "{", "1", "null", "a\nb", "é"])
def test_any_text_survives_its_cell(text, demo):
    shown = demo("qa_f1")
    cell = shown._to_cell("predictions", text)

    assert cell.strip()
    assert shown._from_cell("predictions", cell, 0) == text


def test_numbers_and_texts_may_share_a_column(demo):
    scores, _, rows = score(demo("win_rate"), [["0.9"], ["0.25"]], '{"ties": "half"}')

    assert scores["win_rate"] == np.mean([0.9, 0.25])
    assert demo("win_rate").score([["win"], ["tie"]], "{}")["scores"]["wins"] == 1
    assert len(rows) == 2


@pytest.mark.parametrize(
    ("cells", "options", "cause"),
    tabled(__file__, "a_wrong_cell_is_named"),
)
def test_a_wrong_cell_is_named(cells, options, cause, demo):
    with pytest.raises(ValueError, match=cause):
        demo("qa_f1").score(cells, options)


def test_nobody_is_asked_whether_programs_may_run(demo):
    assert "allow_execution" not in demo("code_eval").options(0)
