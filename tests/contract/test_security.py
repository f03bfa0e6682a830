"""Each promise of SECURITY.md names tests that exist."""

import re

import pytest

from tests.spec import ROOT

SECTIONS = (
    (ROOT / "SECURITY.md").read_text("utf-8").split("| promise | test |\n| --- | --- |\n")[1:]
)
PROMISES = [
    row.strip("| ").split(" | ")
    for section in SECTIONS
    for row in section.partition("\n\n")[0].splitlines()
]


@pytest.mark.parametrize(("promise", "tests"), PROMISES, ids=range(len(PROMISES)))
def test_a_promise_has_tests(promise, tests):
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", tests)

    assert named
    assert promise.endswith(".")
    for file, test in named:
        assert re.search(rf"^(async )?def {test}\(", (ROOT / file).read_text("utf-8"), re.MULTILINE)
