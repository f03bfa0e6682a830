"""Questions and answers in the form of SQuAD."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tests.text_oracles import squad as normalized


def squad(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> dict[str, Any]:
    """The dictionaries of questions, which are numbered."""
    return {
        "predictions": [
            {"id": f"q{row}", "prediction_text": text} for row, text in enumerate(predictions)
        ],
        "references": [
            {"id": f"q{row}", "answers": {"text": [*texts], "answer_start": [0] * len(texts)}}
            for row, texts in enumerate(references)
        ],
    }


def official(columns: Mapping[str, Any], threshold: float = 1.0) -> dict[str, float]:
    """What SQuAD's script evaluate-v2.0.py prints, from 0 to 1, step by step as it does."""
    accepted = {row["id"]: row["answers"]["text"] for row in columns["references"]}
    answers = {row["id"]: row["prediction_text"] for row in columns["predictions"]}
    probabilities = {row["id"]: row["no_answer_probability"] for row in columns["predictions"]}
    raw: dict[str, dict[str, float]] = {"exact": {}, "f1": {}}
    for name, texts in accepted.items():
        right = [text for text in texts if normalized(text)] or [""]
        raw["exact"][name] = max(float(normalized(answers[name]) == normalized(t)) for t in right)
        raw["f1"][name] = max(official_f1(answers[name], text) for text in right)
    result: dict[str, float] = {}
    for prefix, names in (
        ("", list(accepted)),
        ("HasAns_", [name for name in accepted if accepted[name]]),
        ("NoAns_", [name for name in accepted if not accepted[name]]),
    ):
        for key, scores in raw.items():
            values = [
                float(not accepted[name]) if probabilities[name] > threshold else scores[name]
                for name in names
            ]
            result |= {f"{prefix}{key}": sum(values) / len(names)} if names else {}
        result |= {f"{prefix}total": len(names)} if names else {}
    for key, scores in raw.items():
        total = best = float(sum(not texts for texts in accepted.values()))
        best_threshold = 0.0
        for name in sorted(probabilities, key=probabilities.__getitem__):
            total += scores[name] if accepted[name] else -1 if answers[name] else 0
            if total > best:
                best, best_threshold = total, probabilities[name]
        result |= {f"best_{key}": best / len(accepted), f"best_{key}_thresh": best_threshold}
    return result


def official_f1(answer: str, reference: str) -> float:
    """F1 of words; of texts without words whether both have none."""
    words = [normalized(text).split() for text in (answer, reference)]
    shared = sum((Counter(words[0]) & Counter(words[1])).values())
    if not all(words):
        return float(words[0] == words[1])
    return 2 * shared / (len(words[0]) + len(words[1]))
