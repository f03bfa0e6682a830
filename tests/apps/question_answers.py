"""Answers of systems to questions of Natural Questions, with the figures of the SQuAD script.

The published answers lie outside of the repository. Everywhere there is the credited sample of the
examples, whose figures are those of the script in its most obvious form.
"""

import json
from math import fsum

import pytest

from tests.spec import GIVEN, ROOT
from tests.squad import official_f1
from tests.text_oracles import squad

SAMPLE = ROOT / "examples" / "nq_open.jsonl"
FOLDER = GIVEN / "data" / "text" / "openqa_eval"
PUBLISHED = {  # EM and F1 in percent
    "DPR": ("40.91", "47.78"),
    "FiD": ("46.48", "53.69"),
    "ANCE-plus_FiD": ("47.29", "54.84"),
    "GAR-plus_FiD": ("49.78", "57.43"),
    "EMDR2": ("51.47", "59.46"),
}
SOURCES = [
    "sample",
    pytest.param(
        "published", marks=pytest.mark.skipif(not FOLDER.is_dir(), reason=f"{FOLDER} is absent")
    ),
]


def answer_files(source, folder):
    """The file of each system, and its EM and F1 in percent.

    A row has the fields `question`, `prediction` and `answer`, which are the references.

    Args:
        source: "sample" or "published".
        folder: where the files of the sample are written.
    """
    if source == "published":
        return {FOLDER / f"NQ_{name}.jsonl": figures for name, figures in PUBLISHED.items()}
    rows = [json.loads(line) for line in SAMPLE.read_text("utf-8").splitlines()]
    files = {}
    for system in ("dpr", "fid", "emdr2"):
        path = folder / f"NQ_{system}.jsonl"
        answers = [
            {"question": row["question"], "prediction": row[system], "answer": row["answers"]}
            for row in rows
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in answers), "utf-8")
        files[path] = percent(answers, is_equal), percent(answers, official_f1)
    return files


def is_equal(answer, reference):
    return float(squad(answer) == squad(reference))


def percent(rows, score):
    best = (max(score(row["prediction"], text) for text in row["answer"]) for row in rows)
    return f"{100 * fsum(best) / len(rows):.2f}"
