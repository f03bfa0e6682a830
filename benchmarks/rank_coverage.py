"""How often the rank intervals of a board contain the true ranks of all its systems at once.

    python benchmarks/rank_coverage.py [samples [seed [FOLDER]]]

Rows are drawn from tasks whose true scores are known. Writes a table for the page on statistics.
"""

import sys
from pathlib import Path

import numpy as np

from metric_commons.reporting.leaderboards.score_tables import ScoreTable
from metric_commons.reporting.leaderboards.task_means import task_means

SAMPLES = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 0
FOLDER = Path(sys.argv[3]) if len(sys.argv) > 3 else Path(__file__).parents[1] / "docs" / "tables"
SIZES = [(systems, tasks) for systems in (5, 20, 100) for tasks in (10, 20, 40)]
ROWS = 200


def abilities(law, systems):
    """Mean scores of systems: all equal, or all different."""
    return 0.5 + (0.3 * np.arange(systems) / systems if law == "different" else np.zeros(systems))


def drawn_tasks(rng, mean, tasks):
    """Scores of systems on tasks."""
    noise = rng.normal(0, 0.1, (mean.size, tasks))
    return mean[:, None] + rng.normal(0, 0.1, tasks) + noise


def contains(board, truth):
    """Whether each interval contains the rank, or the ranks if others are equal, of its system."""
    for record in board.records():
        value = truth[int(record["system"])]
        best, worst = record["rank_interval"]
        first = 1 + (truth > value + 1e-9).sum()
        last = truth.size - (truth < value - 1e-9).sum()
        if best > first or worst < last:
            return False
    return True


def coverage(kind, law, systems, tasks, samples):
    rng = np.random.default_rng([SEED, systems, tasks, len(law)])
    hits = 0
    for _ in range(samples):
        rates = np.clip(drawn_tasks(rng, abilities(law, systems), tasks), 0.02, 0.98)
        if law == "equal":
            rates[:] = rates[0]
        truth = rates.mean(axis=1) if kind == "tasks" else tied_points(rates).sum(axis=1)
        scores = rng.binomial(ROWS, rates) / ROWS
        share = (scores * ROWS + 1) / (ROWS + 2)
        errors = np.sqrt(share * (1 - share) / (ROWS + 2))
        names = [str(system) for system in range(systems)]
        columns = [str(task) for task in range(tasks)]
        table = ScoreTable(names, columns, scores, errors)
        hits += contains(task_means(table, kind)[0], truth)
    return hits / samples


def tied_points(rates):
    """The systems that each beats in each task, where ties count half."""
    below = (rates[:, None] > rates).sum(axis=1)
    return below + ((rates[:, None] == rates).sum(axis=1) - 1) / 2


LINES = [  # by which the systems are ranked, and the law
    ("tasks", "equal"),
    ("tasks", "different"),
    ("borda", "equal"),
    ("borda", "different"),
]
WORDS = {"equal": "all systems equal", "different": "all systems different"}


def main():
    head = " | ".join(f"{systems} x {tasks}" for systems, tasks in SIZES)
    lines = [f"| systems x tasks | {head} |", f"| --- |{' ---: |' * len(SIZES)}"]
    for kind, law in LINES:
        cells = [
            coverage(kind, law, *size, SAMPLES if size[0] < 100 else SAMPLES // 5) for size in SIZES
        ]
        name = "mean" if kind == "tasks" else "Borda"
        numbers = " | ".join(f"{cell:.3f}".removeprefix("0") for cell in cells)
        lines.append(f"| {name}: {WORDS[law]} | {numbers} |")
        print(lines[-1], flush=True)
    (FOLDER / "rank_coverage.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
