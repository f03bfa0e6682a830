"""ROUGE beside rouge_score and its port to Rust. Prints ratios of CPU time.

    python benchmarks/rouge.py [PAIRS]

Input are answers of language models of 60 to 200 words, and texts of 2,000 words made of them. Our
scores are checked against the port's on every pair, and the port's against rouge_score's on those
pairs that rouge_score has time for. Every call stems its words anew: ours forgets the stems of
earlier calls first.
"""

import gzip
import json
import os
import sys
from pathlib import Path

os.environ["RAYON_NUM_THREADS"] = "1"  # before the port is imported: one thread each

import rouge_score_rs
from _measure import ROUNDS, cpu_seconds, peak_megabytes, ratio
from _rouge_floor import fastest, floor
from rouge_score.rouge_scorer import RougeScorer

from metric_commons import load
from metric_commons.text.rouge_overlaps import rouge_words
from metric_commons.text.rouge_overlaps.rouge_scores import rouge

DATA = Path(__file__).parents[2] / "shared" / "data" / "text" / "speed" / "speed_sum.json.gz"
PLAIN = ["rouge1", "rouge2", "rougeL"]
WITH_LINES = [*PLAIN, "rougeLsum"]
TEXTS_OF_A_LONG_ONE = 15


def new(text):
    """An equal string that no cache knows."""
    return (text + " ")[:-1]


def pairs(n):
    given = json.loads(gzip.decompress(DATA.read_bytes()))
    chosen = [given[i % len(given)] for i in range(n)]
    return [new(prediction) for prediction, _ in chosen], [new(r) for _, r in chosen]


def joined(texts):
    k = TEXTS_OF_A_LONG_ONE
    return ["\n".join(texts[i : i + k]) for i in range(0, len(texts) - k + 1, k)]


def uncached_rouge(predictions, references, **options):
    rouge_words._cached_stem.cache_clear()
    return rouge(predictions, references, **options)


def check(predictions, references, few, types, *, use_stemmer):
    """All scores are equal, bit by bit."""
    found = rouge(predictions, references, rouge_types=types, use_stemmer=use_stemmer)
    ours = [list(zip(*(v.tolist() for v in found[kind]), strict=True)) for kind in types]
    port = rouge_score_rs.RougeScorer(types, use_stemmer=use_stemmer)
    scorer = RougeScorer(types, use_stemmer=use_stemmer)
    scored = port.score_batch(references, predictions)
    assert ours == [[tuple(row[kind]) for row in scored] for kind in types]
    for row, (prediction, reference) in enumerate(
        zip(predictions[:few], references[:few], strict=True)
    ):
        expected = scorer.score(reference, prediction)
        assert all(tuple(scored[row][kind]) == tuple(expected[kind]) for kind in types)


def compare(title, predictions, references, few, types, *, use_stemmer):
    title += " with stemmer" if use_stemmer else ""
    check(predictions, references, few, types, use_stemmer=use_stemmer)
    scorer = RougeScorer(types, use_stemmer=use_stemmer)
    port = rouge_score_rs.RougeScorer(types, use_stemmer=use_stemmer)

    def ours():
        uncached_rouge(predictions, references, rouge_types=types, use_stemmer=use_stemmer)

    def peer():
        for prediction, reference in zip(predictions[:few], references[:few], strict=True):
            scorer.score(reference, prediction)

    def peer_in_rust():
        port.score_batch(references, predictions)

    ratio(f"{title}, against rouge_score", ours, peer, few / len(predictions))
    ratio(f"{title}, against rouge-score-rs", ours, peer_in_rust)


def bare_calls(title, predictions, references):
    """Print what numpy's calls alone take, without subsequences, beside the port's whole time."""
    stages = floor(predictions, references)
    port = rouge_score_rs.RougeScorer(PLAIN)
    whole = fastest(lambda: port.score_batch(references, predictions))
    seconds = ", ".join(f"{stage} {second:.3f} s" for stage, second in stages.items())
    share = sum(stages.values()) / whole
    print(
        f"{title}, calls of numpy alone: {seconds}; {share:.2f} of rouge-score-rs ({whole:.3f} s)"
    )


def few_rows(title, predictions, references, words, types, *, use_stemmer):
    """Print the ratio at each number of rows, which are cut to so many words."""
    scorer = RougeScorer(types, use_stemmer=use_stemmer)
    ratios = []
    for rows in range(1, 11):
        few = [
            [" ".join(text.split()[:words]) if words else text for text in side[:rows]]
            for side in (predictions, references)
        ]
        calls = 30 if words else 1

        def ours(few=few, calls=calls):
            for _ in range(calls):
                uncached_rouge(*few, rouge_types=types, use_stemmer=use_stemmer)

        def peer(few=few, calls=calls):
            for _ in range(calls):
                list(map(scorer.score, few[1], few[0]))

        times = [(cpu_seconds(ours), cpu_seconds(peer)) for _ in range(ROUNDS)]
        fastest = [min(column) for column in zip(*times, strict=True)]
        ratios.append(fastest[1] / fastest[0])
    print(f"{title}, against rouge_score: {' '.join(f'{each:.1f}' for each in ratios)}")


def main(n=2_000):
    if not DATA.exists():
        sys.exit(f"skipped: {DATA} is absent")
    predictions, references = pairs(n)
    long = joined(predictions), joined(references)
    words = sum(len(text.split()) for column in long for text in column) // (2 * len(long[0]))
    print(f"{n:,} pairs, and {len(long[0])} of {words:,} words; CPU time, one thread")
    for title, types in (("ROUGE-1/2/L", PLAIN), ("ROUGE-1/2/L/Lsum", WITH_LINES)):
        for use_stemmer in (False, True):
            compare(title, predictions, references, 100, types, use_stemmer=use_stemmer)
            compare(f"{title}, {words:,} words", *long, 2, types, use_stemmer=use_stemmer)

    bare_calls("ROUGE-1/2/L", predictions, references)
    bare_calls(f"ROUGE-1/2/L, {words:,} words", *long)

    metric = load("rouge_n_l")
    scorer = RougeScorer(PLAIN)
    ratio(
        "ROUGE-1/2/L through compute(), against rouge_score",
        lambda: metric.compute(predictions=predictions, references=references),
        lambda: list(map(scorer.score, references[:100], predictions[:100])),
        100 / n,
    )
    for title, types in (("ROUGE-1/2/L", PLAIN), ("ROUGE-1/2/L/Lsum", WITH_LINES)):
        for use_stemmer in (False, True):
            for size, words in (("one word", 1), ("five words", 5), ("whole texts", None)):
                kind = f"{title}{' with stemmer' * use_stemmer}, 1 to 10 rows of {size}"
                few_rows(kind, predictions, references, words, types, use_stemmer=use_stemmer)

    for size in (n, 10 * n):
        some = pairs(size)
        seconds = cpu_seconds(lambda some=some: rouge(*some, rouge_types=WITH_LINES))
        print(f"cost at {size:>7,} pairs, with Lsum: {seconds / size * 1e6:.1f} us a pair")
    peak = peak_megabytes(lambda: rouge(*some, rouge_types=WITH_LINES, use_stemmer=True))
    print(f"peak memory at {size:,} pairs: {peak:.0f} MB, results included")
    peak = peak_megabytes(lambda: rouge(*long, rouge_types=WITH_LINES, use_stemmer=True))
    print(f"peak memory of the long texts: {peak:.0f} MB, results included")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
