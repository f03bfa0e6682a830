"""The fast paths against the obvious way, on texts made to tell them apart."""

from collections import Counter

import pytest

from metric_commons.text.answers.answers import contained, exact_match, token_f1
from tests.tables import by_table
from tests.text_oracles import NORMALIZER_ORACLES, squad
from tests.texts import adversarial_rows


def longest_run(first, second):
    lengths = [
        length
        for i in range(len(first))
        for j in range(len(second))
        for length in range(1, min(len(first) - i, len(second) - j) + 1)
        if first[i : i + length] == second[j : j + length]
    ]
    return max(lengths, default=0)


def obvious_f1(prediction, reference, *, overlap="multiset", both_empty):
    words = prediction.split(), reference.split()
    if overlap == "set":
        words = tuple(map(set, words))
    predicted, relevant = map(len, words)
    if overlap == "longest_run":
        shared = longest_run(*words)
    else:
        shared = (Counter(words[0]) & Counter(words[1])).total()
    if not predicted and not relevant:
        return (both_empty,) * 3
    if not shared:
        return (0.0,) * 3
    precision, recall = shared / predicted, shared / relevant
    return 2 * precision * recall / (precision + recall), precision, recall


def obvious_contained(prediction, reference, *, match, always, even_in_empty=False):
    if match == "substring":
        if not reference:
            return always and (bool(prediction) or even_in_empty)
        return reference in prediction
    words, wanted = prediction.split(), reference.split()
    if match == "token_set":
        return set(wanted) <= set(words) if wanted else always
    if not wanted:
        return always and bool(words)
    return any(words[i : i + len(wanted)] == wanted for i in range(len(words)))


ROWS = 500  # some 1,800 texts for each normalizer


@pytest.fixture(scope="module", params=sorted(NORMALIZER_ORACLES))
def rows(request):
    """A normalizer, texts as they are, and as its oracle leaves them."""
    predictions, references = adversarial_rows(
        ROWS, seed=sorted(NORMALIZER_ORACLES).index(request.param)
    )
    oracle = NORMALIZER_ORACLES[request.param]
    normalized = [
        (oracle(p), [oracle(r) for r in of_row])
        for p, of_row in zip(predictions, references, strict=True)
    ]
    return request.param, predictions, references, normalized


def test_exact_match_equals_comparing_normalized_texts(rows):
    name, predictions, references, normalized = rows
    needs_text = name == "inspect_ai"
    expected = [[p == r and bool(p or not needs_text) for r in rs] for p, rs in normalized]

    any_equal = exact_match(predictions, references, normalizer=name)
    share = exact_match(predictions, references, normalizer=name, reference_aggregation="mean")

    assert any_equal.tolist() == [float(any(row)) for row in expected]
    assert share.tolist() == [sum(row) / len(row) for row in expected]
    assert 0.1 < any_equal.mean() < 0.9


@pytest.mark.parametrize("overlap", ["multiset", "set", "longest_run"])
def test_token_f1_equals_counting_words(rows, overlap):
    name, predictions, references, normalized = rows
    options = {"overlap": overlap, "both_empty": 1.0}
    expected = [
        max((obvious_f1(p, r, **options) for r in of_row), key=lambda scores: scores[0])
        for p, of_row in normalized
    ]

    scores = token_f1(predictions, references, normalizer=name, overlap=overlap)

    assert scores.f1.tolist() == [f1 for f1, _, _ in expected]
    assert scores.precision.tolist() == [precision for _, precision, _ in expected]
    assert scores.recall.tolist() == [recall for _, _, recall in expected]


@pytest.mark.parametrize("empty_reference", ["never", "always"])
@pytest.mark.parametrize("match", ["substring", "tokens", "token_set"])
def test_contained_equals_looking_for_it(rows, match, empty_reference):
    name, predictions, references, normalized = rows
    options = {"match": match, "always": empty_reference == "always"}
    options["even_in_empty"] = name == "strip_lower"  # as OLMES
    expected = [
        float(any(obvious_contained(p, r, **options) for r in of_row)) for p, of_row in normalized
    ]

    scores = contained(
        predictions, references, normalizer=name, match=match, empty_reference=empty_reference
    )

    assert scores.tolist() == expected


@pytest.mark.parametrize("name", sorted(NORMALIZER_ORACLES))
def test_few_rows_and_many_give_the_same(name):
    predictions, references = adversarial_rows(100, seed=7)
    one_by_one = [
        (
            exact_match([p], [of_row], normalizer=name)[0],
            *(scores[0] for scores in token_f1([p], [of_row], normalizer=name)),
            token_f1([p], [of_row], normalizer=name, overlap="longest_run").f1[0],
            contained([p], [of_row], normalizer=name)[0],
        )
        for p, of_row in zip(predictions, references, strict=True)
    ]

    together = zip(
        exact_match(predictions, references, normalizer=name),
        *token_f1(predictions, references, normalizer=name),
        token_f1(predictions, references, normalizer=name, overlap="longest_run").f1,
        contained(predictions, references, normalizer=name),
        strict=True,
    )

    assert list(together) == one_by_one


@pytest.mark.long
def test_long_texts_and_rows_beside_short_ones():
    words = [f"w{i % 977} café{i % 31}" for i in range(40_000)]
    long = " ".join(words)
    predictions = ["w1", long, "w2 the w3", *["x"] * 20]
    references = [long, [long.upper(), "w5"], "w3 w2", *["x"] * 20]

    scores = token_f1(predictions, references)

    expected = [
        max(
            obvious_f1(squad(p), squad(r), both_empty=1.0)[0]
            for r in ([of_row] if isinstance(of_row, str) else of_row)
        )
        for p, of_row in zip(predictions, references, strict=True)
    ]
    assert scores.f1.tolist() == expected


def test_a_callable_is_a_normalizer():
    first_word = lambda text: text.split()[0].lower()  # noqa: E731

    assert exact_match(["Paris, France"], ["paris, Texas"], normalizer=first_word).tolist() == [1.0]


@by_table("options, message")
def test_wrong_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        token_f1(["a"], ["b"], **options)


def test_a_row_without_references_is_named():
    with pytest.raises(ValueError, match=r"references\[1500\] is empty"):
        exact_match(["a"] * 2000, [["a"]] * 1500 + [[]] + [["a"]] * 499)


@pytest.mark.parametrize("score", [exact_match, token_f1, contained])
@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    [
        ("Paris", ["Paris"], "predictions must hold one text per row, got a str; pass a list"),
        (["Paris"], "Paris", "references must hold one text per row, got a str; pass a list"),
        (["a"], ["b", "c"], "predictions has 1 rows, references has 2 rows"),
    ],
)
def test_what_is_no_column_of_texts_is_refused(score, predictions, references, message):
    with pytest.raises(ValueError, match=message):
        score(predictions, references)
