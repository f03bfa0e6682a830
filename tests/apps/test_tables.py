import re

import pytest

from metric_commons.apps.console import outputs
from metric_commons.evaluation.scoring.scoring import score

GOLD = ["x"] * 12
SYSTEMS = {"good": ["x"] * 12, "bad": ["y"] * 12}


@pytest.fixture
def shown(capsys, monkeypatch):
    def shown(width=200, **options):
        monkeypatch.setenv("COLUMNS", str(width))
        results = score("qa_em", predictions=SYSTEMS, references=GOLD, **options)
        outputs.Presentation(explain=True).show(results)
        return results, capsys.readouterr().out

    return shown


def test_a_narrow_screen_has_every_column_of_comparisons(shown):
    results, text = shown(width=60, compare=True)

    below = text.partition("Bold:")[2].partition("paired_significance")[0]
    for name in results.tables()[-1].header:
        assert re.search(rf"(^|\s){re.escape(name)}(\s|$)", below, re.MULTILINE)


def test_the_small_print_is_short_and_the_rest_comes_when_asked_for(capsys):
    systems = {**SYSTEMS, "half": ["x"] * 6 + ["y"] * 6}
    results = score("qa_em", predictions=systems, references=GOLD, compare=True)
    outputs.Presentation().show(results)
    text = " ".join(capsys.readouterr().out.split())
    notes = [table.note for table in results.tables()]

    assert sum(len(note.split()) for note in notes) <= 60
    assert notes[0] in text
    assert len(re.findall("─+", text)) == 1, "one table"
    assert "simultaneous" not in text
    assert "paired_significance|" not in text
    outputs.Presentation(explain=True).show(results)
    text = " ".join(capsys.readouterr().out.split())
    assert "simultaneous for all comparisons" in text
    assert "paired_significance|" in text


@pytest.mark.parametrize("pair", [("old", "new"), ("new", "old")])
def test_the_sentence_about_a_pair_has_the_sign_of_the_table(capsys, pair):
    answers = {"old": ["x", "y", "y", "x"], "new": ["x", "x", "x", "x"]}
    systems = {name: answers[name] for name in pair}
    results = score("qa_em", predictions=systems, references=["x"] * 4, compare=True)
    outputs.Presentation().show(results)
    text = capsys.readouterr().out

    assert text.startswith("No difference is significant: qa_em +0.5 [")
    assert re.search(r"^new +old +qa_em .* \+0\.50", text, re.MULTILINE)


def test_a_column_wider_than_the_screen_has_a_page_of_its_own():
    table = outputs.Table(["system", "x" * 90, "y"], [["a", "1", "2"]], 1, set())

    assert list(outputs._pages(table, 80)) == [[1], [2]]
