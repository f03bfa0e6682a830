"""Compare two systems on the same questions: is the difference more than chance?

The answers of `atlas` are brief, those of `borealis` are sentences. F1 punishes the words around an
answer; substring recall does not, and by it these questions cannot tell the systems apart.
"""

import json
from pathlib import Path

import metric_commons


def main():
    lines = (Path(__file__).parent / "capitals.jsonl").read_text("utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    paired_significance = metric_commons.load("paired_significance")

    for name in ("qa_f1", "substring_recall"):
        module = metric_commons.load(name)
        atlas, borealis = (
            module.compute(
                predictions=[question[system] for question in questions],
                references=[question["answers"] for question in questions],
                per_example=True,
            )["per_example"][name]
            for system in ("atlas", "borealis")
        )
        result = paired_significance.compute(predictions1=atlas, predictions2=borealis)
        low, high = result["confidence_interval"]
        print(
            f"{name}: atlas {result['A_mean']:.4f}, borealis {result['B_mean']:.4f}, "
            f"difference {result['diff']:.4f} [{low:.4f}, {high:.4f}], "
            f"p = {result['p_value']:.4f}{' *' if result['significant'] else ''}"
        )


if __name__ == "__main__":
    main()
