"""The recorded cases: few bytes, counted in their README, and those that were given."""

import re

import pytest

from tests.cases.derive import FAMILIES, derived
from tests.spec import CASES, GIVEN, recorded


@pytest.mark.skipif(not (GIVEN / "cases").is_dir(), reason=f"{GIVEN / 'cases'} is absent")
@pytest.mark.parametrize("family", FAMILIES)
def test_the_cases_are_those_that_were_given(family):
    assert recorded(family) == derived(family), "run python -m tests.cases.derive"


def test_the_readme_counts_the_cases():
    readme = (CASES / "README.md").read_text("utf-8")
    counts = re.findall(r"^\| `(\w+)` \| (\d+) \|", readme, re.MULTILINE)

    families = [path.name.removesuffix(".jsonl.gz") for path in CASES.glob("*.jsonl.gz")]
    assert {*FAMILIES} <= {*families}
    assert sorted(counts) == sorted((family, str(len(recorded(family)))) for family in families)


def test_the_cases_are_small():
    assert sum(path.stat().st_size for path in CASES.glob("*.gz")) < 1_000_000
