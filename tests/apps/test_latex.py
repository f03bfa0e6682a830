"""Tables in LaTeX: what is in them, and that TeX sets them."""

import re
import shutil
import subprocess

import pytest

from metric_commons.evaluation.results.latex import _typeset, as_latex
from metric_commons.evaluation.results.rendering import Cell, Table
from metric_commons.evaluation.scoring.scoring import score

pytestmark = pytest.mark.processes

ROWS = 30
GOLD = [f"answer {row}" for row in range(ROWS)]
LONG = [f"s{number}" for number in range(50)]
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


def test_numbers_are_typographic_and_headings_are_words():
    text = results().to_latex("differences")

    for raw in ("A_mean", r"A\_mean", "p_bonferroni", r"p\_bonferroni", "Diff(A-B)"):
        assert raw not in text
    assert r"A $-$ B" in text
    assert "$p$ (Bonferroni)" in text
    assert r"95\,\% interval" in text
    assert not re.search(r"[ \[](-|\+)\d", text)
    assert "$+$0.30" in text
    assert "mean of A" not in text  # which the table of scores has
    assert "2019--2020" in _typeset("2019\N{EN DASH}2020")
    assert _typeset("[-2.0e-05, 0]") == r"[$-$2.0$\times10^{-05}$, 0]".replace("-05", "-5")
    assert _typeset("\N{MINUS SIGN}1") == "$-$1"


def test_a_decimal_point_is_not_moved_by_marks_and_intervals():
    cells = Cell("0.5", "ab", "[-0.1, 0.7]"), Cell("0.4", interval="[0.1, 0.2]")
    text = as_latex([Table(["", "x"], [["a", cells[0]], ["b", cells[1]]], 1, {(0, 1)})], [])

    assert r"\begin{tabular}{lr@{}l@{\ }l}" in text
    assert r"a & \textbf{0.5} & \textsuperscript{ab} & [$-$0.1, 0.7] \\" in text
    assert r"b & 0.4 &  & [0.1, 0.2] \\" in text


def test_a_table_longer_than_a_page_goes_on_with_its_heading():
    rows = [[f"s{number}", "0.5"] for number in range(41)]
    text = as_latex([Table(["system", "em"], rows, 1, set(), "A note.", "Scores")], [])

    assert r"\usepackage{booktabs,longtable}" in text
    assert r"\caption[Scores.]{Scores. A note.}\label{tab:scores}\\" in text
    assert text.count(r"system & em \\") == 2
    assert text.index(r"\endfirsthead") < text.index(r"\endhead") < text.index("s0 & 0.5")
    assert text.count(" & 0.5") == 41
    assert r"\begin{table}" not in text
    short = as_latex([Table(["system", "em"], rows[:40], 1, set(), "", "Scores")], [])
    assert "longtable" not in short


def test_a_table_has_the_caption_and_the_label_that_were_asked_for():
    text = results().to_latex("ranks", caption=r"Ranks on \textsc{nq}", label="tab:nq")

    assert r"\caption{Ranks on \textsc{nq}}" in text
    assert r"\label{tab:nq}" in text
    with pytest.raises(ValueError, match="a caption and a label are for one table, not for 3"):
        results().to_latex("all", caption="All")
    with pytest.raises(ValueError, match="there is no table of groups, only of scores, ranks"):
        results().to_latex("groups")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
@pytest.mark.parametrize("names", [NAMES, ["long"], [f"s{number}" for number in range(4)], LONG])
def test_tex_sets_the_tables(tmp_path, names):
    if len(names) > 1:
        groups = ["x", "y"] * 15
        scored = results(names, confidence_level=0.95, groups=groups)
        text = scored.choose(["qa_em", "qa_f1"]).to_latex("all")
    else:
        text = score("qa_em", predictions=dict.fromkeys(LONG, GOLD), references=GOLD).to_latex()
        assert "longtable" in text
    packages = re.search(r"\\usepackage{.*}", text)[0]
    head = rf"\documentclass{{article}}{packages}"
    page = f"{head}\n\\begin{{document}}\n{text}\n\\end{{document}}\n"
    (tmp_path / "page.tex").write_text(page)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")

    assert done.returncode == 0, done.stdout
    assert "Overfull" not in done.stdout
