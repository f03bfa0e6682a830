"""Scoring short answers against accepted ones: normalizers, exact match, token F1, containment.

A score compares two *normalized* texts; which normalizer, is what communities disagree about. Each
one here is equal to its community's function, on every string. Its obvious form, a function from
text to text, is its definition; where it works byte by byte on ordinary text, a `ByteRule` scores
whole blocks with equal results.
"""

import re
import string
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .checks import check_choice, check_share
from .ratios import PrecisionRecallF1, precision_recall_f1
from .references import Block, best, blocks, check_aggregation, mean
from .tokens import (
    ByteRule,
    Tokens,
    byte_rule,
    equal_texts,
    normalized_bytes,
    overlaps,
    tokenize,
)

Normalizer = str | Callable[[str], str]
Aggregation = Literal["max", "mean"]
Match = Literal["substring", "tokens", "token_set"]
Scores = NDArray[np.float64]
Flags = NDArray[np.bool_]

_FEW_ROWS = 10  # below this the fixed cost of numpy's calls outweighs what they save

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_HYPHEN_OR_SPACE = re.compile("[ -]")
_DELETE_PUNCTUATION = str.maketrans("", "", string.punctuation)
_QUOTES = "‘’´`"
_BLANK_PUNCTUATION = str.maketrans(dict.fromkeys(string.punctuation + _QUOTES, " "))
_TRUTH_VALUES = {"True": "yes", "False": "no"}


def squeeze(text: str) -> str:
    """The words of a text, joined by single spaces."""
    return " ".join(text.split())


def squad(text: str) -> str:
    """Lower-case; without ASCII punctuation, then without articles; squeezed.

    The order is that of the SQuAD script: punctuation goes first, so "the-end" becomes one word
    and keeps its article.

    >>> squad("The  Eiffel Tower!"), squad("the-end")
    ('eiffel tower', 'theend')
    """
    return squeeze(_ARTICLES.sub(" ", text.lower().translate(_DELETE_PUNCTUATION)))


def triviaqa(text: str) -> str:
    """As the TriviaQA script: punctuation, four quotation marks and `_` become spaces.

    >>> triviaqa("the-end"), triviaqa("J.K. Rowling’s")
    ('end', 'j k rowling s')
    """
    return squeeze(_ARTICLES.sub(" ", _blanked(text)))


def ultrarag(text: str) -> str:
    """As UltraRAG: `triviaqa`, but a text that is exactly True or False is yes or no.

    >>> ultrarag("True"), ultrarag("true")
    ('yes', 'true')
    """
    return triviaqa(_TRUTH_VALUES.get(text, text))


def ultrarag_keep_articles(text: str) -> str:
    """As later versions of UltraRAG: a text of nothing but articles keeps them.

    >>> ultrarag("A"), ultrarag_keep_articles("A"), ultrarag_keep_articles("A cat")
    ('', 'a', 'cat')
    """
    return ultrarag(text) or squeeze(_blanked(_TRUTH_VALUES.get(text, text)))


def drop(text: str) -> str:
    """As the DROP script: words split at spaces and hyphens, numbers as floats.

    What is not a number with its punctuation may be one without it: 21.0% becomes 210.

    >>> drop("The 1,000-year-old 21"), drop("21.0%")
    ('1000.0 year old 21.0', '210.0')
    """
    words = map(_drop_word, _HYPHEN_OR_SPACE.split(text))
    return " ".join(filter(None, words))


def lower(text: str) -> str:
    """Lower-case and squeezed, nothing else.

    >>> lower("The  Eiffel Tower!")
    'the eiffel tower!'
    """
    return squeeze(text.lower())


def strip_lower(text: str) -> str:
    """Lower-case and without white space at both ends, as OLMES does for its recall.

    >>> strip_lower("  New  York ")
    'new  york'
    """
    return text.strip().lower()


def _blanked(text: str) -> str:
    return text.replace("_", " ").lower().translate(_BLANK_PUNCTUATION)


