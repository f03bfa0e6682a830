"""Tables of cases for parametrized tests, one JSON file for each file of tests."""

import json
from functools import cache
from pathlib import Path

import pytest

from tests.spec import ROOT, Spec


def tabled(file, name):
    """The rows of a table of the test file: tuples, or single values, as the table says."""
    found = _tables(Path(file).stem)[name]
    return found["rows"] if "of_values" in found else list(map(tuple, found["rows"]))


def by_table(names, **options):
    """Parametrize a test by the table of its file that has the name of the test."""

    def parametrized(test):
        rows = tabled(test.__code__.co_filename, test.__name__.removeprefix("test_"))
        return pytest.mark.parametrize(names, rows, **options)(test)

    return parametrized


def other_shapes(file):
    """The specs of a module whose inputs have other shapes than those of the `SPEC` of the file."""
    module = Path(file).stem.removeprefix("test_")
    return tuple(Spec(name=module, **fields) for fields in tabled(file, "OTHER_SHAPES"))


@cache
def _tables(stem):
    path = ROOT / "tests" / "cases" / "tables" / f"{stem}.json"
    return json.loads(path.read_text("utf-8"), object_hook=_decoded)


def _decoded(value):
    """What JSON lacks: tuples, sets, numbers that are not finite, other keys, long texts."""
    match value:
        case {"tuple": items, **others} if not others:
            return tuple(items)
        case {"set": items, **others} if not others:
            return set(items)
        case {"float": text, **others} if not others:
            return float(text)
        case {"pairs": pairs, **others} if not others:
            return dict(pairs)
        case {"text": text, "times": times, **others} if not others:
            return text * times
        case {"joined": texts, **others} if not others:
            return "".join(texts)
    return value
