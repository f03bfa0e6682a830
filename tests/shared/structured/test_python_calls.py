"""Calls written as Python, read in many threads at once."""

import ast
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from metric_commons.structured.python_calls import UnreadableCallError, read_python_calls

TEXT = f"[{', '.join(f'f(a={number}, b=[1, [2]])' for number in range(60))}]"


@pytest.fixture
def impatient_threads():
    """Threads that interrupt each other as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.long
def test_threads_read_the_same_calls(impatient_threads):
    expected = read_python_calls(TEXT)
    with ThreadPoolExecutor(8) as pool:
        assert all(calls == expected for calls in pool.map(read_python_calls, [TEXT] * 200))


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


def test_a_parser_that_always_fails_is_given_up(interrupted_parser):
    interrupted_parser(1000)

    with pytest.raises(UnreadableCallError, match="beside the other threads"):
        read_python_calls("f(a=1)")