def _drop_word(word: str) -> str:
    word = word.lower()
    if not _is_number(word):
        word = word.translate(_DELETE_PUNCTUATION)
    if _is_number(word):
        word = str(float(word))
    return squeeze(_ARTICLES.sub(" ", word))


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


NORMALIZERS: dict[str, Callable[[str], str]] = {
    "squad": squad,
    "triviaqa": triviaqa,
    "ultrarag": ultrarag,
    "ultrarag_keep_articles": ultrarag_keep_articles,
    "drop": drop,
    "lower": lower,
    "strip_lower": strip_lower,
    "none": str,
}


def normalize(text: str, normalizer: Normalizer = "squad") -> str:
    """The text as a normalizer, named or given, leaves it.

    >>> normalize("The Cat.", "squad"), normalize("The Cat.", str.upper)
    ('cat', 'THE CAT.')
    """
    return _function(normalizer)(text)


def _function(normalizer: Normalizer) -> Callable[[str], str]:
    if callable(normalizer):
        return normalizer
    check_choice("normalizer", normalizer, NORMALIZERS)
    return NORMALIZERS[normalizer]


def _lower_and_blank_quotes(text: str) -> str:
    text = text.lower()
    for quote in "‘’´":  # the fourth, `, is ASCII
        text = text.replace(quote, " ")
    return text


_blank = partial(byte_rule, fold=_lower_and_blank_quotes, lower=True, punctuation="space")
# Normalizers that leave nothing but words joined by single spaces, so that texts are equal
# when their words are. The others are applied text by text.
_BYTE_RULES: dict[Callable[[str], str], ByteRule] = {
    squad: byte_rule(squad, fold=str.lower, lower=True, punctuation="delete", articles="drop"),
    triviaqa: _blank(triviaqa, articles="drop"),
    ultrarag: _blank(ultrarag, articles="drop"),
    ultrarag_keep_articles: _blank(ultrarag_keep_articles, articles="drop_unless_alone"),
    lower: byte_rule(lower, fold=str.lower, lower=True),
}
_MAPS_TRUTH_VALUES = (ultrarag, ultrarag_keep_articles)
_WORDS = byte_rule(squeeze)


def exact_match(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    normalizer: Normalizer = "squad",
    reference_aggregation: Aggregation = "max",
) -> Scores:
    """For each row 1.0 if the prediction equals a reference, else 0.0; shape (rows,).

    Args:
        predictions: one text a row.
        references: the accepted text, or texts, of each row.
        normalizer: what both sides go through first: a name in `NORMALIZERS` or a function.
        reference_aggregation: "max" asks for any reference; "mean" gives the share of the
            references that are equal, which UltraRAG calls StringEM.

    >>> exact_match(["The Cat!", "dog"], ["cat", ["cat", "Dog."]]).tolist()
    [1.0, 1.0]
    >>> exact_match(["dog"], [["cat", "Dog."]], reference_aggregation="mean").tolist()
    [0.5]
    """
    check_aggregation(reference_aggregation)
    pairs = answer_pairs(predictions, references, normalizer=normalizer)
    return np.concatenate([some.hits(some.equal(), reference_aggregation) for some in pairs])


def token_f1(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    normalizer: Normalizer = "squad",
    overlap: Literal["multiset", "set"] = "multiset",
    both_empty: float = 1.0,
    reference_aggregation: Aggregation = "max",
) -> PrecisionRecallF1:
    """Precision, recall and F1 of the words that prediction and reference share; shape (rows,).

    With "max" all three are those of the reference with the highest F1, the first of equals.

    Args:
        predictions: one text a row.
        references: the accepted text, or texts, of each row.
        normalizer: what both sides go through first: a name in `NORMALIZERS` or a function.
        overlap: "multiset" counts repeated words, as SQuAD does; "set" does not, as DROP.
        both_empty: the score of two texts without words: 1 in SQuAD v2, 0 in SQuAD v1.
        reference_aggregation: "max" or "mean" over the references of a row.

    >>> token_f1(["to be or not"], [["be", "to be"]]).f1.tolist()
    [0.6666666666666666]
    >>> token_f1(["the"], ["a"], both_empty=0.0).f1.tolist()
    [0.0]
    """
    check_choice("overlap", overlap, ("multiset", "set"))
    check_share("both_empty", both_empty)
    check_aggregation(reference_aggregation)
    parts = []
    for pairs in answer_pairs(predictions, references, normalizer=normalizer):
        counted = pairs.shared_words(distinct=overlap == "set")
        scores = precision_recall_f1(counted.shared, counted.predicted, counted.relevant)
        neither = (counted.predicted == 0) & (counted.relevant == 0)
        for values in scores:
            values[neither] = both_empty
        if reference_aggregation == "max":
            chosen = best(scores.f1, pairs.references)
            parts.append([values.take(chosen) for values in scores])
        else:
            parts.append([mean(values, pairs.references) for values in scores])
    return PrecisionRecallF1(*map(np.concatenate, zip(*parts, strict=True)))


