"""Numbers are those of evaluate's own `sari` at 0.4.6, unless computed by hand."""

import random
from collections import Counter

import pytest

from metric_commons import load, score
from metric_commons.__main__ import main
from metric_commons.text.translation.translation_tokenizers import words_13a
from tests.spec import Spec
from tests.tables import by_table

SOURCE = "About 95 species are currently accepted ."
PEOPLE = [
    "About 95 species are currently known .",
    "About 95 species are now accepted .",
    "95 species are now accepted .",
]
SPEC = Spec(
    name="sari",
    sample={
        "sources": [SOURCE, "a b c", "a b c"],
        "predictions": ["About 95 you now get in .", "a b", "a b c"],
        "references": [PEOPLE, ["a b"], ["a b"]],
    },
    result={"sari": (26.953601953601954 + 100 + 87.22222222222223) / 3},
    perfect={"sources": ["a b c"], "predictions": ["a b"], "references": ["a b"]},
    best={"sari": 100.0},
    other_ranges={"sari": (0.0, 100.0)},
    wrong={"sources": 1, "predictions": ["a"], "references": 0.5},
)


@pytest.fixture(scope="module")
def sari():
    return load("sari")


@by_table("source, prediction, references, expected")
def test_numbers_of_evaluate(sari, source, prediction, references, expected):
    row = {"sources": [source], "predictions": [prediction], "references": [references]}

    assert sari.compute(**row)["sari"] == pytest.approx(expected, rel=1e-15)


def n_grams(words, order):
    return [tuple(words[start : start + order]) for start in range(len(words) - order + 1)]


def quotient(part, whole):
    return part / whole if whole else 1


def f1(precision, recall):
    return 2 * precision * recall / (precision + recall) if precision + recall else 0


def by_definition(source, prediction, references):
    """SARI as the paper defines it, by counters, with 0/0 = 1 and the recall of tensor2tensor."""
    scores = []
    texts = [words_13a(text.lower()) or [""] for text in (source, prediction, *references)]
    for order in range(1, 5):
        of_source, of_prediction, *of_references = (Counter(n_grams(t, order)) for t in texts)
        wanted = sum(of_references, Counter())
        source_all = Counter({g: n * len(references) for g, n in of_source.items()})
        prediction_all = Counter({g: n * len(references) for g, n in of_prediction.items()})
        kept, to_keep = source_all & prediction_all, source_all & wanted
        right = kept & wanted
        precision = quotient(sum(right[g] / kept[g] for g in right), len(kept))
        keep = f1(precision, quotient(right.total(), to_keep.total()))
        deleted = source_all - prediction_all
        rightly = deleted - wanted
        delete = quotient(sum(rightly[g] / deleted[g] for g in rightly), len(deleted))
        added = of_prediction.keys() - of_source.keys()
        to_add = wanted.keys() - of_source.keys()
        shared = len(added & to_add)
        add = f1(quotient(shared, len(added)), quotient(shared, len(to_add)))
        scores.append((keep, delete, add))
    return 100 * sum(sum(part) / 4 for part in zip(*scores, strict=True)) / 3


@pytest.mark.long
def test_scores_are_those_of_the_definition(sari):
    draw = random.Random(5)
    words = "a b c the The cat, cats. 3.5 it's ( - &amp; \u00e9 \u5317\u4eac ' ..".split()

    def text():
        return " ".join(draw.choices(words, k=draw.choice([0, 1, 2, 5, 9])))

    rows = {"sources": [], "predictions": [], "references": []}
    for _ in range(400):
        source = text()
        prediction = draw.choice([source, text(), " ".join(source.split()[::2])])
        references = [draw.choice([source, prediction, text()]) for _ in range(draw.choice([1, 3]))]
        for name, value in zip(rows, (source, prediction, references), strict=True):
            rows[name].append(value)
    expected = [by_definition(*row) for row in zip(*rows.values(), strict=True)]

    assert sari.compute(**rows, per_example=True)["per_example"]["sari"] == pytest.approx(
        expected, rel=1e-12
    )


def test_sources_are_a_column_like_any_other(tmp_path, capsys):
    rows = SPEC.sample
    systems = {"a": rows["predictions"], "b": rows["sources"]}
    columns = {name: rows[name] for name in ("sources", "references")}
    results = score("sari", predictions=systems, **columns, compare=True)

    assert results["a"]["sari"]["sari"] == SPEC.result["sari"]
    assert [(pair["a"], pair["b"]) for pair in results.comparisons] == [("a", "b")]
    table = {**columns, **systems}
    assert score("sari", table, predictions="a", sources="sources", references="references")["a"]
    with pytest.raises(ValueError, match=r"needs the columns sources, .*; sources is missing"):
        score("sari", predictions=["a"], references=["a"])

    path = tmp_path / "rows.csv"
    path.write_text("original,simple,people\na b c,a b,a b\n")
    arguments = ["score", "sari", str(path), "-p", "simple", "-r", "people"]
    assert main([*arguments, "--column", "sources=original"]) == 0
    assert "100.0" in capsys.readouterr().out
    assert main(arguments) == 2
    assert "sari needs --column sources=FIELD" in capsys.readouterr().err
    assert main([*arguments, "--column", "source=original"]) == 2
    assert "did you mean 'sources'?" in capsys.readouterr().err
