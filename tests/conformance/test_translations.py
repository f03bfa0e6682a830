"""BLEU and chrF beside sacrebleu: recorded cases, sacrebleu itself, and published scores."""

import csv
import gzip
import json
import random
import re

import pytest

from metric_commons import load
from metric_commons.text.character_ngrams import chrf_statistics
from metric_commons.text.ngram_precision import bleu_statistics
from metric_commons.text.translation_tokenizers import translation_words
from tests.spec import GIVEN, ROOT, recorded
from tests.texts import adversarial_text

DATA = GIVEN / "data" / "sequences"
MODULES = ("bleu", "chrf")
CASES = [case for case in recorded("sequences") if case["module"] in MODULES]
STATISTICS = {"bleu": bleu_statistics, "chrf": chrf_statistics}
PIECES = (
    "1.5 1, ., ,, .,. - -5 5- 3-4 a.b a,1 1.a &amp;lt; &quot; <skipped> -\n \n ... .5 5. 7.,8 \x01 "
    "\x00 \u00a0 \u2009 \u2014 \u2e80 \U00020000 。 ， 今 天 € + = 1.. ..1 ' Où? “x” ½ a\u0301"
).split(" ")

published = pytest.mark.skipif(not DATA.exists(), reason=f"no translations at {DATA}")


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_recorded_case(case):
    found = load(case["module"]).compute(**case["inputs"], **case["options"], per_example=True)
    expected = case["expected"] | {
        key: value
        for key, value in case["peers"]["sacrebleu 2.6.0"].items()
        if key in ("counts", "totals")
    }

    assert {key: found[key] for key in expected} == expected


@pytest.mark.parametrize("module", MODULES)
def test_the_card_counts_the_cases(module):
    card = (ROOT / "metrics" / module / "README.md").read_text("utf-8")
    (counted,) = re.findall(r"^\| sacrebleu 2\.6\.0 \| .*? \| (.+?) \|", card, re.M)
    cases = sum(case["module"] == module for case in CASES)

    assert counted == f"{cases} of {cases}"


# sacrebleu itself


@pytest.fixture(scope="module")
def sacrebleu():
    return pytest.importorskip("sacrebleu.metrics")


def random_text(chance):
    kind = chance.random()
    if kind < 0.4:
        return adversarial_text(chance)
    separator = chance.choice(["", " "])
    return separator.join(chance.choices([*PIECES, *"abc", " "], k=chance.randrange(14)))


def random_rows(chance, rows, most):
    """Predictions, and lists of up to so many references, of which some are nearly equal."""
    predictions = [random_text(chance) for _ in range(rows)]
    references = [
        [
            prediction[chance.randrange(3) :] + chance.choice(["", " x", "."])
            if chance.random() < 0.4
            else random_text(chance)
            for _ in range(chance.randrange(1, most + 1))
        ]
        for prediction in predictions
    ]
    return predictions, references


def by_reference(references):
    """One column for each reference, as sacrebleu takes them; None where a row has no more."""
    most = max(map(len, references))
    return [[row[n] if n < len(row) else None for row in references] for n in range(most)]


@pytest.mark.parametrize("tokenize", ["13a", "intl", "zh", "char", "none"])
def test_words(sacrebleu, tokenize):
    chance = random.Random(1)
    texts = [random_text(chance) for _ in range(4_000)]
    tokenizer = sacrebleu.BLEU(tokenize=tokenize).tokenizer
    expected = [tokenizer(text.rstrip()).split() for text in texts]
    words = translation_words(texts, tokenize)

    assert words.counts.tolist() == list(map(len, expected))
    flat = [word for row in expected for word in row]
    pairs = set(zip(flat, words.codes.tolist(), strict=True))
    assert len(pairs) == len(set(flat)) == len(set(words.codes.tolist()))


@pytest.mark.parametrize("most", [1, 4])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"tokenize": "intl", "lowercase": True},
        {"tokenize": "char", "max_ngram_order": 7},
        {"tokenize": "none", "smooth_method": "floor", "smooth_value": 0.3},
        {"tokenize": "zh", "smooth_method": "add-k", "effective_order": True},
        {"smooth_method": "none", "max_ngram_order": 2},
    ],
    ids=str,
)
def test_bleu(sacrebleu, options, most):
    predictions, references = random_rows(random.Random(most), 300, most)
    scorer = sacrebleu.BLEU(**options)
    expected = scorer.corpus_score(predictions, by_reference(references))
    rows = bleu_statistics(predictions, references, **options)
    found = rows.result()

    keys = ("counts", "totals", "precisions", "sys_len", "ref_len")
    assert (found["bleu"], found["brevity_penalty"]) == (expected.score, expected.bp)
    assert {key: found[key] for key in keys} == {key: getattr(expected, key) for key in keys}
    sentences = sacrebleu.BLEU(**options | {"effective_order": True})
    assert rows.of_rows()["bleu"] == [
        sentences.sentence_score(*row).score for row in zip(predictions, references, strict=True)
    ]


@pytest.mark.parametrize("most", [1, 4])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"word_order": 2},
        {"lowercase": True, "word_order": 1, "char_order": 1},
        {"whitespace": True, "char_order": 9},
        {"eps_smoothing": True, "beta": 1},
        {"beta": 3, "word_order": 3},
    ],
    ids=str,
)
def test_chrf(sacrebleu, options, most):
    predictions, references = random_rows(random.Random(most), 300, most)
    scorer = sacrebleu.CHRF(**options)
    rows = chrf_statistics(predictions, references, **options)

    expected = scorer.corpus_score(predictions, by_reference(references)).score
    assert rows.result()["chrf"] == expected
    assert rows.of_rows()["chrf"] == [
        scorer.sentence_score(*row).score for row in zip(predictions, references, strict=True)
    ]


# Recorded and published scores of systems


def lines(name):
    packed = (DATA / "mt" / name).read_bytes()
    return gzip.decompress(packed).decode("utf-8").split("\n")[:-1]


def figures(modules):
    """File, module, options, key, value and the published value of each line of the table."""
    if not DATA.exists():
        return []
    with (DATA / "figures.tsv").open(encoding="utf-8") as table:
        return [row for row in csv.DictReader(table, delimiter="\t") if row["module"] in modules]


def reference_files(system, which):
    """The files with the references of a system; which of them, in order, the table says."""
    if "wmt22" in system:
        pair = ".".join(system.split(".")[:2])
        letters = {"all": "AB", "all reversed": "BA"}.get(which, which)
        return [f"{pair}.ref.{letter}.txt.gz" for letter in letters]
    if "wmt17" in system:
        return ["wmt17.en-de.reference.txt.gz"]
    return [system.replace(".sys1.", ".ref.")]


FIGURES = [row for row in figures(MODULES) if "baseline" not in row["options"]]


@published
@pytest.mark.parametrize("row", FIGURES, ids=lambda row: f"{row['file'][3:-7]} {row['options']}")
def test_a_recorded_score_of_a_system(row):
    options = json.loads(row["options"])
    system = row["file"].removeprefix("mt/")
    files = reference_files(system, options.pop("references"))
    columns = list(zip(*map(lines, files), strict=True))
    references = [list(row_references) for row_references in columns]
    found = STATISTICS[row["module"]](lines(system), references, **options).result()

    assert found[row["key"]] == json.loads(row["value"])
    assert row["published"] in ("", row["value"])


@published
def test_the_published_scores_are_there():
    assert sum(row["published"] != "" for row in FIGURES) == 18
