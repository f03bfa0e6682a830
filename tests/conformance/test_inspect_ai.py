"""The preset `inspect_ai` and the scorers `f1` and `exact` of inspect_ai, live."""

import random

import pytest

from metric_commons import load
from metric_commons.module.catalog.presets import PRESETS

WORDS = (
    "the a an The bye Bye Stra\u00dfe STRASSE 3.14 (3.14) 3.14. 21.0% nan inf 1e3 1_000 - -- 5 -5 "
    "$5 x-y it's A. an-"
    " \u0130 \ufb01 fi \u5317\u4eac \n \t . ... +3 1,000 1e999 "
).split(" ")


@pytest.mark.long
def test_the_preset_is_the_rule_of_inspect_ai():
    scorers = pytest.importorskip("inspect_ai.scorer._classification")
    chance = random.Random(3)

    def text():
        return " ".join(chance.choices(WORDS, k=chance.choice([0, 1, 1, 2, 3, 5])))

    predictions = [text() for _ in range(1000)]
    references = [
        [
            chance.choice([prediction, text(), prediction.upper()])
            for _ in range(chance.choice([1, 3]))
        ]
        for prediction in predictions
    ]
    rows = {"predictions": predictions, "references": references, "per_example": True}
    exact, f1 = (
        load(name, **PRESETS["inspect_ai"].modules[name]).compute(**rows)["per_example"][name]
        for name in ("qa_em", "qa_f1")
    )
    pairs = list(zip(predictions, references, strict=True))

    assert exact == [scorers.max_exact_score(*pair) for pair in pairs]
    assert [round(score, 2) for score in f1] == [scorers.max_f1_score(*pair) for pair in pairs]
