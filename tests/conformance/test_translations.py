"""BLEU, chrF and TER beside sacrebleu: recorded cases, sacrebleu itself, and published scores."""

import csv
import gzip
import json
import random
import re
from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from metric_commons import Results, compare, load, score
from metric_commons.evaluation.comparison.influences import differences_of_sums
from metric_commons.evaluation.rows.table_files import read_tables
from metric_commons.statistics.tests.significance import compared
from metric_commons.text.translation.character_ngrams import chrf_statistics
from metric_commons.text.translation.ngram_precision import bleu_statistics
from metric_commons.text.translation.translation_edit_rate import (
    ter_statistics,
    ter_words,
    translation_edits,
)
from metric_commons.text.translation.translation_tokenizers import translation_words, words_13a
from tests.spec import GIVEN, ROOT, nightly, of_this_python, recorded, rounds
from tests.tables import by_table
from tests.texts import adversarial_text

DATA = GIVEN / "data" / "sequences"
MODULES = ("bleu", "chrf", "ter")
CASES = [case for case in recorded("sequences") if case["module"] in MODULES]
STATISTICS = {"bleu": bleu_statistics, "chrf": chrf_statistics, "ter": ter_statistics}
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

    assert {key: found[key] for key in expected} == of_this_python(expected)


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


@pytest.mark.long
@rounds(1_000, 4_000)
@pytest.mark.parametrize("tokenize", ["13a", "intl", "zh", "char", "none"])
def test_words(sacrebleu, tokenize, rounds):
    chance = random.Random(1)
    texts = [random_text(chance) for _ in range(rounds)]
    tokenizer = sacrebleu.BLEU(tokenize=tokenize).tokenizer
    expected = [tokenizer(text.rstrip()).split() for text in texts]
    words = translation_words(texts, tokenize)

    assert words.counts.tolist() == list(map(len, expected))
    flat = [word for row in expected for word in row]
    pairs = set(zip(flat, words.codes.tolist(), strict=True))
    assert len(pairs) == len(set(flat)) == len(set(words.codes.tolist()))


@pytest.mark.long
@pytest.mark.parametrize("most", [1, 4])
@by_table("options", ids=str)
@rounds(100, 300)
def test_bleu(sacrebleu, options, most, rounds):
    predictions, references = random_rows(random.Random(most), rounds, most)
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


@pytest.mark.long
@pytest.mark.parametrize("most", [1, 4])
@by_table("options", ids=str)
@rounds(100, 300)
def test_chrf(sacrebleu, options, most, rounds):
    predictions, references = random_rows(random.Random(most), rounds, most)
    scorer = sacrebleu.CHRF(**options)
    rows = chrf_statistics(predictions, references, **options)

    expected = scorer.corpus_score(predictions, by_reference(references)).score
    assert rows.result()["chrf"] == expected
    assert rows.of_rows()["chrf"] == [
        scorer.sentence_score(*row).score for row in zip(predictions, references, strict=True)
    ]


def signature(module, references, **options):
    call = {"predictions": ["a"] * len(references), "references": references}
    return load(module).compute(**call, signature=True, **options)["signature"]


@pytest.mark.parametrize("references", [[["a"], ["b"]], [["a", "b"], ["c"]]], ids=["one", "var"])
@by_table("module, options")
def test_signatures(sacrebleu, module, options, references):
    scorer = getattr(sacrebleu, module.upper())(**options)
    scorer.corpus_score(["a"] * len(references), by_reference(references))

    assert signature(module, references, **options) == str(scorer.get_signature())


# The modules of evaluate


def valid_rows(chance, rows, most):
    """Random rows without halves of surrogate pairs, which modules refuse."""

    def valid(text):
        return text.encode("utf-8", "ignore").decode()

    predictions, references = random_rows(chance, rows, most)
    return list(map(valid, predictions)), [list(map(valid, row)) for row in references]


@pytest.mark.parametrize("most", [1, 3])
def test_results_as_evaluate_has_them(sacrebleu, most):
    predictions, references = valid_rows(random.Random(5 + most), 40, 1)
    references = [row * most for row in references]  # equally many in each row, as it asks for
    columns = by_reference(references)

    def ours(module, **options):
        loaded = load(module, result_format="sacrebleu" if module == "bleu" else module)
        return loaded.compute(predictions=predictions, references=references, **options)

    bleu = sacrebleu.BLEU().corpus_score(predictions, columns)
    keys = ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len")
    assert ours("bleu") == {key: getattr(bleu, key) for key in keys}
    chrf = sacrebleu.CHRF(word_order=2).corpus_score(predictions, columns)
    keys = ("score", "char_order", "word_order", "beta")
    assert ours("chrf", word_order=2) == {key: getattr(chrf, key) for key in keys}
    ter = sacrebleu.TER().corpus_score(predictions, columns)
    keys = ("score", "num_edits", "ref_length")
    assert ours("ter") == {key: getattr(ter, key) for key in keys}


