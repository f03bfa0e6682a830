"""ROUGE beside rouge_score itself, recorded peers and published values.

The card says how many of the recorded cases agree with each peer; the table here says which do
not, and why. Exactly these may differ.
"""

import ast
import gzip
import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product

import numpy as np
import pytest

from metric_commons import load
from metric_commons.text.rouge_overlaps.porter import porter
from metric_commons.text.rouge_overlaps.rouge_scores import rouge
from metric_commons.text.rouge_overlaps.rouge_words import rouge_score_words
from tests.cards import card, rows_below
from tests.spec import GIVEN, ROOT, nightly, published, recorded, rounds
from tests.texts import adversarial_rows, adversarial_text

rouge_scorer = pytest.importorskip("rouge_score.rouge_scorer")

SUMMARIES = GIVEN / "data" / "text" / "speed" / "speed_sum.json.gz"
TYPES = ["rouge1", "rouge2", "rouge3", "rouge9", "rougeL", "rougeLsum"]

summaries = pytest.mark.skipif(not SUMMARIES.exists(), reason=f"no summaries at {SUMMARIES}")


# rouge_score


def equals_rouge_score(predictions, references, types=TYPES, **options):
    """Check P, R and F of all rows and types, bit by bit; a reference may be one of several."""
    scorer = rouge_scorer.RougeScorer(types, **options)
    found = rouge(predictions, references, rouge_types=types, **options)
    for row, (prediction, of_row) in enumerate(zip(predictions, references, strict=True)):
        targets = [of_row] if isinstance(of_row, str) else of_row
        expected = scorer.score_multi(targets, prediction)
        for kind in types:
            scores = tuple(float(values[row]) for values in found[kind])
            assert (row, kind, scores) == (row, kind, tuple(expected[kind]))


def sentences(text):
    """Sentences, of which some hold new lines and some are empty, as NLTK would not have them."""
    return re.split(r"(?<=[.!?]) +|\n\n", text)


@pytest.mark.parametrize("types", [["rougeLsum"], ["rouge1", "rougeLsum", "rougeL"]])
@pytest.mark.parametrize("use_stemmer", [False, True])
def test_summaries_are_split(types, use_stemmer, monkeypatch):
    monkeypatch.setattr("rouge_score.rouge_scorer.nltk.sent_tokenize", sentences)
    texts = [
        "The cat sat. It ran!  Away\nit went.\n\nThe end",
        "It ran away. The end\nof it. A cat sat? ",
        "the end. the cat",
        "",
    ]
    predictions, references = zip(*product(texts, repeat=2), strict=True)
    scorer = rouge_scorer.RougeScorer(types, use_stemmer=use_stemmer, split_summaries=True)
    found = rouge(
        predictions,
        [[text, "The end."] for text in references],
        rouge_types=types,
        use_stemmer=use_stemmer,
        split_summaries=sentences,
    )

    assert list(found) == types
    for row, (prediction, reference) in enumerate(zip(predictions, references, strict=True)):
        expected = scorer.score_multi([reference, "The end."], prediction)
        for kind in types:
            assert tuple(float(values[row]) for values in found[kind]) == tuple(expected[kind])


@cache
def pairs():
    return json.loads(gzip.decompress(SUMMARIES.read_bytes()))


@pytest.mark.long
@rounds(500, 2_000)
@pytest.mark.parametrize("use_stemmer", [False, True])
def test_adversarial_texts(use_stemmer, rounds):
    predictions, references = adversarial_rows(rounds, seed=11)

    equals_rouge_score(predictions, references, use_stemmer=use_stemmer)


@pytest.mark.slow
@pytest.mark.parametrize("use_stemmer", [False, True])
def test_many_adversarial_texts_of_several_lines(use_stemmer):
    predictions, references = adversarial_rows(20_000, seed=15)
    predictions = ["\n".join(predictions[i : i + 3]) for i in range(len(predictions))]

    equals_rouge_score(predictions, references, use_stemmer=use_stemmer)


@pytest.mark.long
@rounds(60, 300)
@pytest.mark.parametrize("use_stemmer", [False, True])
def test_many_lines_of_few_words(use_stemmer, rounds):
    chance = random.Random(12)
    words = "a b the cats running connection connected \u0130x \u212a 1889 y".split()
    texts = [
        "\n".join(
            " ".join(chance.choices(words[: chance.randrange(1, 11)], k=chance.randrange(9)))
            for _ in range(chance.randrange(12))
        )
        for _ in range(3 * rounds)
    ]

    equals_rouge_score(
        texts[:rounds],
        list(map(list, zip(texts[rounds : 2 * rounds], texts[2 * rounds :], strict=True))),
        use_stemmer=use_stemmer,
    )


@pytest.mark.long
def test_lines_of_many_words():
    """Of one word of bits or of several, so that carries and walks go from one to the next."""
    chance = random.Random(13)
    texts = []
    for _ in range(60):
        kinds = [f"w{n}" for n in range(chance.choice([2, 10, 60]))]
        lines = [
            chance.choices(kinds, k=chance.randrange(180)) for _ in range(chance.randrange(1, 4))
        ]
        texts.append("\n".join(map(" ".join, lines)))

    equals_rouge_score(texts[:30], texts[30:])


