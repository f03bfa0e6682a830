"""Blocks of pairs against the obvious way, on texts made to tell them apart."""

import math
import random
import re
import tracemalloc
from collections import Counter

import numpy as np
import pytest

from metric_commons.text.rouge_overlaps import rouge_words, union_lcs
from metric_commons.text.rouge_overlaps.porter import porter
from metric_commons.text.rouge_overlaps.rouge_scores import rouge
from metric_commons.text.rouge_overlaps.rouge_words import unicode_words
from tests.text_oracles import lcs_table, lcs_walk
from tests.texts import WORD_FORMS, adversarial_rows

TYPES = ["rouge1", "rouge2", "rouge3", "rouge5", "rougeL", "rougeLsum"]

# ROUGE once more, as rouge_score defines it.


def tokenized(text, stemmed):
    words = re.sub("[^a-z0-9]+", " ", text.lower()).split()
    if stemmed:
        words = [porter(w.encode()).decode() if len(w) > 3 else w for w in words]
    return words


def score(shared, predicted, relevant):
    precision, recall = shared / max(predicted, 1), shared / max(relevant, 1)
    f1 = 2 * precision * recall / (precision + recall) if shared else 0.0
    return precision, recall, f1


def obvious(prediction, reference, kind, *, words):
    if kind == "rougeLsum":
        predicted, relevant = (
            [words(line) for line in t.split("\n")] for t in (prediction, reference)
        )
        available = Counter(word for line in predicted for word in line)
        shared = 0
        for line in relevant:
            rows = 0
            for other in predicted:
                rows |= lcs_walk(line, other)
            for place, word in enumerate(line):
                if rows >> place & 1 and available[word]:
                    available[word] -= 1
                    shared += 1
        return score(shared, sum(map(len, predicted)), sum(map(len, relevant)))
    predicted, relevant = words(prediction), words(reference)
    if kind == "rougeL":
        return score(lcs_table(relevant, predicted)[-1][-1], len(predicted), len(relevant))
    n = int(kind.removeprefix("rouge"))
    bags = [
        Counter(tuple(text[i : i + n]) for i in range(len(text) - n + 1))
        for text in (predicted, relevant)
    ]
    return score((bags[0] & bags[1]).total(), bags[0].total(), bags[1].total())


def best(prediction, references, kind, *, words):
    if isinstance(references, str):
        references = [references]
    scores = [obvious(prediction, reference, kind, words=words) for reference in references]
    return max(scores, key=lambda each: each[2])


def agrees(predictions, references, *, words, types=TYPES, **options):
    """Check that all scores of all rows are those of the obvious way."""
    found = rouge(predictions, references, rouge_types=types, **options)
    for kind in types:
        expected = [
            best(p, r, kind, words=words) for p, r in zip(predictions, references, strict=True)
        ]
        assert [tuple(row) for row in np.array(found[kind]).T.tolist()] == expected


def prose(chance, words, lines):
    """A text of few different words, in lines, some empty."""
    kinds = chance.choice([["a", "b"], "to be or not that is the question".split(), WORD_FORMS])
    text = [
        " ".join(chance.choices(kinds, k=chance.randrange(words)))
        for _ in range(chance.randrange(lines))
    ]
    return "\n".join(text)


@pytest.fixture(scope="module")
def many():
    """Rows of short and long texts, with one reference or several."""
    chance = random.Random(5)
    predictions, references = [], []
    for _ in range(120):
        words, lines = chance.choice([(3, 3), (8, 6), (30, 4), (120, 4)])
        predictions.append(prose(chance, words, lines))
        several = [prose(chance, words, lines) for _ in range(chance.choice([1, 1, 3]))]
        if chance.random() < 0.3:
            shuffled = predictions[-1].split(" ")
            chance.shuffle(shuffled)
            several.append(" ".join(shuffled))
        references.append(several if chance.random() < 0.7 else several[0])
    return predictions, references


@pytest.mark.long
@pytest.mark.parametrize("tokenizer", ["unicode", str.split])
def test_other_tokenizers_count_the_same_way(tokenizer):
    words = unicode_words if tokenizer == "unicode" else tokenizer
    predictions, references = adversarial_rows(400, seed=3)
    predictions = [f"{p}\n{r[0]}" for p, r in zip(predictions, references, strict=True)]

    agrees(predictions, references, words=words, tokenizer=tokenizer)


