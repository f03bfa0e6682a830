"""Tables in LaTeX: what is in them, and that TeX sets them."""

import re
import shutil
import subprocess

import pytest

from metric_commons.evaluation.scoring.scoring import score

pytestmark = pytest.mark.processes

ROWS = 30
GOLD = [f"answer {row}" for row in range(ROWS)]
NAMES = ["50%_$mall & {odd}#1", "Zürich~^\\2", "c"]


def results(names=NAMES, **options):
    systems = {
        name: [*GOLD[: ROWS - 9 * number % ROWS], *["no"] * (9 * number % ROWS)]
        for number, name in enumerate(names)
    }
    return score(["qa_em", "qa_f1"], predictions=systems, references=GOLD, compare=True, **options)


def test_a_table_is_a_float_with_its_legend_inside():
    text = results(confidence_level=0.9, groups=["x", "y"] * 15).choose(["qa_em"]).to_latex("all")
    floats = re.findall(r"\\begin{table}.*?\\end{table}", text, re.DOTALL)

    assert len(floats) == 4
    assert "resizebox" not in text
    captions = {
        "scores": r"Scores with 90\% intervals",
        "scores-of-groups": r"Scores of groups with 90\% intervals",
        "ranks": "Ranks",
        "differences-of-systems": "Differences of systems",
    }
    for each, (label, caption) in zip(floats, captions.items(), strict=True):
        assert rf"\caption{{{caption}.}}" in each
        assert rf"\label{{tab:{label}}}" in each
    assert "Systems whose scores share a letter cannot be told apart." in floats[0]
    assert "does not show that the systems are equal" in floats[3]
    outside = re.sub(r"\\begin{table}.*?\\end{table}", "", text, flags=re.DOTALL)
    assert all(not line or line.startswith("%") for line in outside.splitlines())


def test_numbers_are_typographic_and_letters_are_raised():
    scored = results(confidence_level=0.9)
    text = scored.to_latex("differences")

    assert r"Diff(A-B) & 90\% interval & p\_adjusted \\" in text
    assert not re.search(r"[ \[{](-|\+)\d", text)
    assert "$+$0.30" in text
    assert r"\textsuperscript{a} [0." in scored.to_latex()


def test_a_table_has_the_caption_and_the_label_that_were_asked_for():
    text = results().to_latex("ranks", caption=r"Ranks on \textsc{nq}", label="tab:nq")

    assert r"\caption{Ranks on \textsc{nq}}" in text
    assert r"\label{tab:nq}" in text
    with pytest.raises(ValueError, match="a caption and a label are for one table, not for 3"):
        results().to_latex("all", caption="All")
    with pytest.raises(ValueError, match="there is no table of groups, only of scores, ranks"):
        results().to_latex("groups")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
@pytest.mark.parametrize("names", [NAMES, [f"s{number}" for number in range(4)]])
def test_tex_sets_the_tables(tmp_path, names):
    scored = results(names, confidence_level=0.95, groups=["x", "y"] * 15)
    text = scored.choose(["qa_em"]).to_latex("all")
    head = r"\documentclass{article}\usepackage{booktabs}"
    page = f"{head}\n\\begin{{document}}\n{text}\n\\end{{document}}\n"
    (tmp_path / "page.tex").write_text(page)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")

    assert done.returncode == 0, done.stdout