def contained(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    normalizer: Normalizer = "lower",
    match: Match = "substring",
    empty_reference: Literal["never", "always"] = "never",
    reference_aggregation: Aggregation = "max",
) -> Scores:
    """For each row 1.0 if the prediction contains a reference, else 0.0; shape (rows,).

    A prediction that normalizes to nothing contains nothing, as UltraRAG's Acc says. With
    `empty_reference="always"` there are two exceptions, where a reference that normalizes to
    nothing too is contained: `match="token_set"`, for UltraRAG's CoverEM, and substrings under the
    normalizer "strip_lower", since OLMES asks whether '' is in ''.

    Args:
        predictions: one text a row.
        references: the accepted text, or texts, of each row.
        normalizer: what both sides go through first: a name in `NORMALIZERS` or a function.
        match: "substring" looks at characters; "tokens" asks for the words of the reference one
            after another, as DPR does; "token_set" for all of them anywhere, UltraRAG's CoverEM.
        empty_reference: whether a reference that normalizes to nothing is contained "never" or
            "always". UltraRAG's Acc and CoverEM say always, so that a reference "A" matches.
        reference_aggregation: "max" asks for any reference, "mean" gives their share.

    >>> contained(["It is New York City."], [["york city", "NYC"]]).tolist()
    [1.0]
    >>> contained(["a boat"], ["oat"], match="tokens").tolist()
    [0.0]
    """
    check_choice("match", match, ("substring", "tokens", "token_set"))
    check_choice("empty_reference", empty_reference, ("never", "always"))
    check_aggregation(reference_aggregation)
    always = empty_reference == "always"
    pairs = answer_pairs(predictions, references, normalizer=normalizer)
    return np.concatenate(
        [
            some.hits(some.contained(match, empty_is_contained=always), reference_aggregation)
            for some in pairs
        ]
    )


class SharedWords(NamedTuple):
    """Counts of words, one a pair."""

    shared: NDArray[np.int64]
    predicted: NDArray[np.int64]
    relevant: NDArray[np.int64]


def answer_pairs(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    normalizer: Normalizer = "squad",
) -> Iterator["AnswerPairs"]:
    """The rows in blocks, each ready to be compared in several ways for the price of one reading.

    >>> for pairs in answer_pairs(["The cat", "dog"], [["cat", "cats"], "dogs"]):
    ...     print(pairs.equal().tolist(), pairs.contained("substring").tolist())
    [True, False, False] [True, False, False]
    """
    function = _function(normalizer)
    for block in blocks(predictions, references):
        yield AnswerPairs(block, function)


