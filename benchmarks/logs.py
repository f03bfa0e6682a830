"""A log of lm-evaluation-harness beside the same rows as JSON Lines without its other fields.

    python benchmarks/logs.py [ROWS]

Prints seconds of processor time from the file to EM, best of three; and the share of the speed of
plain rows that a log reaches, also for the same file read as plain rows.
"""

import json
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from metric_commons import score

FIELDS = {
    "log": (None, None),
    "the log as rows": ("filtered_resps[0]", "gold"),
    "rows": ("answer", "gold"),
}


def write(folder, rows):
    """The log, and the rows that it holds."""
    log, plain = folder / "samples_qa_2026-01-01T00-00-00.jsonl", folder / "rows.jsonl"
    with log.open("w") as samples, plain.open("w") as answers:
        for row in range(rows):
            answer, gold = f"answer {row % 97}", [f"Answer {row % 89}", f"the answer {row % 7}"]
            sample = {
                "doc_id": row,
                "doc": {"question": f"who wrote number {row}", "answer": gold},
                "target": str(gold),
                "arguments": {"gen_args_0": {"arg_0": f"Q: {row}?", "arg_1": {"until": ["\n"]}}},
                "resps": [[f" {answer}"]],
                "filtered_resps": [answer],
                "filter": "none",
                "metrics": ["exact_match"],
                "exact_match": 0.0,
                "gold": gold,
            }
            samples.write(json.dumps(sample) + "\n")
            answers.write(json.dumps({"id": row, "answer": answer, "gold": gold}) + "\n")
    return {"log": log, "the log as rows": log, "rows": plain}


def seconds(name, path):
    predictions, references = FIELDS[name]
    form = None if name == "log" else "rows"
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        score("qa_em", path, predictions=predictions, references=references, source=form)
        best = min(best, time.process_time() - start)
    return best


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with TemporaryDirectory() as folder:
        paths = write(Path(folder), rows)
        times = {name: seconds(name, path) for name, path in paths.items()}
    for name, best in times.items():
        print(f"{name:16} {best:6.2f} s  {times['rows'] / best:5.2f} of the speed of rows")


if __name__ == "__main__":
    main()
