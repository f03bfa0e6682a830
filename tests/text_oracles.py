"""Text metrics in the obvious way: the normalizers and the table of common subsequences."""

import re
import string
from contextlib import suppress

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


NORMALIZER_ORACLES = {
    "squad": squad,
    "triviaqa": triviaqa,
    "ultrarag": ultrarag,
    "ultrarag_keep_articles": ultrarag_keep_articles,
    "drop": drop,
    "lower": lambda text: " ".join(text.lower().split()),
    "strip_lower": lambda text: text.strip().lower(),
    "gsm8k": gsm8k,
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
