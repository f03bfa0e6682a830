"""The capital words of a response, among the tokens of NLTK's `word_tokenize` up to version 3.9."""

from ..tokens.treebank_words import treebank_words
from .punkt import sentence_spans


def capital_words(text: str) -> int:
    """Return the number of tokens whose letters are all capitals, and that have a letter.

    Contractions are divided, so DON'T is DO and N'T, and CANNOT is CAN and NOT.

    >>> capital_words("I DON'T like GPT-4."), capital_words("123")
    (4, 0)
    """
    sentences = (text[start:end] for start, end in sentence_spans(text))
    # Tokens consist of the characters of their sentence.
    return sum(
        sum(map(str.isupper, treebank_words(sentence, before_3_10=True)))
        for sentence in sentences
        if any(map(str.isupper, sentence))
    )
