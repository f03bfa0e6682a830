"""Score a dataset with `map`: each score becomes a column beside the answer it is about."""

from pathlib import Path

from datasets import Dataset

import metric_commons


def main():
    questions = Dataset.from_json(str(Path(__file__).parent / "capitals.jsonl"))
    qa_f1 = metric_commons.load("qa_f1")

    def scores(batch):
        result = qa_f1.compute(
            predictions=batch["borealis"], references=batch["answers"], per_example=True
        )
        return result["per_example"]

    scored = questions.map(scores, batched=True)

    print("The answers that share the least with an accepted one:")
    for row in sorted(scored, key=lambda row: row["qa_f1"])[:5]:
        print(f"  {row['qa_f1']:.2f}  {row['borealis']}  ({' / '.join(row['answers'])})")
    print(f"Mean F1 of {len(scored)} answers: {sum(scored['qa_f1']) / len(scored):.4f}")


if __name__ == "__main__":
    main()
