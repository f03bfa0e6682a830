"""Spans of tags beside seqeval. Prints ratios of CPU time.

    python benchmarks/spans.py

Input are 46,435 tags of CoNLL-2003 and those of a system. Our scores are checked against seqeval's.
"""

import gzip
import sys
from pathlib import Path

from _measure import ratio
from seqeval.metrics import classification_report, f1_score
from seqeval.scheme import IOB2

from metric_commons import load
from metric_commons.labels.spans.spans import span_statistics

DATA = Path(__file__).parents[2] / "shared" / "data" / "sequences" / "spans"


def tags():
    packed = (DATA / "conll03_elmo_9222.tsv.gz").read_bytes()
    parts = gzip.decompress(packed).decode("utf-8").split("\n\n")
    rows = [[line.split("\t") for line in part.splitlines() if line] for part in parts]
    return [[[pair[side] for pair in row] for row in rows if row] for side in (1, 0)]


def main():
    if not DATA.exists():
        sys.exit(f"skipped: {DATA} is absent")
    predictions, references = tags()
    assert span_statistics(predictions, references).result()["f1"] == f1_score(
        references, predictions
    )
    metric = load("span_f1")
    print(f"{sum(map(len, references)):,} tags; CPU time, one thread")

    def ours():
        span_statistics(predictions, references).result()

    def report(**options):
        classification_report(references, predictions, **options)

    ratio("against f1_score of seqeval", ours, lambda: f1_score(references, predictions))
    ratio("against its report", ours, report)
    ratio(
        "IOB2, against its strict report",
        lambda: span_statistics(predictions, references, scheme="IOB2").result(),
        lambda: report(mode="strict", scheme=IOB2),
    )
    ratio(
        "through compute(), against its report",
        lambda: metric.compute(predictions=predictions, references=references),
        report,
    )


if __name__ == "__main__":
    main()
