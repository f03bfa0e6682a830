"""Calls, lists and tests written as Python, read in many threads at once."""

import ast
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from metric_commons.data.harness_logs.lm_eval import literal_list, reference
from metric_commons.programs.reference_tests import read_test_program
from metric_commons.statistics.arguments.python_syntax import syntax_tree
from metric_commons.structured.python_calls import UnreadableCallError, read_python_calls

CALLS = f"[{', '.join(f'f(a={number}, b=[1, [2]])' for number in range(60))}]"
LISTS = f"[{', '.join(f'({number}, [1, [2]])' for number in range(60))}]"


def _target(text):
    """The target of a row of lm-eval, which is logged as text."""
    return reference({"target": text})


@pytest.fixture
def impatient_threads():
    """Threads that interrupt each other as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.long
@pytest.mark.parametrize(
    ("read", "text"), [(read_python_calls, CALLS), (literal_list, LISTS), (_target, LISTS)]
)
def test_threads_read_the_same_values(impatient_threads, read, text):
    expected = read(text)
    with ThreadPoolExecutor(8) as pool:
        assert all(values == expected for values in pool.map(read, [text] * 200))


@pytest.fixture
def interrupted_parser(monkeypatch):
    """A function that makes the parser fail a number of times, as beside other threads."""

    def fail(times):
        failures = iter(range(times))

        def interrupted(*arguments, **options):
            for _ in failures:
                raise SystemError("AST constructor recursion depth mismatch (before=18, after=12)")
            return parse(*arguments, **options)

        monkeypatch.setattr(ast, "parse", interrupted)

    parse = ast.parse
    return fail


def test_a_parser_that_another_thread_interrupted_is_asked_again(interrupted_parser):
    interrupted_parser(3)

    assert read_python_calls("f(a=1)")[0].arguments == {"a": 1}
    interrupted_parser(3)
    assert literal_list("[1, 'a']") == ["1", "a"]
    interrupted_parser(3)
    assert read_test_program("def test_f(): assert f(1)").test_names == ("test_f",)


def test_a_parser_that_always_fails_is_given_up(interrupted_parser):
    interrupted_parser(1000)

    with pytest.raises(UnreadableCallError, match="beside the other threads"):
        read_python_calls("f(a=1)")
    with pytest.raises(SystemError, match="beside the other threads"):
        syntax_tree("1", "eval")