@pytest.mark.parametrize("most", [1, 4])
@pytest.mark.parametrize("orders", [4, 2, 7])
def test_google_bleu_of_evaluate(orders, most):
    nltk = pytest.importorskip("nltk.translate.gleu_score", reason="nltk is not installed")
    predictions, references = valid_rows(random.Random(most), 120, most)
    predictions += ["a-\n", "", ""]
    references += [["a-"], [""], ["a b", ""]]
    words = [list(map(words_13a, row)) for row in references]
    found = load("bleu", definition="gleu").compute(
        predictions=predictions, references=references, max_ngram_order=orders, per_example=True
    )

    expected = nltk.corpus_gleu(words, list(map(words_13a, predictions)), max_len=orders)
    assert found["google_bleu"] == expected
    assert found["per_example"]["google_bleu"] == [
        nltk.sentence_gleu(row, words_13a(text), max_len=orders)
        for row, text in zip(words, predictions, strict=True)
    ]


@pytest.mark.parametrize("flags", range(16))
def test_words_of_ter(flags):
    tokenizer_ter = pytest.importorskip("sacrebleu.tokenizers.tokenizer_ter")
    names = ("normalized", "no_punct", "asian_support", "case_sensitive")
    options = {name: bool(flags >> bit & 1) for bit, name in enumerate(names)}
    tokenizer = tokenizer_ter.TercomTokenizer(**options)
    chance = random.Random(flags)
    ends = ["", "'s", "'s x", "&amp;lt;", "\n-a", "ｱの、。カタ漢（）", "ひらがな"]
    for _ in range(500):
        text = (random_text(chance) + chance.choice(ends)).rstrip()

        assert ter_words(text, **options) == tokenizer(text).split()


@pytest.mark.long
@pytest.mark.parametrize(
    ("kinds", "most", "rows"),
    [(3, 12, 25), (6, 40, 3), *nightly((6, 40, 6), (30, 70, 2), (2, 110, 2))],
)
def test_ter(sacrebleu, kinds, most, rows):
    chance = random.Random(kinds)

    def text():
        return " ".join(f"w{chance.randrange(kinds)}" for _ in range(chance.randrange(most)))

    predictions = [text() for _ in range(rows)]
    references = [
        [
            text() if chance.random() < 0.5 else " ".join(chance.sample(words, len(words)))
            for _ in range(chance.randrange(1, 3))
        ]
        for words in map(str.split, predictions)
    ]
    result = ter_statistics(predictions, references).result()
    expected = sacrebleu.TER().corpus_score(predictions, by_reference(references))

    assert result == {
        "ter": expected.score,
        "num_edits": expected.num_edits,
        "ref_length": expected.ref_length,
    }


@pytest.mark.long
@rounds(10, 30)
def test_mean_lengths_of_three_references_are_fractions(sacrebleu, rounds):
    chance = random.Random(8)
    differing = 0
    for _ in range(rounds):
        predictions = ["a b c"] * 40
        references = [[" ".join("abcdefg"[: chance.randrange(8)]) for _ in "123"] for _ in "a" * 40]
        peer = sacrebleu.TER().corpus_score(predictions, by_reference(references))
        rows = {"predictions": predictions, "references": references}
        result = load("ter").compute(**rows)
        stock = load("ter", result_format="ter").compute(**rows)

        exact = sum(Fraction(len(text.split()), 3) for row in references for text in row)
        assert stock == {
            "score": peer.score,
            "num_edits": peer.num_edits,
            "ref_length": peer.ref_length,
        }
        assert result["ref_length"] == pytest.approx(float(exact), rel=3e-16, abs=0)
        assert result["ter"] == pytest.approx(peer.score, rel=1e-14, abs=0)
        differing += result["ter"] != peer.score
    assert differing


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
# One figure for each module and options; the others are of other systems.
DAILY = [*{(row["module"], row["options"], row["key"]): row for row in FIGURES}.values()]


@pytest.mark.long
@published
@pytest.mark.parametrize(
    "row",
    [*DAILY, *nightly(*(row for row in FIGURES if row not in DAILY))],
    ids=lambda row: f"{row['file'][3:-7]} {row['options']}",
)
def test_a_recorded_score_of_a_system(row):
    options = json.loads(row["options"])
    system = row["file"].removeprefix("mt/")
    files = reference_files(system, options.pop("references"))
    columns = list(zip(*map(lines, files), strict=True))
    references = [list(row_references) for row_references in columns]
    found = STATISTICS[row["module"]](lines(system), references, **options).result()

    assert found[row["key"]] == of_this_python(json.loads(row["value"]))
    assert row["published"] in ("", row["value"])


@published
def test_the_published_scores_are_there():
    assert sum(row["published"] != "" for row in FIGURES) == 18


# P-values of pairs of systems


