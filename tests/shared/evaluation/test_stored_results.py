"""Results, parts and states in files that somebody has changed: one line, never other numbers."""

import json
import random
import re

import pytest

from metric_commons.evaluation.parts import Part
from metric_commons.evaluation.results import Results
from metric_commons.evaluation.scoring import score
from metric_commons.evaluation.state import State

ROWS = {"predictions": ["Paris", "Rome", "Oslo"], "references": ["paris", "Rom", "Oslo"]}


@pytest.fixture(scope="module")
def results():
    return score("qa_em", **ROWS, confidence_level=0.9, groups=["a", "a", "b"])


@pytest.fixture
def part():
    state = State("qa_em")
    state.update(**ROWS)
    source = {"path": "1.jsonl", "sha256": "1" * 64, "rows": 3}
    return Part({"bot": {"qa_em": state}}, [source])


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


def test_damaged_files_are_refused_or_the_same(results, part):
    refused = 0
    for stored, kind in ((results, Results), (part, Part), (part.states["bot"]["qa_em"], State)):
        text = stored.to_json()
        for mutant in mutants(text, 300):
            try:
                again = kind.from_json(mutant)
            except ValueError:
                refused += 1
            else:
                assert again.to_dict() == stored.to_dict()

    assert refused > 800


OLDER = {"format": "metric-commons/2", "comparisons": [], "provenance": {}}
MODULE = {
    "options": {},
    "rows": 3,
    "scores": {"qa_em": 0.5},
    "confidence_interval": {},
    "groups": {},
    "signature": "qa_em",
}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rows": "3"}, "rows must be an integer, at least 1, got '3'"),
        ({"rows": True}, "rows must be an integer"),
        ({"rowss": 3}, "there is no key 'rowss' of a module; did you mean 'rows'?"),
        ({"scores": {}}, "a module lacks scores"),
        ({"scores": 7.5}, "scores must be an object"),
        ({"signature": 1}, "signature must be a string"),
        ({"lower_is_better": "qa_em"}, "lower_is_better must be a list"),
        ({"confidence_interval": {"qa_em": [1, 0]}}, "not two ends"),
        ({"confidence_interval": {"qa_em": [1]}}, "not two ends"),
        ({"options": None}, "options must be an object"),
    ],
)
def test_older_results_have_types(changes, message):
    content = {**OLDER, "systems": {"bot": {"qa_em": MODULE | changes}}}
    with pytest.raises(ValueError, match=re.escape(message)):
        Results.from_json(json.dumps(content))
    Results.from_json(json.dumps({**OLDER, "systems": {"bot": {"qa_em": MODULE}}}))


def test_a_changed_number_is_noticed(results):
    text = results.to_json().replace('"rows": 3', '"rows": 4')
    with pytest.raises(ValueError, match="the content has changed since it was written"):
        Results.from_json(text)


def test_nothing_is_merged_into_itself(part):
    for stored in (part, part.states["bot"]["qa_em"]):
        with pytest.raises(ValueError, match="cannot be merged into itself"):
            stored.merge(stored)


def test_a_shard_is_known_by_its_content(part):
    other = Part.from_json(part.to_json())
    other.inputs[0]["path"] = "copy.jsonl"
    with pytest.raises(ValueError, match=r"copy.jsonl are in both parts, there as 1.jsonl"):
        part.merge(other)
    part.merge(other, allow_equal_shards=True)

    assert len(part.states["bot"]["qa_em"]) == 6
