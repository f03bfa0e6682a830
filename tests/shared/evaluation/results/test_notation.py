import pytest

from metric_commons.evaluation.results.rendering import Notation, NumberFormat, is_proportion
from metric_commons.evaluation.scoring.scoring import score

GOLD = ["x"] * 400
SYSTEMS = {"good": ["x"] * 300 + ["y"] * 100, "fair": ["x"] * 200 + ["y"] * 200}


@pytest.fixture(scope="module")
def results():
    return score(
        "qa_em",
        predictions=SYSTEMS,
        references=GOLD,
        groups=["a", "b"] * 200,
        confidence_level=0.95,
        compare=True,
    )


@pytest.mark.parametrize(
    ("width", "decimals"), [(0.5, 2), (0.2, 2), (0.19, 3), (0.02, 3), (0.019, 4), (1e-5, 4), (0, 4)]
)
def test_the_last_digit_is_a_twentieth_of_the_interval_or_more(width, decimals):
    number_format = Notation().format_of([None, [0.3, 0.3 + width], [0.0, 1.0]])

    assert number_format.decimals == (decimals if width else 2)


def test_undefined_intervals_have_no_say():
    nan = float("nan")

    assert Notation().format_of([[nan, nan], [0.0, float("inf")]]) == NumberFormat(1, 4)


def test_numbers_have_the_digits_that_intervals_support(results):
    table = results.to_table("scores")

    assert "0.750 [0.705, 0.792]" in table
    assert "0.75 [0.70, 0.79]" in results.to_table("scores", digits=2)
    assert "75.0 [70.5, 79.2]" in results.to_table("scores", percent=True)
    assert "qa_em (%)" in results.to_markdown("groups", percent=True)
    assert "+25.0" in results.to_table("differences", percent=True)


def test_only_proportions_become_percentages():
    predictions, references = ["a b c d", "e f"], ["a b c x", "e f"]
    bleu = score("bleu", predictions=predictions, references=references)
    numbers = score("regression", predictions=[1.0, 2.0], references=[1.5, 2.0])
    errors = score("error_rate", predictions=predictions, references=references)

    assert "bleu  " in bleu.to_table("scores", percent=True)
    assert "brevity_penalty (%)" in bleu.to_table("scores", percent=True)
    assert "(%)" not in numbers.to_table("scores", percent=True).replace("r2 (%)", "")
    assert "wer (%)" in errors.to_table("scores", percent=True)
    assert "  hits" in errors.choose(["wer", "hits"]).to_table("scores", percent=True)
    assert not is_proportion("logged", "perplexity", [12.5])


def test_scores_up_to_100_have_one_decimal_and_counts_are_no_scores():
    texts = {"predictions": ["a b c d", "e f"], "references": ["a b c x", "e f"]}
    bleu = score("bleu", **texts)

    assert "ref_len" not in bleu.to_table()
    assert "ref_len" in bleu.to_csv()
    assert "ref_len" in bleu.choose(["ref_len"]).to_table()
    for text in (bleu.to_table(), bleu.to_latex()):
        assert f"{bleu['predictions']['bleu']['bleu']:.1f}" in text
        assert f"{bleu['predictions']['bleu']['bleu']:.2f}" not in text


def test_one_system_with_many_scores_has_a_row_for_each():
    rows = {"predictions": [1, 0, 1, 1], "references": [1, 0, 0, 1]}
    (table,) = score("classification", **rows, confidence_level=0.9).tables()

    assert table.header == ["score", "predictions"]
    assert table.rows[0] == ["accuracy", "0.75 [0.25, 0.99]"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"table": "score"}, "table must be one of 'scores', .* did you mean 'scores'"),
        ({"table": "ranks"}, "there is no table of ranks, only of scores, groups, differences"),
        ({"digits": -1}, "digits"),
        ({"digits": 16}, "digits"),
    ],
)
def test_what_cannot_be_shown_is_an_error(results, arguments, message):
    with pytest.raises(ValueError, match=message):
        results.to_table(**arguments)


def test_options_are_passed_to_score_as_to_compute():
    rows = {"predictions": ["A b"], "references": ["a-b"]}

    def blank(text):
        return text.lower().replace("-", " ")

    named = score("qa_em", **rows, normalizer=blank)
    assert named["predictions"] == {"qa_em": 1.0}
    same = score("qa_em", **rows, options={"normalizer": blank})
    assert named.signatures() == same.signatures()
    with pytest.raises(TypeError, match="'normalizer' is passed twice"):
        score("qa_em", **rows, normalizer=blank, options={"normalizer": "lower"})
