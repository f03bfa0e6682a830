"""Text metrics in the obvious way: the normalizers and the table of common subsequences."""

import re
import string
import unicodedata
from contextlib import suppress
from functools import partial

from metric_commons.text.tokens.treebank_words import treebank_words

# The normalizers once more, as their communities write them: one character after another.


def without_articles(text):
    return re.sub(r"\b(a|an|the)\b", " ", text)


def squad(text):
    letters = "".join(ch for ch in text.lower() if ch not in string.punctuation)
    return " ".join(without_articles(letters).split())


def blanked(text):
    blank = string.punctuation + "‘’´`"
    return "".join(" " if ch in blank else ch for ch in text.replace("_", " ").lower())


def triviaqa(text):
    return " ".join(without_articles(blanked(text)).split())


def ultrarag(text):
    return triviaqa({"True": "yes", "False": "no"}.get(text, text))


def ultrarag_keep_articles(text):
    text = {"True": "yes", "False": "no"}.get(text, text)
    rest = without_articles(blanked(text))
    return " ".join((rest if rest.strip() else blanked(text)).split())


def drop(text):
    words = []
    for word in re.split(" |-", text):
        word = word.lower()
        try:
            float(word)
        except ValueError:
            word = "".join(ch for ch in word if ch not in string.punctuation)
        with suppress(ValueError):
            word = str(float(word))
        word = " ".join(without_articles(word).split())
        if word:
            words.append(word)
    return " ".join(words)


def gsm8k(text):
    for ignored in (",", r"\$", "(?s).*#### ", r"\.$"):
        text = re.sub(ignored, "", text)
    return text.lower()


MLQA_ARTICLES = {
    "en": r"\b(a|an|the)\b",
    "es": r"\b(un|una|unos|unas|el|la|los|las)\b",
    "vi": r"\b(của|là|cái|chiếc|những)\b",
    "de": r"\b(ein|eine|einen|einem|eines|einer|der|die|das|den|dem|des)\b",
    "ar": "\\s\u0627\u0644^|\u0627\u0644",  # its first half never matches
}


def is_ideograph(letter):
    return "\u4e00" <= letter <= "\u9fa5"


def mlqa(text, language):
    kept = [
        letter
        for letter in text.lower()
        if unicodedata.category(letter)[0] != "P" and letter not in string.punctuation
    ]
    text = "".join(kept)
    if language in MLQA_ARTICLES:
        text = re.sub(MLQA_ARTICLES[language], " ", text)
    if language == "zh":
        text = "".join(f" {letter} " if is_ideograph(letter) else letter for letter in text)
    return " ".join(text.split())


CMRC_MARKS = [*"-:_*^/\\~`+=，。：？！“”；’《》·、「」（）－～『』", "……"]


def cmrc(text):
    return "".join(letter for letter in text.lower().strip() if letter not in CMRC_MARKS)


def cmrc_tokens(text):
    """NLTK's words have a test of their own."""
    words, rest = [], ""
    for letter in cmrc(text):
        if is_ideograph(letter):
            words += [*treebank_words(rest), letter]
            rest = ""
        else:
            rest += letter
    return " ".join([*words, *treebank_words(rest)])


def korquad(text):
    for sign in "'\"《》<>〈〉()‘’":
        text = text.replace(sign, " ")
    return " ".join("".join(ch for ch in text.lower() if ch not in string.punctuation).split())


NORMALIZER_ORACLES = {
    "squad": squad,
    "triviaqa": triviaqa,
    "ultrarag": ultrarag,
    "ultrarag_keep_articles": ultrarag_keep_articles,
    "drop": drop,
    "lower": lambda text: " ".join(text.lower().split()),
    "strip_lower": lambda text: text.strip().lower(),
    "gsm8k": gsm8k,
    **{
        f"mlqa_{language}": partial(mlqa, language=language)
        for language in ("en", "es", "hi", "vi", "de", "ar", "zh")
    },
    "cmrc": cmrc,
    "cmrc_tokens": cmrc_tokens,
    "korquad": korquad,
    "korquad_characters": lambda text: " ".join(ch for ch in korquad(text) if not ch.isspace()),
    "none": lambda text: text,
}


def lcs_table(first, second):
    """Row i, column j: the length for the first i items and the first j."""
    table = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i, left in enumerate(first, start=1):
        for j, right in enumerate(second, start=1):
            if left == right:
                table[i][j] = table[i - 1][j - 1] + 1
            else:
                table[i][j] = max(table[i - 1][j], table[i][j - 1])
    return table


def lcs_walk(first, second):
    """The rows that a walk back from the last cell takes, as rouge_score walks; as bits."""
    table = lcs_table(first, second)
    i, j, rows = len(first), len(second), 0
    while i and j:
        if first[i - 1] == second[j - 1]:
            i, j = i - 1, j - 1
            rows |= 1 << i
        elif table[i][j - 1] > table[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return rows
