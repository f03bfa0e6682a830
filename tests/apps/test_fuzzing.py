"""Hostile input: every outcome is a right result, or an error of one line.

The normal run takes some seconds; the slow one runs for FUZZ_SECONDS (60 by default) with new input
every time, after what was found before.
"""

import os
import random

import pytest

import metric_commons
from tests.apps.probes import FILES, LONGEST, ODD, PROBES, corpus, damaged, is_read, outcome

pytestmark = pytest.mark.processes


@pytest.mark.parametrize(("name", "data"), corpus())
def test_what_was_found_before_is_read_or_refused(tmp_path, name, data):
    is_read(tmp_path / name, data, FILES[name][1])


@pytest.mark.parametrize("name", FILES)
def test_damaged_files_are_read_or_refused(tmp_path, name):
    text, read = FILES[name]
    dice = random.Random(name)
    path = tmp_path / name
    data = text().encode()
    outcomes = [is_read(path, damaged(data, dice), read) for _ in range(150)]

    assert is_read(path, data, read)
    assert sum(outcomes) < len(outcomes)
    assert sum(outcomes) > 0 or name in ("result.json", "rows.jsonl")  # a checksum, a header


@pytest.mark.parametrize("name", PROBES)
def test_hostile_input_is_taken_or_refused(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    dice = random.Random(name)
    tried = 8 if name.startswith("bombs") else 40
    outcomes = [outcome(PROBES[name], dice, tmp_path) for _ in range(tried)]

    assert [(kind, fault) for kind, fault in outcomes if kind in ("wrong", "hung")] == []
    assert "refused" in [kind for kind, _ in outcomes]


@pytest.mark.parametrize("module", ["qa_f1", "classification", "regression", "ir_ranking", "bleu"])
def test_odd_options_are_accepted_or_refused(module):
    options = metric_commons.load(module).declared_options
    errors = []
    for option in options.values():
        for value in ODD:
            try:
                option.check(value)
            except ValueError as error:
                errors.append(str(error))

    assert len(errors) > len(options)
    assert not any("\n" in error or len(error) > LONGEST for error in errors)


@pytest.mark.slow
def test_new_input_for_a_while(run_for_a_while):
    done = run_for_a_while("tests.apps.probes", os.environ.get("FUZZ_SECONDS", "60"))

    assert done.returncode == 0, done.stderr