@pytest.mark.parametrize("use_stemmer", [False, True])
def test_summaries_of_the_examples(use_stemmer):
    lines = (ROOT / "examples" / "summaries.jsonl").read_text("utf-8").splitlines()
    rows = list(map(json.loads, lines))
    references = [row["reference"] for row in rows]
    longer = ["\n".join(references[:number]) for number in range(1, len(rows) + 1)]

    for system in ("lead", "model"):
        predictions = [row[system] for row in rows]
        equals_rouge_score(predictions, references, use_stemmer=use_stemmer)
        equals_rouge_score(predictions, longer, use_stemmer=use_stemmer)


@pytest.mark.long
@summaries
@pytest.mark.parametrize("number", [15, *nightly(None)])
@pytest.mark.parametrize("use_stemmer", [False, True])
def test_summaries(use_stemmer, number):
    predictions, references = zip(*pairs()[:number], strict=True)

    equals_rouge_score(predictions, references, use_stemmer=use_stemmer)


@pytest.mark.long
@summaries
@pytest.mark.parametrize(("number", "words"), [(9, 1_000), *nightly((45, 5_000))])
def test_texts_of_thousands_of_words(number, words):
    predictions, references = (["\n".join(texts)] for texts in zip(*pairs()[:number], strict=True))

    assert len(rouge_score_words(predictions[0])) > words
    equals_rouge_score(predictions, references, ["rouge1", "rouge2", "rougeL", "rougeLsum"])


def test_a_given_tokenizer():
    class Letters:
        def tokenize(self, text):
            return list(text)

    chance = random.Random(14)
    predictions, references = ([adversarial_text(chance) for _ in range(60)] for _ in range(2))
    scorer = rouge_scorer.RougeScorer(TYPES, tokenizer=Letters())

    found = rouge(predictions, references, rouge_types=TYPES, tokenizer=list)

    for row, (prediction, reference) in enumerate(zip(predictions, references, strict=True)):
        for kind, expected in scorer.score(reference, prediction).items():
            assert tuple(float(values[row]) for values in found[kind]) == tuple(expected)


@pytest.mark.long
@summaries
def test_stems_of_real_words_are_those_of_nltk():
    stem = pytest.importorskip("nltk.stem.porter").PorterStemmer().stem
    vocabulary = {word for pair in pairs() for text in pair for word in rouge_score_words(text)}

    assert len(vocabulary) > 14_000
    assert [word for word in vocabulary if porter(word.encode()).decode() != stem(word)] == []


# Recorded peers

POOLED = "the counts of all references are added up, instead of taking the best one"
IRREGULAR = "its stemmer looks up irregular forms in WordNet, and is not NLTK's"

MULTIPLE = ("rouge-044", "rouge-047")
TO_THE_BIT, SINGLE, FIVE_DIGITS = 0.0, 1e-7, 1.1e-5


@dataclass(frozen=True)
class Peer:
    """One row of the table in the card."""

    name: str  # in the card
    column: str  # in the case file
    options: Mapping[str, object] = field(default_factory=dict)
    tolerance: float = TO_THE_BIT
    differ: Mapping[str, Sequence[str]] = field(default_factory=dict)  # reason -> cases

    def __str__(self):
        return self.name


STEMS = {"use_stemmer": True}
ULTRARAG = {"normalizer": "ultrarag", "use_stemmer": True}
MEAN = {"reference_aggregation": "mean"}

PEERS = [
    Peer("rouge_score 0.1.2", "rouge_score[stem=0].score_multi PRF"),
    Peer("rouge_score 0.1.2 with stemmer", "rouge_score[stem=1].score_multi PRF", STEMS),
    Peer("`rouge` of evaluate 0.4.6", "hf_rouge[use_aggregator=False] F"),
    Peer("UltraRAG 015e838 `rouge-1`, `rouge-2`, `rouge-l`", "ultrarag F", ULTRARAG),
    Peer("HELM 63754d0", "helm F max", STEMS),
    Peer("lighteval 3fd1526, several golds", "lighteval[multiple_golds] F"),
    Peer("lighteval 3fd1526", "lighteval[default mean over golds] F", MEAN),
    Peer("torchmetrics 1.9.0, best", "torchmetrics[best] PRF", {}, SINGLE),
    Peer("torchmetrics 1.9.0, best, with stemmer", "torchmetrics[best,stem] PRF", STEMS, SINGLE),
    Peer("torchmetrics 1.9.0, average", "torchmetrics[avg] PRF", MEAN, SINGLE),
    Peer("ROUGE-1.5.5 `-f B`", "ROUGE-1.5.5.pl -f B PRF", {}, FIVE_DIGITS),
    Peer("ROUGE-1.5.5 `-f A`", "ROUGE-1.5.5.pl -f A PRF", {}, FIVE_DIGITS, {POOLED: MULTIPLE}),
    Peer(
        "ROUGE-1.5.5 `-f A -m`",
        "ROUGE-1.5.5.pl -m -f A PRF",
        STEMS,
        FIVE_DIGITS,
        {POOLED: MULTIPLE, IRREGULAR: ("rouge-079", "rouge-081")},
    ),
    Peer(
        "ROUGE-1.5.5, one sentence per line",
        "ROUGE-1.5.5.pl sentence-per-line PRF",
        {},
        FIVE_DIGITS,
    ),
]


