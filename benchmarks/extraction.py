"""What cutting answers out of texts costs: CPU time a text and step, at most 15 microseconds.

    python benchmarks/extraction.py

The texts are real: solutions of problems of GSM8K, and chains of thought with boxed answers.
"""

import gzip
import json
import sys
from functools import partial
from pathlib import Path

from _measure import cpu_seconds

from metric_commons.text import extract_answers
from metric_commons.text.extraction.step_chains import STEPS

ANSWERS = Path(__file__).parents[2] / "shared" / "data" / "answers"


def rows(name):
    with gzip.open(ANSWERS / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return list(map(json.loads, lines))


def main():
    if not ANSWERS.is_dir():
        sys.exit(f"no texts at {ANSWERS}")
    texts = [row["solution"] for row in rows("gsm8k_6b_finetuning")]
    texts += [row["text"] for row in rows("gsm8k_tora-70b-v1.0")]
    texts = list(dict.fromkeys(texts))
    choices = [["one", "two", "three", "none of these"]] * len(texts)
    print(f"{len(texts)} texts of {sum(map(len, texts)) / len(texts):.0f} characters")
    for step in STEPS:
        call = partial(extract_answers, texts, step, choices)
        seconds = min(cpu_seconds(call) for _ in range(5))
        microseconds = 1e6 * seconds / len(texts)
        print(f"{step:>18} {microseconds:6.2f} us")


if __name__ == "__main__":
    main()
