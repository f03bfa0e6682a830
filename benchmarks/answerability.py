"""SQuAD v2 beside the official script. Prints ratios of CPU time.

    python benchmarks/answerability.py

The peer's steps are written here from their definition, and checked against ours. Input are the
answers of a published system to 5,951 questions, with probabilities that are made up.
"""

import gzip
import json
import sys
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
from _measure import ratio
from qa import squad_normalize

from metric_commons import load
from metric_commons.text.answers.answerability import best_thresholds, scored_answers

ANSWERS = Path(__file__).parents[2] / "shared" / "data" / "answers"


def f1(answer, reference):
    words = squad_normalize(answer).split(), squad_normalize(reference).split()
    same = sum((Counter(words[0]) & Counter(words[1])).values())
    if not all(words):
        return int(words[0] == words[1])
    return 2 * same / (len(words[0]) + len(words[1]))


def exact(answer, reference):
    return int(squad_normalize(answer) == squad_normalize(reference))


def walk(answers, scores, probabilities, has_answer):
    """The best score and its threshold, as the script finds them."""
    total = best = sum(1 for name in has_answer if not has_answer[name])
    threshold = 0.0
    for name in sorted(probabilities, key=lambda name: probabilities[name]):
        if name not in scores:
            continue
        total += scores[name] if has_answer[name] else -1 if answers[name] else 0
        if total > best:
            best, threshold = total, probabilities[name]
    return best / len(scores), threshold


def main():
    if not ANSWERS.is_dir():
        sys.exit(f"no answers at {ANSWERS}")
    with gzip.open(ANSWERS / "squad2_cs224n_dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = list(map(json.loads, lines))
    predictions = [
        {
            "id": row["id"],
            "prediction_text": row["val"],
            "no_answer_probability": row["pseudo_no_answer_probability"]["val"],
        }
        for row in rows
    ]
    references = [
        {
            "id": row["id"],
            "answers": {"text": row["answers"], "answer_start": [0] * len(row["answers"])},
        }
        for row in rows
    ]
    answers = {row["id"]: row["prediction_text"] for row in predictions}
    probabilities = {row["id"]: row["no_answer_probability"] for row in predictions}
    accepted = {row["id"]: row["answers"]["text"] for row in references}
    has_answer = {name: bool(texts) for name, texts in accepted.items()}

    def scores():
        kept = {n: [t for t in ts if squad_normalize(t)] or [""] for n, ts in accepted.items()}
        return [
            {name: max(score(answers[name], text) for text in kept[name]) for name in kept}
            for score in (exact, f1)
        ]

    def walks(both):
        return [walk(answers, one, probabilities, has_answer) for one in both]

    both = scores()
    ours = scored_answers(predictions, references)
    found = best_thresholds(ours, ties="official")
    official = [value for pair in walks(both) for value in pair]
    assert np.allclose(list(found.values()), official, rtol=1e-12)
    module = load("squad_v2")
    print(f"{len(rows)} questions")
    ratio("thresholds", partial(best_thresholds, ours, ties="official"), partial(walks, both))
    ratio(
        "thresholds, grouped", partial(best_thresholds, ours, ties="grouped"), partial(walks, both)
    )
    compute = partial(module.compute, predictions=predictions, references=references)
    ratio("all scores", compute, lambda: walks(scores()))


if __name__ == "__main__":
    main()
