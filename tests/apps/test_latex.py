"""Tables in LaTeX: what is in them, and that TeX sets them."""

import re
import shutil
import subprocess

import pytest

from metric_commons.evaluation.latex import as_latex
from metric_commons.evaluation.rendering import Table
from metric_commons.evaluation.scoring import score

ROWS = 30
GOLD = [f"answer {row}" for row in range(ROWS)]
NAMES = ["50%_$mall & {odd}#1", "Zürich~^\\2", "c"]


def results(names=NAMES, **options):
    systems = {
        name: [*GOLD[: ROWS - 9 * number], *["no"] * 9 * number]
        for number, name in enumerate(names)
    }
    return score(["qa_em", "qa_f1"], predictions=systems, references=GOLD, compare=True, **options)


def test_a_table_is_a_float_with_its_legend_inside():
    text = results(confidence_level=0.9, groups=["x", "y"] * 15).to_latex()
    floats = re.findall(r"\\begin{table}.*?\\end{table}", text, re.DOTALL)

    assert len(floats) == 4
    for each, caption, label in zip(
        floats,
        [
            *(r"Scores with 90\% intervals", r"Scores of groups with 90\% intervals"),
            *("Ranks", "Differences of systems"),
        ],
        ["scores", "scores-of-groups", "ranks", "differences-of-systems"],
        strict=True,
    ):
        assert rf"\caption{{{caption}.}}" in each
        assert rf"\label{{tab:{label}}}" in each
    assert (
        "A letter behind a score: significantly better than the system of that letter." in floats[0]
    )
    assert "does not show that the systems are equal" in floats[3]
    outside = re.sub(r"\\begin{table}.*?\\end{table}", "", text, flags=re.DOTALL)
    assert all(not line or line.startswith("%") for line in outside.splitlines())


def test_numbers_are_typographic_and_headings_are_words():
    text = results().to_latex()

    for raw in ("A_mean", r"A\_mean", "p_holm", r"p\_holm", "Diff(A-B)"):
        assert raw not in text
    assert "mean of A" in text
    assert "$p$ (Holm)" in text
    assert r"95\,\% interval" in text
    assert not re.search(r"[ \[](-|\+)\d", text)
    assert "$+$0.3000" in text


def test_a_decimal_point_is_not_moved_by_marks_and_intervals():
    table = Table(["", "x"], [["a", "0.5ᵃᵇ [-0.1, 0.7]"], ["b", "0.4 [0.1, 0.2]"]], 1, {(0, 1)})
    text = as_latex([table], [])

    assert r"\begin{tabular}{lr@{}l@{\ }l}" in text
    assert r"a & \textbf{0.5} & \textsuperscript{ab} & [$-$0.1, 0.7] \\" in text
    assert r"b & 0.4 &  & [0.1, 0.2] \\" in text


def test_signs_are_no_dashes():
    assert r"\texttt{=--..+}" in as_latex([Table(["", "pairs"], [["a", "=--..+"]], 1, set())], [])


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
@pytest.mark.parametrize("names", [NAMES, ["one"], [f"s{number}" for number in range(4)]])
def test_tex_sets_the_tables(tmp_path, names):
    if len(names) > 1:
        text = results(names, confidence_level=0.95, groups=["x", "y"] * 15).to_latex()
    else:
        text = score("qa_em", predictions={names[0]: GOLD}, references=GOLD).to_latex()
    packages = re.search(r"\\usepackage{.*}", text)[0]
    head = rf"\documentclass{{article}}{packages}"
    page = f"{head}\n\\begin{{document}}\n{text}\n\\end{{document}}\n"
    (tmp_path / "page.tex").write_text(page)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")

    assert done.returncode == 0, done.stdout
    assert "Overfull" not in done.stdout
