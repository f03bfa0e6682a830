"""Sizes of the files of states by module, and what it takes to merge them.

    python benchmarks/states.py [ROWS]

Prints tables in Markdown. Rows are drawn so that as many as can be differ: real ones need no more.
CPU time and sizes, as Parquet and as JSON Lines.
"""

import math
import random
import sys
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from _measure import ROUNDS

from metric_commons import State

ROWS, PARTS, ROWS_OF_A_PART = 100_000, 100, 1_000
ENDINGS = ("parquet", "jsonl")
WORDS = [f"word{number}" for number in range(500)]
TYPES = ["PER", "ORG", "LOC"]

CHANCE, RNG = random.Random(0), np.random.default_rng(0)


def texts(rows, of_several=False):
    golds = [" ".join(CHANCE.choices(WORDS, k=CHANCE.randrange(1, 12))) for _ in range(rows)]
    answers = [f"{gold.partition(' ')[2]} {CHANCE.choice(WORDS)}" for gold in golds]
    return {"predictions": answers, "references": [[g] for g in golds] if of_several else golds}


def options(rows):
    truth = [[1, 0, 0, 1], [0, 1, 0, 0]]
    return {
        "predictions": RNG.random((rows, 4)).tolist(),
        "references": [truth[number % 2] for number in range(rows)],
    }


def rankings(rows):
    names = np.array([f"d{number}" for number in range(40)])
    orders = RNG.permuted(np.tile(np.arange(40), (rows, 1)), axis=1)
    return {
        "predictions": names[orders[:, :20]].tolist(),
        "references": names[orders[:, 15:18]].tolist(),
    }


def labels(rows, classes=3):
    return dict(
        zip(("predictions", "references"), RNG.integers(0, classes, (2, rows)), strict=True)
    )


def probabilities(rows):
    references = RNG.integers(0, 2, rows)
    scores = 1 / (1 + np.exp(-RNG.normal(3 * references - 1.5, 2)))
    return {"predictions": scores, "references": references}


def numbers(rows):
    references = RNG.normal(size=rows)
    return {"predictions": references + RNG.normal(size=rows), "references": references}


def points(rows):
    return {"predictions": RNG.integers(0, 5, rows), "references": RNG.normal(size=(rows, 2))}


def tags(rows):
    kinds = ["O", *(f"{edge}-{kind}" for kind in TYPES for edge in "BI")]
    return {
        name: [CHANCE.choices(kinds, k=12) for _ in range(rows)]
        for name in ("predictions", "references")
    }


def possible_answers(rows):
    columns = texts(rows)
    return {
        "predictions": [
            {"id": str(i), "prediction_text": text, "no_answer_probability": CHANCE.random()}
            for i, text in enumerate(columns["predictions"])
        ],
        "references": [
            {"id": str(i), "answers": {"text": [text], "answer_start": [0]}}
            for i, text in enumerate(columns["references"])
        ],
    }


def grades(rows):
    drawn = zip(RNG.integers(0, 2, rows).tolist(), RNG.random(rows).tolist(), strict=True)
    return {"predictions": [{"correct": c == 1, "confidence": p} for c, p in drawn]}


MODULES = [  # module, options, what its rows are, rows
    ("qa_em", {}, "texts", texts),
    ("qa_f1", {}, "texts", texts),
    ("substring_recall", {}, "texts", texts),
    ("rouge_n_l", {}, "texts", texts),
    ("truthful_mc", {}, "four scores of options", options),
    (
        "pass_at_k",
        {},
        "ten outcomes",
        lambda n: {"predictions": RNG.integers(0, 2, (n, 10)).tolist()},
    ),
    ("win_rate", {}, "numbers from 0 to 1", lambda n: {"predictions": RNG.random(n)}),
    ("ir_ranking", {}, "twenty documents", rankings),
    (
        "paired_significance",
        {},
        "two numbers",
        lambda n: dict(zip(("predictions1", "predictions2"), RNG.random((2, n)), strict=True)),
    ),
    ("classification", {}, "labels", labels),
    ("classification", {}, "probabilities", probabilities),
    ("regression", {}, "numbers", numbers),
    ("regression", {"confidence_level": 0.95}, "numbers, with intervals", numbers),
    ("clustering", {"measures": "ari"}, "labels", labels),
    ("clustering", {}, "points of two numbers", points),
    ("error_rate", {}, "texts", texts),
    ("bleu", {}, "texts", lambda n: texts(n, of_several=True)),
    ("chrf", {}, "texts", lambda n: texts(n, of_several=True)),
    ("ter", {}, "texts", lambda n: texts(n, of_several=True)),
    ("span_f1", {}, "twelve tags", tags),
    ("squad_v2", {}, "texts and a probability", possible_answers),
    ("selective_answering", {}, "correct or not, and a probability", grades),
]
MERGED = ("qa_f1", "truthful_mc", "ir_ranking", "win_rate", "paired_significance", "classification")


def filled(module, settings, columns):
    state = State(module, **settings)
    state.update(**columns)
    return state


def saved(state, folder, name):
    """The files of a state, one of each form."""
    paths = [Path(folder) / f"{name}.{ending}" for ending in ENDINGS]
    for path in paths:
        state.save(path)
    return paths


def sizes(rows):
    print(f"| module | rows | as JSON Lines | as Parquet | as Parquet, all {rows:,} rows |")
    print("| --- | --- | --- | --- | --- |")
    for module, settings, kind, drawn in MODULES:
        with TemporaryDirectory() as folder:
            files = saved(filled(module, settings, drawn(rows)), folder, "rows")
            short, long = (path.stat().st_size for path in files)
        cells = f"{long / rows:.2f} | {short / rows:.2f} | {short:,}"
        print(f"| {module} | {kind} | {cells} |", flush=True)


def merges():
    print("| module | bytes of a part | CPU ms a part | as JSON Lines | total, bytes a row |")
    print("| --- | --- | --- | --- | --- |")
    for module, settings, kind, drawn in MODULES:
        if module not in MERGED or (module == "classification" and kind != "probabilities"):
            continue
        with TemporaryDirectory() as folder:
            forms = zip(
                *(
                    saved(filled(module, settings, drawn(ROWS_OF_A_PART)), folder, part)
                    for part in range(PARTS)
                ),
                strict=True,
            )
            (short, seconds, total), (_, slow, _) = (
                (parts[0].stat().st_size, *timed(partial(merged, parts))) for parts in forms
            )
            size = saved(total, folder, "total")[0].stat().st_size / (PARTS * ROWS_OF_A_PART)
        cells = f"{1000 * seconds / PARTS:.2f} | {1000 * slow / PARTS:.2f} | {size:.2f}"
        print(f"| {module} | {short:,} | {cells} |", flush=True)


def merged(paths):
    total, *others = map(State.read, paths)
    total.merge(*others)
    return total


def timed(call):
    """The least CPU seconds of a few calls, and what the last one returned."""
    least = math.inf
    for _ in range(ROUNDS):
        start = time.process_time()
        result = call()
        least = min(least, time.process_time() - start)
    return least, result


def main(rows=ROWS):
    print(f"Bytes a row, of {rows:,} rows:\n")
    sizes(rows)
    print(f"\n{PARTS:,} parts of {ROWS_OF_A_PART:,} rows merged:\n")
    merges()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