def test_a_given_tokenizer_gets_lines_for_the_summary_level_and_texts_otherwise():
    seen = []

    def words(text):
        seen.append(text)
        return text.split()

    rouge(["a\nb"] * 20, ["a"] * 20, rouge_types=["rougeL", "rougeLsum"], tokenizer=words)

    assert set(seen) == {"a\nb", "a", "b"}


@pytest.mark.long
def test_small_blocks_change_nothing(many, monkeypatch):
    expected = rouge(*many, rouge_types=TYPES)
    for file, limit in ((rouge_words, "_CHARACTERS"), (union_lcs, "_ENTRIES")):
        for size in (1, 3_000):  # 1: every pair by itself, and too big for its kind
            with monkeypatch.context() as patch:
                patch.setattr(file, limit, size)
                found = rouge(*many, rouge_types=TYPES)

            for kind in TYPES:
                assert np.array_equal(found[kind], expected[kind])


def test_stems_are_compared_only_of_plain_words_of_four_letters():
    options = {"rouge_types": ["rouge1"], "use_stemmer": True}

    shared = rouge(["runs ads"], ["run ad"], **options)["rouge1"].f1
    accents = rouge(["cafés"], ["café"], tokenizer="unicode", **options)["rouge1"].f1

    assert [shared.tolist(), accents.tolist()] == [[0.5], [0.0]]


def test_the_mean_over_references():
    references = ["a", "b c d e", "a b c"]
    one_by_one = rouge(["a b c"] * 3, references)["rouge1"]

    found = rouge(["a b c"], [references], reference_aggregation="mean")["rouge1"]

    assert [v.tolist() for v in found] == [[math.fsum(v) / 3] for v in one_by_one]


@pytest.mark.parametrize("normalizer", ["squad", lambda text: text.split()[-1]])
def test_a_normalizer_goes_first(normalizer):
    found = rouge(["The cat"], ["a cat"], normalizer=normalizer)

    assert found["rouge1"].f1.tolist() == [1.0]


# N-grams of any length


@pytest.mark.long
@pytest.mark.parametrize("use_stemmer", [False, True])
def test_long_ngrams_are_counted_as_the_definition_says(use_stemmer):
    chance = random.Random(8)
    types = [f"rouge{n}" for n in (3, 10, 11, 16, 23, 64, 100)]
    predictions, references = [], []
    for _ in range(60):
        song = chance.choices(WORD_FORMS[:8], k=chance.randrange(150))
        predictions.append(" ".join(song * chance.randrange(1, 3)))
        song[chance.randrange(len(song) + 1) :] = chance.choices(
            WORD_FORMS[:8], k=chance.randrange(9)
        )
        references.append([" ".join(song), " ".join(song[7:] + song[:7])])

    agrees(
        predictions,
        references,
        types=types,
        words=lambda text: tokenized(text, use_stemmer),
        use_stemmer=use_stemmer,
    )


def test_ngrams_longer_than_any_text_cost_nothing():
    words = [f"w{n % 7}x{n % 11}y{n % 13}" for n in range(3_000)]
    texts = [" ".join(words), " ".join(words[1:]), "a", ""]
    types = ["rouge1000000", f"rouge{10**30}", f"rouge{'9' * 5_000}"]

    tracemalloc.start()
    found = rouge(texts, [texts[0], *texts[1:]], rouge_types=["rouge2999", "rouge3000", *types])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert found["rouge2999"].f1.tolist() == [1.0, 1.0, 0.0, 0.0]
    assert found["rouge3000"].f1.tolist() == [1.0, 0.0, 0.0, 0.0]
    for kind in types:
        assert [values.tolist() for values in found[kind]] == [[0.0] * 4] * 3
    assert peak < 5e6


# Few rows and many


@pytest.mark.long
def test_no_rows_have_no_scores():
    assert {kind: [v.tolist() for v in values] for kind, values in rouge([], []).items()} == {
        kind: [[], [], []] for kind in ("rouge1", "rouge2", "rougeL")
    }


def test_few_rows_without_a_reference_are_refused_as_many_are():
    with pytest.raises(
        ValueError, match=r"^references\[1\] is empty; every row needs at least one"
    ):
        rouge(["a", "b"], [["a"], []])
