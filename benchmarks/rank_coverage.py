"""How often the rank intervals of a board contain the true ranks of all its systems at once.

    python benchmarks/rank_coverage.py [samples [seed [FOLDER]]]

Tasks are drawn from a law of tasks whose mean scores are known, or rows from tasks whose true
scores are known. Writes a table for the page on statistics.
"""

import sys
from pathlib import Path

import numpy as np

from metric_commons.reporting.leaderboards import task_means as boards
from metric_commons.reporting.leaderboards.score_tables import ScoreTable

SAMPLES = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 0
FOLDER = Path(sys.argv[3]) if len(sys.argv) > 3 else Path(__file__).parents[1] / "docs" / "tables"
SIZES = [(systems, tasks) for systems in (5, 20, 100) for tasks in (10, 20, 40)]
ROWS = 200
POOL = 20_000  # tasks by which mean points are known


# Means have intervals of their own, which take longer than ranks.
boards._intervals_of_sample = lambda points, *_: [None] * len(points)


def abilities(law, systems):
    """Mean scores of systems: all equal, or all different."""
    return 0.5 + (0.3 * np.arange(systems) / systems if law == "different" else np.zeros(systems))


def drawn_tasks(rng, mean, tasks, law):
    """Scores of systems on tasks; in the last law half of the systems are skewed."""
    noise = rng.normal(0, 0.1, (mean.size, tasks))
    if law == "skewed":
        noise[::2] = 0.1 * (rng.exponential(1, noise[::2].shape) - 1)
    return mean[:, None] + rng.normal(0, 0.1, tasks) + noise


def points(scores):
    """The systems that each beats in each task, without ties."""
    return scores.argsort(axis=0).argsort(axis=0).astype(float)


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


def coverage(kind, sampled, law, systems, tasks, samples):
    rng = np.random.default_rng([SEED, systems, tasks, len(law)])
    mean = abilities(law, systems)
    truth = mean
    if sampled and kind == "borda" and law == "different":
        truth = points(drawn_tasks(rng, mean, POOL, law)).mean(axis=1)
    hits = 0
    for _ in range(samples):
        errors = np.full((systems, tasks), np.nan)
        if sampled:
            scores = drawn_tasks(rng, mean, tasks, law)
        else:
            rates = np.clip(drawn_tasks(rng, mean, tasks, law), 0.02, 0.98)
            if law == "equal":
                rates[:] = rates[0]
            truth = rates.mean(axis=1) if kind == "tasks" else tied_points(rates).sum(axis=1)
            scores = rng.binomial(ROWS, rates) / ROWS
            share = (scores * ROWS + 1) / (ROWS + 2)
            errors = np.sqrt(share * (1 - share) / (ROWS + 2))
        names = [str(system) for system in range(systems)]
        columns = [str(task) for task in range(tasks)]
        table = ScoreTable(names, columns, scores, [False] * tasks, errors, errors)
        hits += contains(boards.task_means(table, kind, sampled=sampled)[0], truth)
    return hits / samples


def tied_points(rates):
    """The systems that each beats in each task, where ties count half."""
    below = (rates[:, None] > rates).sum(axis=1)
    return below + ((rates[:, None] == rates).sum(axis=1) - 1) / 2


LINES = [  # what is drawn, by which the systems are ranked, and the law
    (True, "tasks", "equal"),
    (True, "tasks", "skewed"),
    (True, "tasks", "different"),
    (True, "borda", "equal"),
    (True, "borda", "different"),
    (False, "tasks", "equal"),
    (False, "tasks", "different"),
    (False, "borda", "equal"),
    (False, "borda", "different"),
]
WORDS = {
    "equal": "all systems equal",
    "skewed": "all equal, half of them with skewed scores",
    "different": "all systems different",
}


def main():
    head = " | ".join(f"{systems} x {tasks}" for systems, tasks in SIZES)
    lines = [f"| systems x tasks | {head} |", f"| --- |{' ---: |' * len(SIZES)}"]
    for sampled, kind, law in LINES:
        cells = [
            coverage(kind, sampled, law, *size, SAMPLES if size[0] < 100 else SAMPLES // 5)
            for size in SIZES
        ]
        name = f"{'tasks' if sampled else 'rows'} drawn, {'mean' if kind == 'tasks' else 'Borda'}"
        numbers = " | ".join(f"{cell:.3f}".removeprefix("0") for cell in cells)
        lines.append(f"| {name}: {WORDS[law]} | {numbers} |")
        print(lines[-1], flush=True)
    (FOLDER / "rank_coverage.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
