"""Intervals of word error rates and BLEU: "auto" beside the bootstrap, CPU time of one thread.

    python benchmarks/intervals_of_sums.py

The time of the score itself is left out of both.
"""

import random

from _measure import ROUNDS, cpu_seconds

from metric_commons import load

WORDS = [f"w{number}" for number in range(500)]


def transcripts(rows):
    """Texts of about ten words, and the same with one word in ten replaced."""
    chance = random.Random(0)
    references = [
        chance.choices(WORDS, k=max(1, int(chance.lognormvariate(2.3, 0.6)))) for _ in range(rows)
    ]
    predictions = [
        " ".join(chance.choice(WORDS) if chance.random() < 0.1 else word for word in words)
        for words in references
    ]
    return {"predictions": predictions, "references": list(map(" ".join, references))}


def main():
    for rows in (100, 1_000, 4_000, 20_000):
        columns = transcripts(rows)
        for name in ("error_rate", "bleu"):
            metric = load(name)

            def seconds(metric=metric, columns=columns, **options):
                return min(
                    cpu_seconds(lambda: metric.compute(**columns, **options)) for _ in range(ROUNDS)
                )

            score = seconds()
            auto, bootstrap = (
                seconds(confidence_level=0.95, interval=method) - score
                for method in ("auto", "bootstrap")
            )
            print(
                f"{name} of {rows:,} rows, the bootstrap: {bootstrap / auto:.1f}x "
                f"({auto:.3f} s, {bootstrap:.3f} s)"
            )


if __name__ == "__main__":
    main()