class AnswerPairs:
    """Each reference of some rows beside the prediction of its row, both normalized.

    What compares returns one value a pair: for each reference, row after row.
    """

    def __init__(self, block: Block, normalizer: Callable[[str], str]) -> None:
        self._block = block
        self._normalizer = normalizer
        self._few = len(block.sizes) <= _FEW_ROWS
        self.references = block.sizes - 1  # of each row

    def hits(self, hit: Flags, aggregation: Aggregation) -> Scores:
        """For each row whether any pair is a hit, or the share of its pairs that are."""
        starts = np.cumsum(self.references) - self.references
        hits = np.add.reduceat(hit, starts, dtype=np.int64)
        return (hits > 0).astype(np.float64) if aggregation == "max" else hits / self.references

    def equal(self) -> Flags:
        """Whether both texts are the same."""
        block = self._block
        if self._tokens is not None:
            return equal_texts(self._tokens, block.tails, block.owners)
        texts = self._texts
        return np.array([texts[r] == texts[p] for r, p in self._indices()], dtype=bool)

    def contained(self, match: Match, *, empty_is_contained: bool = False) -> Flags:
        """Whether the prediction contains the reference; see the function `contained`."""
        if match == "token_set":
            counted = self.shared_words(distinct=True)
            covered: Flags = (counted.shared == counted.relevant) & (counted.relevant > 0)
            if empty_is_contained:
                covered |= counted.relevant == 0
            return covered
        texts: Sequence[str | bytes]
        texts = self._texts if self._tokens is None else normalized_bytes(self._tokens)
        if match == "tokens":
            texts = [_between_spaces(text) for text in texts]
        even_in_empty = self._normalizer is strip_lower and match == "substring"
        return np.array(
            [
                texts[r] in texts[p]  # type: ignore[operator] # both str or both bytes
                if texts[r]
                else empty_is_contained and (even_in_empty or bool(texts[p]))
                for r, p in self._indices()
            ],
            dtype=np.bool_,
        )

    def shared_words(self, *, distinct: bool) -> SharedWords:
        """How many words both texts share, and how many each has, repetitions counted or not."""
        block = self._block
        if self._few:
            return self._counted(range(len(block.sizes)), distinct=distinct)
        tokens = tokenize(self._texts, _WORDS) if self._tokens is None else self._tokens
        found = overlaps(tokens, block.heads, block.sizes)
        shared = (found.shared_types if distinct else found.shared)[block.tails]
        words = found.types if distinct else tokens.counts
        result = SharedWords(shared, words[block.owners], words[block.tails])
        if found.unsure.any():
            rows = np.flatnonzero(np.logical_or.reduceat(found.unsure, block.heads))
            again = self._counted(rows.tolist(), distinct=distinct)
            at = np.isin(block.owners, block.heads[rows])
            for values, exact in zip(result, again, strict=True):
                values[at] = exact
        return result

    def _counted(self, rows: Sequence[int], *, distinct: bool) -> SharedWords:
        """The same counts for some rows, in the obvious way."""
        counts = []
        for row in rows:
            head = int(self._block.heads[row])
            texts = self._block.texts[head : head + int(self._block.sizes[row])]
            bags = [self._normalizer(text).split() for text in texts]
            predicted, *relevant = (Counter(set(bag) if distinct else bag) for bag in bags)
            for bag in relevant:
                counts.append(((bag & predicted).total(), predicted.total(), bag.total()))
        return SharedWords(*np.array(counts, dtype=np.int64).T.copy())

    @cached_property
    def _tokens(self) -> Tokens | None:
        """The tokens of all texts, where a rule of bytes does what the normalizer does."""
        rule = _BYTE_RULES.get(self._normalizer)
        if rule is None or self._few:
            return None
        texts = self._block.texts
        if self._normalizer in _MAPS_TRUTH_VALUES and ("True" in texts or "False" in texts):
            texts = [_TRUTH_VALUES.get(text, text) for text in texts]
        return tokenize(texts, rule)

    @cached_property
    def _texts(self) -> list[str]:
        """All texts, normalized one by one, each distinct one once."""
        known = {text: self._normalizer(text) for text in dict.fromkeys(self._block.texts)}
        return [known[text] for text in self._block.texts]

    def _indices(self) -> Iterator[tuple[int, int]]:
        """For each pair the index of its reference and of its prediction."""
        return zip(self._block.tails.tolist(), self._block.owners.tolist(), strict=True)


def _between_spaces(text: str | bytes) -> str | bytes:
    """A text such that containment is that of whole words, one after another."""
    if isinstance(text, bytes):
        return b" %b " % text if text else text
    words = squeeze(text)
    return f" {words} " if words else words
