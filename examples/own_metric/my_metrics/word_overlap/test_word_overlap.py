from pathlib import Path

import metric_commons

FOLDER = Path(__file__).parent


def test_words_that_both_have_count():
    module = metric_commons.load(FOLDER)
    rows = {"predictions": ["a b", "c"], "references": ["B c", "c"]}

    assert module.compute(**rows) == {"word_overlap": (1 / 3 + 1) / 2}
    assert module.compute(**rows, lower=False) == {"word_overlap": 0.5}
    assert module.compute(**rows, per_example=True)["per_example"] == {"word_overlap": [1 / 3, 1.0]}
