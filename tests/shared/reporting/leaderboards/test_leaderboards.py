"""Boards compare options as results hold them, not as signatures print them."""

from pathlib import Path

from metric_commons.evaluation.comparison.saved_results import SavedResult
from metric_commons.evaluation.scoring.scoring import score
from metric_commons.reporting.leaderboards.leaderboards import (
    comparable,
    differences,
    entries,
)

REFERENCES = ["x"] * 12


def saved(name, right, **options):
    """A saved result of a system with so many right answers of twelve."""
    answers = ["x"] * right + ["y"] * (12 - right)
    results = score(
        "qa_em",
        predictions={name: answers},
        references=REFERENCES,
        options=options,
        rows=True,
    )
    return SavedResult(Path(f"{name}.json"), results)


def grouped(*results):
    return comparable(entries(results, "qa_em"))


def test_patterns_with_the_sign_between_options_are_told_apart():
    first = saved("a", 9, extract=[{"regex": "(no|1|12|yes)"}])
    second = saved("b", 3, extract=[{"regex": "(no|12|1|yes)"}])

    groups = grouped(first, second)

    assert len(groups) == 2
    assert differences(groups) == (
        'extract: {"regex": "(no|1|12|yes)"} (a.json), {"regex": "(no|12|1|yes)"} (b.json)'
    )
    assert len(grouped(first, saved("b", 3, extract=[{"regex": "(no|1|12|yes)"}]))) == 1


def clusters_of(points, seed, sample_size=4):
    results = score(
        "clustering",
        predictions=[row % 2 for row in range(12)],
        references=[[float(row)] for row in range(12)],
        options={"sample_size": sample_size, "measures": ["silhouette"]},
        seed=seed,
    )
    return SavedResult(Path(f"{points}.json"), results)


def test_scores_of_other_samples_are_told_apart_by_their_seed():
    def groups(*results):
        return comparable(entries(results, "silhouette"))

    assert len(groups(clusters_of("a", 0), clusters_of("b", 1))) == 2
    assert len(groups(clusters_of("a", 1), clusters_of("b", 1))) == 1
    assert len(groups(clusters_of("a", 0, None), clusters_of("b", 1, None))) == 1
