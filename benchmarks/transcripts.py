"""Error rates beside jiwer, and beside the distances of rapidfuzz. Prints ratios of CPU time.

    python benchmarks/transcripts.py

Input are 2,621 utterances of LibriSpeech and what a recognizer made of them. Our rates and counts
are checked against jiwer's. rapidfuzz computes distances alone, in C++.
"""

import gzip
import json
import random
import sys
from pathlib import Path

import jiwer
from _measure import ratio
from rapidfuzz.distance import Levenshtein

from metric_commons import load
from metric_commons.text.transcripts import edit_distance
from metric_commons.text.transcripts.edit_rate import error_statistics

DATA = Path(__file__).parents[2] / "shared" / "data" / "sequences" / "asr"
KEYS = ("wer", "hits", "substitutions", "deletions", "insertions")


def utterances():
    packed = (DATA / "librispeech_test_clean.deepspeech.jsonl.gz").read_bytes()
    rows = [json.loads(line) for line in gzip.decompress(packed).splitlines()]
    return [[row[side].lower() for row in rows] for side in ("prediction", "reference")]


def check(predictions, references):
    found = error_statistics(predictions, references).result()
    expected = jiwer.process_words(references, predictions)
    assert [found[key] for key in KEYS] == [getattr(expected, key) for key in KEYS]


def lines(characters, errors):
    """Lines of random letters, and the same with errors of the three kinds."""
    chance = random.Random(characters)
    letters = "abcdefghijklmnopqrstuvwxyz "
    references = [
        "".join(chance.choices(letters, k=characters)) for _ in range(40_000 // characters)
    ]
    predictions = [
        "".join(
            chance.choice(("", letter + "x", "y")) if chance.random() < errors else letter
            for letter in line
        )
        for line in references
    ]
    return predictions, references


def by_length():
    """Characters of lines of several lengths, with and without rapidfuzz."""
    peer, editops = jiwer.process_characters, edit_distance.editops
    for engine, function in (("with rapidfuzz", editops), ("without", None)):
        edit_distance.editops = function
        for characters in (20, 80, 360):
            for errors in (0.02, 0.3):
                predictions, references = lines(characters, errors)
                ratio(
                    f"{engine}, lines of {characters} characters, {errors:.0%} wrong",
                    lambda p=predictions, r=references: error_statistics(
                        p, r, unit="character"
                    ).result(),
                    lambda p=predictions, r=references: peer(r, p),
                )
    edit_distance.editops = editops


def main():
    if not DATA.exists():
        sys.exit(f"skipped: {DATA} is absent")
    predictions, references = utterances()
    check(predictions, references)
    metric = load("error_rate")
    print(f"{len(references):,} utterances; CPU time, one thread")
    for unit, peer in (("word", jiwer.process_words), ("character", jiwer.process_characters)):
        ratio(
            f"{unit}s, against jiwer",
            lambda unit=unit: error_statistics(predictions, references, unit=unit).result(),
            lambda peer=peer: peer(references, predictions),
        )
    ratio(
        "words through compute(), against jiwer",
        lambda: metric.compute(predictions=predictions, references=references),
        lambda: jiwer.process_words(references, predictions),
    )
    by_length()
    ratio(
        "characters, against the distances alone of rapidfuzz",
        lambda: error_statistics(predictions, references, unit="character").result(),
        lambda: list(map(Levenshtein.distance, references, predictions)),
    )


if __name__ == "__main__":
    main()
