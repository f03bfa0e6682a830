"""Texts of models may be anything: each has scores, within seconds, and none is evaluated."""

import json

import pytest

from metric_commons import load
from metric_commons.structured.call_texts import read_calls
from metric_commons.structured.json_texts import NESTING, InvalidJsonError, read_json
from metric_commons.structured.python_calls import UnreadableCallError
from tests.spec import nightly

MILLION = 1_000_000  # quadratic time would be hours
HOSTILE = {
    "brackets": "[" * MILLION,
    "pairs of brackets": "[]" * (MILLION // 2),
    "empty lists": f"[{'[],' * (MILLION // 3)}[]]",
    "braces": '{"a":' * (MILLION // 5),
    "nested": "[" * 5_000 + "]" * 5_000,
    "digits": "9" * MILLION,
    "a number in a call": f"[f(a={'9' * MILLION})]",
    "a power": "[f(a=2**99999999)]",
    "powers": "[f(a=9**9**9**9)]",
    "products": f"[f(a={'*'.join(['999999**64'] * 2_000)})]",
    "a shift": "[f(a=1<<99999999)]",
    "repetition": "[f(a='a'*99999999)]",
    "signs": f"[f(a={'-' * 100_000}1)]",
    "sums": f"[f(a={'1+' * 100_000}1)]",
    "attributes": f"[{'a.' * 100_000}f()]",
    "calls of calls": f"[{'f(a=' * 50_000}1{')' * 50_000}]",
    "parentheses in a call": f"[f(a={'(' * MILLION})]",
    "tags": "<tool_call>" * (MILLION // 11),
    "closing tags": "<tool_call>" + "</tool_call>" * (MILLION // 12),
    "fences": "```" * (MILLION // 3),
    "an open fence": "```json\n" + " " * MILLION,
    "backquotes and spaces": "```\n" + " " * MILLION + "x```",
    "blanks": " " * MILLION + "x",
    "names": "a" * MILLION,
    "a name and blanks": "f" + " " * MILLION,
    "a message": json.dumps({"role": "assistant", "content": "[" * 100_000}),
    "null bytes": "[f(a='\0')]",
    "code": "[f(a=__import__('os').system('true'))]",
    "a formatted text": "[f(a=f'{1}')]",
    "a walrus": "[f(a=(b:=1))]",
    "a comprehension": "[f(a=[x for x in range(10**9)])]",
    "lambda": "[f(a=lambda: 1)]",
    "keys": "[f(a={[1]: 2})]",
    "set": "[f(a={1, 2})]",
    "bytes": "[f(a=b'x')]",
    "complex": "[f(a=1j)]",
    "root": "[f(a=(-8)**0.5)]",
    "surrogates": "[f(a='\\ud800')]",
}
ROWS = {
    "tool_calls": [{"name": "f", "arguments": {"a": 1}}],
    "json_match": [[], [[]], {"a": 1}, "x"],
}


@pytest.mark.long
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("module", ROWS)
def test_a_text_is_never_an_error(module, name):
    result = load(module).compute(predictions=[HOSTILE[name]], references=[ROWS[module]])

    assert 0.0 <= result["f1"] < 1.0
    assert result["expected"] > 0


@pytest.mark.long
@pytest.mark.parametrize("list_order", ["ordered", "any"])
def test_long_lists_by_path(list_order):
    text = f"[{'[],' * 50_000}[]]"
    rows = {"predictions": [text], "references": [[[], [1], {"a": 2}]]}
    found = load("json_match", list_order=list_order).compute(**rows, by_path=True)

    assert (found["matched"], found["predicted"]) == (1, 50_001)
    assert found["by_path"]["$[]"]["matched"] == 1


MANY = 3_000
MANY_TEXTS = ", ".join(f"f(a={n})" for n in range(MANY))
CALLS = [{"name": "f", "arguments": {"a": n}} for n in range(MANY)]


@pytest.mark.long
@pytest.mark.parametrize("match", ["any_order", "in_order", *nightly("same_order", "superset")])
def test_thousands_of_calls(match):
    metric = load("tool_calls", match=match)
    equal = metric.compute(predictions=[f"[{MANY_TEXTS}]"], references=[CALLS])
    few = metric.compute(predictions=[f"[{MANY_TEXTS}]"], references=[CALLS[3:4] * 2])
    swapped = [*CALLS[2:], CALLS[1], CALLS[0]]
    other = metric.compute(predictions=[f"[{MANY_TEXTS}]"], references=[swapped])

    assert equal["exact_match"] == equal["partial_match"] == 1.0
    assert (few["matched"], few["partial_match"]) == (1, 1 / MANY)
    assert other["matched"] == (MANY - 2 if match in ("same_order", "in_order") else MANY)


@pytest.mark.long
def test_thousands_of_calls_with_alternatives():
    accepted = [{"name": "f", "arguments": {"a": [1, 2]}}, {"name": "f", "arguments": {"a": [1]}}]
    found = load("tool_calls", alternatives=True).compute(
        predictions=[f"[{MANY_TEXTS}]"], references=[accepted]
    )

    assert found["matched"] == 2


def test_nothing_is_evaluated(tmp_path):
    path = tmp_path / "written"
    text = f"[f(a=open({str(path)!r}, 'w'))]"

    assert read_calls(text)[0].arguments["a"].startswith("open(")
    assert not path.exists()


def test_the_limit_of_nesting_does_not_depend_on_the_reader():
    within, beyond = ("[" * depth + "1" + "]" * depth for depth in (NESTING, NESTING + 1))

    assert read_json(within)
    with pytest.raises(InvalidJsonError, match="more than 256 levels"):
        read_json(beyond)
    rows = {"predictions": [within], "references": [within.replace("1", "2")]}
    for list_order in ("ordered", "any"):
        found = load("json_match", list_order=list_order, nulls="absent", abs_tol=0.5).compute(
            **rows, by_path=True
        )
        assert (found["valid"], found["matched"]) == (1.0, 0)
    assert read_json("[[], [[]], {}]" * 1) == [[], [[]], {}]


@pytest.mark.parametrize("text", ["[f(a=1", "f(a=1) and g()", "[f()()]", "[f(*a)]"])
def test_unreadable_calls(text):
    with pytest.raises(UnreadableCallError):
        read_calls(text, "python")