@cache
def cases():
    return [case for case in recorded("text") if case["group"] == "rouge"]


@pytest.mark.parametrize("peer", PEERS, ids=str)
def test_exactly_the_cases_that_are_known_to_differ_do(peer):
    scored = [case for case in cases() if peer.column in case["peers"]]
    metric = load("rouge_n_l", **peer.options, per_example=True)
    different = set()
    theirs = [case["peers"][peer.column] for case in scored]
    ours = metric.compute(
        predictions=[case["input"]["prediction"] for case in scored],
        references=[case["input"]["references"] for case in scored],
        rouge_types=sorted(set().union(*theirs)),
    )["per_example"]
    for row, (case, scores) in enumerate(zip(scored, theirs, strict=True)):
        for kind, expected in scores.items():
            keys = [f"{kind}_precision", f"{kind}_recall", kind]
            values = [ours[key][row] for key in (keys if isinstance(expected, list) else [kind])]
            if np.abs(np.subtract(values, expected)).max() > peer.tolerance:
                different.add(case["id"])

    assert different == {case for some in peer.differ.values() for case in some}


@cache
def recorded_columns():
    """Whole columns as `rouge` of evaluate scored them, and the scores of each row or the error."""
    return {
        case["id"]: (case["input"], case["peers"]["hf_evaluate.rouge"])
        for case in recorded("text")
        if "hf_evaluate.rouge" in case["peers"]
    }


@pytest.mark.parametrize("case", ["corpus-010", "corpus-012"])
def test_columns_equal_those_of_evaluate(case):
    given, expected = recorded_columns()[case]
    kinds = list(expected)

    result = load("rouge_n_l").compute(
        predictions=given["predictions"],
        references=given["references"],
        rouge_types=kinds,
        per_example=True,
    )

    assert {kind: result["per_example"][kind] for kind in kinds} == expected


def test_errors_of_evaluate():
    """It refuses n-grams of ten words, which are only zero here; no rows are refused by both."""
    assert {name for name, (_, found) in recorded_columns().items() if "error" in found} == {
        "corpus-013",
        "corpus-014",
    }
    given, _ = recorded_columns()["corpus-013"]
    data = {"predictions": given["predictions"], "references": given["references"]}
    assert load("rouge_n_l").compute(**data, rouge_types=["rouge10"])["rouge10"] == 0.0

    given, _ = recorded_columns()["corpus-014"]
    with pytest.raises(ValueError, match="empty"):
        load("rouge_n_l").compute(predictions=given["predictions"], references=given["references"])


def test_the_card_counts_the_cases_that_agree():
    agreement = r"^\| (.+?) \| *(.*?) *\| (\d+) of (\d+) \|"
    rows = re.findall(agreement, card("rouge_n_l"), re.MULTILINE)
    told = {
        name: (options.strip("`"), int(agree), int(all_)) for name, options, agree, all_ in rows
    }

    for peer in PEERS:
        scored = sum(peer.column in case["peers"] for case in cases())
        differ = sum(map(len, peer.differ.values()))
        options = ", ".join(
            f'{name}="{value}"' if isinstance(value, str) else f"{name}={value}"
            for name, value in peer.options.items()
        )
        assert told.pop(peer.name) == (options, scored - differ, scored)
    assert not told


# Published values


def test_values_published_for_rouge_155():
    """The examples of rouge_score, with the values of ROUGE-1.5.5 in its own tests."""
    case = published("rouge-155")
    texts = case["rows"]
    assert len(case["published"]) == 3
    for name, values in case["published"].items():
        for key, scores in values.items():
            kind, stems = re.search(r"rouge\w+", key)[0], "-m" in key
            prediction, reference = texts[name]
            found = rouge([prediction], [reference], rouge_types=[kind], use_stemmer=stems)[kind]

            assert [round(float(value[0]), 5) for value in found] == scores


# Edge cases of the card


@pytest.mark.parametrize("row", rows_below("rouge_n_l", "Edge cases"), ids=" ".join)
def test_an_edge_case_of_the_card(row):
    prediction, references, options, result, why = (cell.strip("`") for cell in row)
    chosen = {"rouge_types": ["rouge1"]}
    for name, value in re.findall(r"(\w+)=(\[.*?\]|[^,]+)", options):
        chosen[name] = ast.literal_eval(value)
    columns = {
        "predictions": [ast.literal_eval(prediction)],
        "references": [ast.literal_eval(references)],
    }
    metric = load("rouge_n_l")

    if result == "error":
        with pytest.raises(ValueError, match=f"^{re.escape(why)}$"):
            metric.compute(**columns, **chosen)
    else:
        assert metric.compute(**columns, **chosen)[chosen["rouge_types"][0]] == float(result)
