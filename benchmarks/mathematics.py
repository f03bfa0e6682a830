"""Mathematical equivalence beside math-verify: verdicts by kind of answer, and ratios of CPU time.

    python benchmarks/mathematics.py            # ratios
    python benchmarks/mathematics.py --table    # the table of the card, from labelled pairs

Input are recorded pairs of answers, written to be hard, answers of Qwen2.5-Math to problems of
MATH, and labelled pairs of 40 kinds. math-verify runs here in this process, without the time limits
that it sets by signals. It may keep what it read in an earlier round; ours may not.
"""

import gzip
import json
import logging
import sys
from collections import defaultdict
from pathlib import Path

from _measure import ratio
from math_verify import parse, verify

from metric_commons.mathematics import equivalence_scores, equivalent
from metric_commons.mathematics.parsing.mathematical_answers import parse_answer

ROOT = Path(__file__).parents[1]
CASES = ROOT / "tests" / "cases" / "answers.jsonl.gz"
QWEN = ROOT.parent / "shared" / "data" / "answers" / "math_cot_8samples.jsonl.gz"
LABELLED = ROOT.parent / "shared" / "cases" / "mathematics.jsonl"
KNOWN = 0.1  # the share of pairs on which both may disagree: math-verify rounds, and reads less
WITHOUT_TABLE = ("extraction", "choice letters")


def rows(path):
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def recorded_pairs():
    cases = [case["inputs"] for case in rows(CASES) if case["module"] == "math_equivalence"]
    return [(case["references"][0], case["predictions"][0]) for case in cases]


def answers_of_qwen():
    return [(row["reference"], answer) for row in rows(QWEN) for answer in row["answers"]]


def labelled():
    """Labelled pairs without options, which math-verify does not have."""
    cases = map(json.loads, LABELLED.read_text("utf-8").splitlines())
    return [
        case for case in cases if not case["options"] and not case["kind"].startswith(WITHOUT_TABLE)
    ]


def ours(pairs):
    parse_answer.cache_clear()
    references, predictions = zip(*pairs, strict=True)
    return equivalence_scores(predictions, references).equal


def equal_for_math_verify(reference, prediction):
    def read(text):
        return parse(text if "$" in text else f"${text}$", parsing_timeout=None)

    return float(verify(read(reference), read(prediction), timeout_seconds=None))


def math_verify(pairs):
    return [equal_for_math_verify(*pair) for pair in pairs]


def table():
    """For each kind: pairs, undecided, and what math-verify accepts or rejects wrongly."""
    counts = defaultdict(lambda: [0] * 4)
    for case in labelled():
        pair, allowed = (case["reference"], case["prediction"]), case["verdict"]
        row = counts[case["kind"]]
        row[0] += 1
        row[1] += equivalent(*pair) is None and None not in allowed
        opinion = equal_for_math_verify(*pair) if case["kind"] != "hostile" else 0.0
        row[2] += opinion == 1 and True not in allowed
        row[3] += opinion == 0 and allowed == [True]
    print("| Kind | Pairs | Undecided | Wrongly equal for math-verify | Missed by math-verify |")
    print("| --- | --- | --- | --- | --- |")
    for kind, row in sorted(counts.items()):
        print(f"| {kind} | {' | '.join(map(str, row))} |")
    totals = [sum(column) for column in zip(*counts.values(), strict=True)]
    print(f"| all | {' | '.join(map(str, totals))} |")


def main():
    logging.getLogger("math_verify").setLevel(logging.ERROR)  # it warns that there is no limit
    if "--table" in sys.argv:
        table()
        return
    data = {"recorded pairs": recorded_pairs()}
    if QWEN.exists():
        data["answers of Qwen2.5-Math"] = answers_of_qwen()
    if LABELLED.exists():
        cases = [case for case in labelled() if case["kind"] != "hostile"]
        data["labelled pairs"] = [(case["reference"], case["prediction"]) for case in cases]
    for name, pairs in data.items():
        differences = sum(a != b for a, b in zip(ours(pairs), math_verify(pairs), strict=True))
        print(f"{len(pairs)} {name}: math-verify says otherwise of {differences}")
        if differences > KNOWN * len(pairs) and name != "labelled pairs":
            sys.exit(f"more than {KNOWN:.0%} differ")
        ratio(
            f"{name}, against math-verify", lambda p=pairs: ours(p), lambda p=pairs: math_verify(p)
        )


if __name__ == "__main__":
    main()