def paired_figures():
    """For each system of WMT17 the p-values of sacrebleu, and the published ones."""
    tables = {}
    for row in figures(("paired",)):
        tables.setdefault(row["file"], {})[row["key"]] = row["value"], row["published"]
    return {
        name: table for name, table in tables.items() if any(key.startswith("p_") for key in table)
    }


@cache
def wmt17(name):
    return bleu_statistics(lines(name), lines("wmt17.en-de.reference.txt.gz"), tokenize="none")


BASELINE = "wmt17.en-de.LIUM-NMT.4900.txt.gz"


PAIRED = [*paired_figures()]


# By day compared saved results are, below; their p-values are those of the same function.
@pytest.mark.slow
@published
@pytest.mark.parametrize("file", PAIRED)
def test_p_values_are_near_those_of_moses_and_multeval(file):
    table = paired_figures()[file]
    baseline, system = wmt17(BASELINE), wmt17(file.removeprefix("mt/"))
    scores = tuple(side.result()["bleu"] for side in (baseline, system))
    differences = differences_of_sums(baseline, system, "bleu", scores, (0.0, 100.0))
    found = compared(differences, interval_alpha=None)["p_value"]
    for expected in table["p_randomization_10000_seed_12345"]:
        assert found == pytest.approx(float(expected), abs=0.01)


@pytest.mark.long
@published
def test_saved_results_are_compared_as_by_sacrebleu(tmp_path):
    file = "mt/wmt17.en-de.FBK.4870.txt.gz"
    for name, path in (("system", file.removeprefix("mt/")), ("baseline", BASELINE)):
        results = score(
            "bleu",
            predictions={name: lines(path)},
            references=lines("wmt17.en-de.reference.txt.gz"),
            options={"tokenize": "none"},
            rows=True,
        )
        results.save_rows(tmp_path / f"{name}.jsonl").save(tmp_path / f"{name}.json")
    sides = [
        Results.read(tmp_path / f"{name}.json").with_rows(read_tables(tmp_path / f"{name}.jsonl"))
        for name in ("system", "baseline")
    ]

    (comparison,) = compare(*sides).comparisons
    for expected in paired_figures()[file]["p_randomization_10000_seed_12345"]:
        assert comparison["p_value"] == pytest.approx(float(expected), abs=0.01)


# The limits of the search for shifts, which are part of the definition of TER


def moved_phrases(chance):
    """A translation whose phrases were moved, some by more words than the limits allow."""
    words = chance.choice([6, 20, 200])
    reference = [str(chance.randrange(words)) for _ in range(chance.choice([40, 60, 90]))]
    prediction = list(reference)
    for _ in range(chance.randrange(1, 4)):
        start, length = chance.randrange(len(prediction)), chance.choice([1, 5, 10, 11, 12, 20])
        phrase = prediction[start : start + length]
        del prediction[start : start + length]
        target = chance.randrange(len(prediction) + 1)
        prediction[target:target] = phrase
    if chance.random() < 0.5:
        start = chance.randrange(len(prediction))
        del prediction[start : start + chance.choice([3, 15, 26, 35])]
    return prediction, reference


def few_kinds_of_words(chance):
    """Two texts of two or three words in any order, with thousands of possible shifts."""
    length, words = chance.choice([30, 60]), chance.choice([2, 3])
    return tuple([str(chance.randrange(words)) for _ in range(length)] for _ in range(2))


def much_shorter(chance):
    """A translation of a few words of a long reference."""
    reference = [str(chance.randrange(20)) for _ in range(chance.choice([120, 200, 300]))]
    return [chance.choice(reference) for _ in range(chance.randrange(1, 5))], reference


def shuffled_and_shorter(chance):
    """A translation in any order, without many of the words of its reference."""
    reference = [str(chance.randrange(30)) for _ in range(chance.choice([55, 83]))]
    prediction = chance.sample(reference, len(reference))
    return prediction[: -chance.choice([17, 30, 45])], reference


DRAWS = (moved_phrases, few_kinds_of_words, much_shorter, shuffled_and_shorter)
# These differ if a phrase may have eleven words, move by 49 words or leave a beam of 24, if one
# shift more is tried, or if the beam does not grow with the ratio of lengths.
DRAWS_BY_DAY = [
    *((moved_phrases, 19), (few_kinds_of_words, 0)),
    *((much_shorter, seed) for seed in (0, 11)),
]


@pytest.mark.long
@pytest.mark.parametrize(
    ("draw", "seed"),
    [
        *DRAWS_BY_DAY,
        *nightly(*(pair for pair in product(DRAWS, range(12)) if pair not in DRAWS_BY_DAY)),
    ],
)
def test_the_limits_of_shifts_are_those_of_sacrebleu(draw, seed):
    lib_ter = pytest.importorskip("sacrebleu.metrics.lib_ter")
    prediction, reference = draw(random.Random(seed))

    expected, _ = lib_ter.translation_edit_rate(prediction, reference)
    assert translation_edits(prediction, reference) == expected
