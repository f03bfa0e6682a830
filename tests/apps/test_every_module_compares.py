"""Two systems are compared by every module, of rows and of clusters."""

import random

import pytest

from metric_commons import score
from metric_commons.module.catalog.catalog import load_without_evaluate
from tests.generators.rows import FORMS, draw_rows
from tests.spec import METRICS

# Votes rate systems inside one table, differences are of two systems already, and programs take
# minutes; all others have predictions of one system.
WITHOUT_SYSTEMS = {"pairwise_ranking", "paired_significance", "code_eval"}
CALLS = [
    (name, form)
    for name in METRICS
    if name not in WITHOUT_SYSTEMS
    for form in dict.fromkeys(FORMS.get(name, (None,)))
]


def two_systems(name, form):
    """Columns of a module for two systems, and options; the second one's rows are moved by one."""
    chance = random.Random(7)
    inputs = load_without_evaluate(name).input_names
    columns, options = form(chance, 24) if form else draw_rows(name, inputs, chance, 24)
    # A column of that name would be the names of scores.
    columns = {column: rows for column, rows in columns.items() if rows is not None}
    if "scores" in columns | options:
        pytest.skip("its column `scores` is an argument of `score`")
    predictions = columns.pop("predictions")
    moved = predictions
    if isinstance(predictions, list):
        moved = [*predictions[1:], predictions[0]]
        try:
            score(name, predictions=moved, **columns, **options)
        except ValueError:  # rows whose inputs fit together
            moved = predictions
    return {"a": predictions, "b": moved}, {"n_resamples": 50, **columns, **options}


@pytest.mark.parametrize(("name", "form"), CALLS)
def test_two_systems_are_compared(name, form):
    predictions, rows = two_systems(name, form)
    clusters = [row // 2 for row in range(len(predictions["a"]))]
    results = score(name, predictions=predictions, compare=True, **rows)
    main = next(iter(results.comparisons), {}).get("score")
    if main is None:
        with_mean = results.systems["a"][name].scores.values()
        assert all(value != value for value in with_mean if isinstance(value, float))
        return
    by_clusters = score(
        name, predictions=predictions, clusters=clusters, compare=True, scores=[main], **rows
    )
    assert 2 < by_clusters.comparisons[0]["n_clusters"] <= len(set(clusters))
