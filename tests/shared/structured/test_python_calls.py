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


def test_threads_read_the_same_calls(impatient_threads):
    expected = read_python_calls(TEXT)
    with ThreadPoolExecutor(8) as pool:
        assert all(calls == expected for calls in pool.map(read_python_calls, [TEXT] * 200))


@pytest.mark.parametrize("failures", [3, 1000])
def test_a_parser_that_another_thread_interrupted_is_asked_again(monkeypatch, failures):
    parse, left = ast.parse, [failures]

    def interrupted(*arguments, **options):
        if left[0]:
            left[0] -= 1
            raise SystemError("AST constructor recursion depth mismatch (before=18, after=12)")
        return parse(*arguments, **options)

    monkeypatch.setattr(ast, "parse", interrupted)
    if failures == 3:
        assert read_python_calls("f(a=1)")[0].arguments == {"a": 1}
    else:
        with pytest.raises(UnreadableCallError, match="beside the other threads"):
            read_python_calls("f(a=1)")
