"""BLEU, chrF and TER beside sacrebleu. Prints ratios of CPU time.

    python benchmarks/translations.py

Input are 3,004 sentences that a system of WMT17 translated into German, and 2,037 that one of WMT22
translated into Chinese. Our scores are checked against sacrebleu's. sacrebleu keeps the words of
sentences that it has seen; each of its calls begins without them.
"""

import gzip
import sys
from functools import partial
from pathlib import Path

from _measure import ratio
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_intl import TokenizerV14International
from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp
from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

from metric_commons import load
from metric_commons.text.translation.character_ngrams import chrf_statistics
from metric_commons.text.translation.ngram_precision import bleu_statistics
from metric_commons.text.translation.translation_edit_rate import ter_statistics

DATA = Path(__file__).parents[2] / "shared" / "data" / "sequences" / "mt"
TOKENIZERS = (Tokenizer13a, TokenizerRegexp, TokenizerV14International, TokenizerZh)


def lines(name):
    packed = (DATA / f"{name}.txt.gz").read_bytes()
    return gzip.decompress(packed).decode("utf-8").split("\n")[:-1]


def by_sacrebleu(scorer, predictions, columns):
    for tokenizer in TOKENIZERS:
        tokenizer.__call__.cache_clear()
    return scorer.corpus_score(predictions, columns).score


def compare(title, statistics, scorer, predictions, columns, **options):
    references = [list(row) for row in zip(*columns, strict=True)]

    def ours():
        return statistics(predictions, references, **options).result()

    peer = partial(by_sacrebleu, scorer(**options), predictions, columns)
    assert next(iter(ours().values())) == peer()
    ratio(f"{title}, against sacrebleu", ours, peer)


def main():
    if not DATA.exists():
        sys.exit(f"skipped: {DATA} is absent")
    german = "wmt17.en-de."
    system, other = lines(f"{german}LIUM-NMT.4900"), lines(f"{german}FBK.4870")
    reference = lines(f"{german}reference")
    chinese = lines("wmt22.en-zh.Online-B")
    chinese_references = [lines(f"wmt22.en-zh.ref.{letter}") for letter in "AB"]
    print(f"{len(system):,} and {len(chinese):,} sentences; CPU time, one thread")
    compare("BLEU", bleu_statistics, BLEU, system, [reference])
    compare("BLEU, two references", bleu_statistics, BLEU, system, [reference, other])
    compare("BLEU of Chinese", bleu_statistics, BLEU, chinese, chinese_references, tokenize="zh")
    compare("BLEU, intl", bleu_statistics, BLEU, system, [reference], tokenize="intl")
    compare("chrF", chrf_statistics, CHRF, system, [reference])
    compare("chrF++", chrf_statistics, CHRF, system, [reference], word_order=2)
    compare("chrF, two references", chrf_statistics, CHRF, system, [reference, other])
    compare("chrF of Chinese", chrf_statistics, CHRF, chinese, chinese_references)
    english, english_reference = (
        lines(f"compare-mt.ted.{side}.detok.eng")[:600] for side in ("sys1", "ref")
    )
    compare("TER of 600 sentences", ter_statistics, TER, english, [english_reference])
    metric = load("bleu")
    ratio(
        "BLEU through compute(), against sacrebleu",
        lambda: metric.compute(predictions=system, references=reference),
        partial(by_sacrebleu, BLEU(), system, [reference]),
    )


if __name__ == "__main__":
    main()
