"""Mathematical equivalence beside math-verify and hendrycks_math. Prints ratios of CPU time.

    python benchmarks/mathematics.py

Input are recorded pairs of answers, written to be hard, and answers of Qwen2.5-Math to problems of
MATH. math-verify runs here in this process, without the time limits that it sets by signals; that
both say the same of nearly all pairs is checked. It may keep what it read in an earlier round; ours
may not.
"""

import gzip
import json
import logging
import sys
from pathlib import Path

from _measure import ratio
from math_verify import parse, verify

from metric_commons.mathematics import equivalence_scores
from metric_commons.formulas.mathematical_answers import parse_answer

ROOT = Path(__file__).parents[1]
CASES = ROOT / "tests" / "cases" / "answers.jsonl.gz"
QWEN = ROOT.parent / "shared" / "data" / "answers" / "math_cot_8samples.jsonl.gz"
KNOWN = 0.1  # the share of pairs on which both may disagree: math-verify rounds, and reads less


def rows(path):
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def recorded_pairs():
    cases = [case["inputs"] for case in rows(CASES) if case["module"] == "math_equivalence"]
    return [(case["references"][0], case["predictions"][0]) for case in cases]


def answers_of_qwen():
    return [(row["reference"], answer) for row in rows(QWEN) for answer in row["answers"]]


def ours(pairs):
    parse_answer.cache_clear()
    references, predictions = zip(*pairs, strict=True)
    return equivalence_scores(predictions, references).equal


def math_verify(pairs):
    def read(text):
        return parse(text if "$" in text else f"${text}$", parsing_timeout=None)

    return [
        float(verify(read(reference), read(prediction), timeout_seconds=None))
        for reference, prediction in pairs
    ]


def main():
    logging.getLogger("math_verify").setLevel(logging.ERROR)  # it warns that there is no limit
    data = {"recorded pairs": recorded_pairs()}
    if QWEN.exists():
        data["answers of Qwen2.5-Math"] = answers_of_qwen()
    for name, pairs in data.items():
        differences = sum(a != b for a, b in zip(ours(pairs), math_verify(pairs), strict=True))
        print(f"{len(pairs)} {name}: math-verify says otherwise of {differences}")
        if differences > KNOWN * len(pairs):
            sys.exit(f"more than {KNOWN:.0%} differ")
        ratio(
            f"{name}, against math-verify", lambda p=pairs: ours(p), lambda p=pairs: math_verify(p)
        )


if __name__ == "__main__":
    main()
