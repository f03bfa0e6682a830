"""The demo of a Space: the examples of the card come out of it as the card has them."""

import json
import math
import os
import subprocess
import sys
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from itertools import takewhile
from socket import socket

import numpy as np
import pytest

from metric_commons import load
from metric_commons.apps.hub.bundling import _GRADIO, bundle, published_card
from metric_commons.apps.hub.demo import Demo, module_name, roc_points, usage, worked_examples
from metric_commons.apps.hub.page import page
from tests.spec import METRICS, ROOT, nightly

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


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The demo of a module with the card of its Space: of its bundle, or of this clone.

    What is compiled for a bundle takes ten times as long; test_bundle.py shows that all bundles
    have the scores of their scripts.
    """

    @cache
    def demo(name, is_bundled=False):
        folder = tmp_path_factory.mktemp("space")
        if is_bundled:
            return Demo(bundle(name, folder, sdk="gradio"))
        (folder / "README.md").write_text(published_card(card_of(name), "acme"), "utf-8")
        return Demo(folder, lambda _: load(name))

    return demo


def same(one, other):
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def test_examples_are_the_calls_that_are_spelled_out():
    assert worked_examples(CARD) == [
        {"size": 2, "predictions": ["a"], "references": ["b"]},
        {"size": 2, "predictions": ["<"], "references": ["c"], "kind": "x"},
    ]
    assert module_name(CARD) == "toy"
    assert [len(block) for block in usage(CARD)] == [3, 8]


BUNDLED_BY_DAY = ("qa_f1", "code_eval")


@pytest.mark.parametrize(
    ("name", "is_bundled"),
    [
        *((name, name in BUNDLED_BY_DAY) for name in METRICS),
        *nightly(*((name, True) for name in METRICS if name not in BUNDLED_BY_DAY)),
    ],
)
def test_the_examples_of_a_card_are_those_of_its_demo(name, is_bundled, demo):
    card, shown = card_of(name), demo(name, is_bundled)

    assert shown.name == name
    assert shown.examples
    assert usage(card)[0][-1].want
    for number, example in enumerate(shown.examples):
        scores, names, rows = shown.score(shown.cells(number), shown.options(number))
        plain = {key: value for key, value in example.items() if key not in {"groups"}}
        expected = load(name).compute(**{**plain, **({"per_example": True} if rows else {})})
        each = expected.pop("per_example", {})
        assert same(scores, without_nan(expected))
        assert names == [*shown.inputs, *each]
        assert [row[len(shown.inputs) :] for row in rows] == [
            [value if isinstance(value, str) else json.dumps(value) for value in row]
            for row in zip(*each.values(), strict=True)
        ]
        again = shown.score_lines(shown.lines(number), shown.options(number))
        assert again == (scores, names, rows)


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
    [
        ("Paris", "Paris"),
        ("1889", "1889"),
        ("true", "true"),
        ('"Paris"', "Paris"),
        ('""', ""),
        ('["Paris", "Lutetia"]', ["Paris", "Lutetia"]),
        ('say "yes"', 'say "yes"'),
    ],
)
def test_a_cell_is_a_text_or_json(cell, value, demo):
    scores, _, _ = demo("qa_f1").score([["Paris", cell], ["", ""]], "{}")

    assert scores == load("qa_f1").compute(predictions=["Paris"], references=[value])


@pytest.mark.parametrize("text", ["", " a", "[a]", '"a"', "{", "1", "null", "a\nb", "é"])
def test_any_text_survives_its_cell(text, demo):
    shown = demo("qa_f1")
    cell = shown._to_cell("predictions", text)

    assert cell.strip()
    assert shown._from_cell("predictions", cell, 0) == text


def test_numbers_and_texts_may_share_a_column(demo):
    scores, _, rows = demo("win_rate").score([["0.9"], ["0.25"]], '{"ties": "half"}')

    assert scores["win_rate"] == np.mean([0.9, 0.25])
    assert demo("win_rate").score([["win"], ["tie"]], "{}")[0]["wins"] == 1
    assert len(rows) == 2


@pytest.mark.parametrize(
    ("cells", "options", "cause"),
    [
        ([["Paris", '["Paris"']], "{}", r"references\[0\] is .*; not JSON"),
        ([["Paris", "[1]"]], "{}", r"references\[0\]\[0\] is 1"),
        ([["Paris", "Paris"]], "{", "the options are not JSON"),
        ([["Paris", "Paris"]], "[]", "must be a JSON object"),
        ([["", ""]], "{}", "predictions is empty"),
    ],
)
def test_a_wrong_cell_is_named(cells, options, cause, demo):
    with pytest.raises(ValueError, match=cause):
        demo("qa_f1").score(cells, options)


@pytest.mark.parametrize(
    ("lines", "cause"),
    [('{"predictions": "a"}', "line 1: KeyError"), ("\n[1]\n", "line 2"), ("a", "line 1")],
)
def test_a_wrong_line_is_named(lines, cause, demo):
    with pytest.raises(ValueError, match=f"{cause}.*expected predictions, references"):
        demo("qa_f1").score_lines(lines, "{}")


def test_shared_words_are_marked(demo):
    marked = demo("qa_f1").shared_words([["The Cat, sat on", '["the cat", "dog"]'], ["x", "y"]])

    assert marked == [
        ("The ", "shared"),
        ("Cat, ", "shared"),
        ("sat ", None),
        ("on ", None),
        ("\n", None),
        ("x ", None),
        ("\n", None),
    ]
    assert demo("pass_at_k").shared_words([["[1, 0]"]]) == []


def test_a_curve_is_drawn_for_two_labels_or_each(demo):
    shown = demo("classification")
    two, _, _ = shown.score([["0.1", "0"], ["0.4", "0"], ["0.35", "1"]], '{"curves": true}')
    rows = [["[0.2, 0.3, 0.5]", "2"], ["[0.6, 0.3, 0.1]", "0"]]
    three, _, _ = shown.score(rows, '{"curves": true, "labels": [0, 1, 2]}')

    assert roc_points(two) == [
        (fpr, tpr, "ROC")
        for fpr, tpr in zip(two["roc_curve"]["fpr"], two["roc_curve"]["tpr"], strict=True)
    ]
    assert {label for _, _, label in roc_points(three)} == {"0", "2"}  # no row is of 1
    assert roc_points({"accuracy": 1.0, "labels": [0, 1]}) == []
    assert shown.shared_words([["0.1", "0"]]) == []


# The page of gradio


@contextmanager
def served(name, folder):
    """A client of the demo of a module, which runs as it does in a Space: on its own."""
    client = pytest.importorskip("gradio_client", reason="the extra hub is not installed")
    pytest.importorskip("gradio", reason="the extra hub, with gradio, is not installed")
    with socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    space = bundle(name, folder, sdk="gradio")
    settings = {"GRADIO_SERVER_PORT": str(port), "GRADIO_ANALYTICS_ENABLED": "0"}
    with subprocess.Popen(
        [sys.executable, "app.py"],
        cwd=space,
        env={**os.environ, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            lines = iter(process.stdout.readline, "")
            printed = "".join(takewhile(lambda line: str(port) not in line, lines))
            assert process.poll() is None, printed
            yield client.Client(f"http://127.0.0.1:{port}", verbose=False)
        finally:
            process.kill()


@pytest.mark.slow  # gradio; what it shows is asked of `Demo` above
@pytest.mark.parametrize("name", ["qa_f1", "paired_significance"])
def test_a_client_gets_the_scores_of_the_card(name, demo, tmp_path):
    shown = demo(name)
    table = {"headers": shown.inputs, "data": shown.cells(0), "metadata": None}
    with served(name, tmp_path) as client:
        scores, rows, _, words = client.predict(table, shown.options(0), api_name="/score")
        again, *_ = client.predict(shown.lines(0), shown.options(0), api_name="/score_lines")
        with pytest.raises(Exception, match="line 1: KeyError"):
            client.predict('{"a": 1}', "{}", api_name="/score_lines")

    expected, names, each = shown.score(shown.cells(0), shown.options(0))
    assert same(scores, expected)
    assert same(again, expected)
    assert rows["visible"] == bool(each)
    assert not each or (rows["value"]["headers"], rows["value"]["data"]) == (names, each)
    assert len(words["value"] or []) == len(shown.shared_words(shown.cells(0)))


def test_the_version_in_the_front_matter_is_that_of_today():
    if find_spec("gradio") is None:
        pytest.skip("the extra hub, with gradio, is not installed")

    assert f"sdk_version: {version('gradio').split('.')[0]}." in _GRADIO


def test_what_a_space_runs_is_not_for_visitors_to_say(demo):
    shown = demo("code_eval")

    assert "allow_execution" not in shown.options(0)
    with pytest.raises(ValueError, match="is set by the owner of this Space"):
        shown.score(shown.cells(0), '{"allow_execution": true}')
