"""The letter that a text chooses: A, B, C ..., in several languages.

A letter counts where the text says that it is the answer. Candidates are few, so the words around
each are read, from the last one on.
"""

import re

from ..tokens.thoughts import without_thoughts

VERBS = r"(?:is|are|was|ist|lautet|es|est|é|è|это|هي|هو|是|为|為)"
_FULL_WIDTH = {ord("（"): "(", ord("）"): ")", ord("："): ":", ord("．"): ".", ord("。"): "."}
_FULL_WIDTH |= {code: chr(code - 0xFEE0) for code in range(ord("Ａ"), ord("Ｚ") + 1)}
_COMMAND = r"\\(?:text|textbf|mathrm|mathbf)\s*+\{"
_OPENING = rf"""[\s:*_$`"“'‘([<]*+ (?:\\\(\s*+)?+ (?:{_COMMAND}[\s(]*+)*+"""
_BOXED_LETTER = re.compile(
    rf"""\\boxed\{{ \s*+ (?:{_COMMAND}\s*+)*+ (?:(?i:option|choice|answer)\s++)?+ \(?
    (?: ([A-Z]) (?: \s*+[)}}] | [:.](?!\d) | \s++(?=\\text) ) | ([a-z]) \)? \s*+\}} )
    | \\textbf\{{\s*+\(([A-Z])\)\s*+\}}""",
    re.VERBOSE,
)
_LETTER = re.compile(r"[A-Z](?<![A-Za-z0-9_'’\\].)(?![A-Za-z0-9_'’])", re.DOTALL)
_ADVERBS = (
    r"(?:\s+(?:therefore|thus|hence|then|clearly|definitely|indeed|actually|simply|likely|most"
    r"|probably|obviously|the|option|choice|letter|answer))*+"
)
_ARTICLES = r"(?:(?:la|el|die|der|the|a)\s+|l['’])?+"
_OPTIONS = (
    r"(?:option|choice|letter|letra|lettre|lettera|buchstabe|opción|opção|opzione|вариант|الخيار)"
)
_CHOSEN = rf"{_ARTICLES}(?:{_OPTIONS}\s*+)?+"
_CLAIM_BEFORE = re.compile(
    rf"""(?:
      (?: answer | choice | option ) (?:,\s\w++,\s)?+ [\s*_]*+
        (?: (?:is|was|would\ be|should\ be|must\ be|has\ to\ be)\b {_ADVERBS}
          | [:=] | (?<=\s)[-–—](?=\s) )
      | (?: respuesta | antwort | réponse | risposta | resposta | ответ | الإجابة | الجواب )
        (?: \s+ (?:final|finale|correcta|corretta|correta|correcte|exacte|الصحيحة) )?+
        [\s*_]*+ (?: {VERBS} (?![A-Za-z]) | [:=] )
      | (?: 答案 | 答え | 解答 | 正解 | 正答 | 正しい(?:答え|選択肢|もの)? | 정답 | 답
          | 正确选项 | 正確選項 )
        [\s*_]*+ (?: 应该?是 | 应为 | {VERBS} | は | 은 | 는 | [:=] ) (?:选项|選項|選択肢)?+
      | (?<![不未别]) 选 择? [\s:]*+
      | \b(?: choos(?:e|ing) | chose | pick(?:ed|ing)? | select(?:ed|ing)?
          | go(?:ing)?\ with | opt(?:ing)?\ for )
    ) {_OPENING} {_CHOSEN} {_OPENING} \Z""",
    re.VERBOSE | re.IGNORECASE,
)
_CLAIM_WORD = re.compile(  # of which one is in each claim, and which is found faster
    "[nN]swer|NSWER|[hH]oice|HOICE|[pP]tion|PTION|uesta|UESTA|wort|WORT|ponse|PONSE|posta|POSTA"
    "|[^\\x00-\\x7f]|hoos|hose|pick|select|go|opt"
)
_DENIED = re.compile(
    r"(?:\b(?:not|never|cannot|if|whether|suppose|assume|unless)|n['’]t)\s+(?:(?:yet\s+)?"
    r"(?:think|believe|say|agree|mean|conclude|claim|sure|certain|clear)\s+)?(?:that\s+)?"
    r"(?:(?:the|my|a)\s+)?(?:(?:correct|right|best|final|true)\s+)?\Z",
    re.IGNORECASE,
)
_CLAIM_AFTER = re.compile(
    r"""[)\]*_`"”$}]*+ \s*+ (?:
      is\b {adverbs} \s+ (?:(?:only|most)\s+)?+ (?:correct|right|best|true|appropriate|accurate)\b
        (?!\s+(?:if|only|when)\b)
      | (?:选项)?\s* [是为]? \s* (?:正确|正確|对的)
      | が \s* 正(?:解|しい|答)
      | 번? \s* (?:가|이) \s* 정답 (?!이\s*아)
      | (?:[.!]|\Z|\n) (?P<ends>)
    )""".replace("{adverbs}", r"(?:\s+(?:therefore|thus|clearly|definitely|indeed|the))*+"),
    re.VERBOSE,
)
_NAMED = re.compile(r"\b(?:option|choice|answer)\s+[(\[*]*\Z", re.IGNORECASE)
_NO_CLAIM_AFTER = re.compile(
    r"""[)\]}*_`"”$]*+ (?:
      \s*+ [?]
      | \s*+ (?: or|and|y|e|o|et|ou|und|oder|[/&、和与或と와과] | ,(?:\s*+(?:or|and)\b)?+ ) \s*+
        \(?[A-Z]\)? (?![A-Za-z'’]) (?!\s+(?:is|was|are)\b)
      | \s*+ (?:가|이|은|는)? \s*+ 아(?:니|닙) | \s*+ (?:では|じゃ)(?:な|あ)
    )""",
    re.VERBOSE,
)
_SUBJECT = re.compile(  # "A is correct", but not "vitamin C is the best"
    r"(?:\A|[^\w\s(\[*]|\n|[^\x00-\x7f]|\b(?i:option|choice|answer|letter|that|so|thus|hence"
    r"|therefore|then|only|but|and|believe|think|clearly))\s*[(\[*_]*\Z"
)
_JOINED = re.compile(  # with another letter, or a condition
    r"(?:\b(?i:if|whether|nor|or|and|not)|[A-Z]\)?\s*[/,&])\s*(?:[Oo]ption\s+)?[(*\[]*\Z"
)
_SMALL_LETTER = re.compile(
    r"""[AaCcOo](?i:(?<=a)nswer|(?<=c)hoice|(?<=o)ption)[\s*_]*+(?:is|:|=)[\s*:_$`("]*+([a-j])"""
    r"""(?=[)\]*`"$]*+(?:[.,;!]|\s*+(?:\Z|\n)))"""
)
_PRONOUN = re.compile(  # or the article, by what follows
    r"\s+(?!because|since|as|is|and|or|rather|instead|not)[a-z]"
)
_NEGATIVE = re.compile(
    r"\b(?:not|than|wrong|incorrect|false|eliminat\w+|exclud\w+|rul\w+ out|unlike|instead of|except"
    r"|reject\w*|neither|nor|fails?|cannot)\b|n['’]t\b|错|不|errad|falsch|faux|incorrect",
    re.IGNORECASE,
)
_RETRACTION = re.compile(
    r"\b(?:wait|actually|however|but|no|hmm|correction|sorry|mistaken?|reconsider\w*"
    r"|on reflection)\b",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"[.!?\n]+(?:\s|\Z)|\n")
_BOLD_LETTER = re.compile(r"\*\*\(?([A-Z])(?:[.):][^*\n]{0,200}|\)?)\*\*")
_LETTER_ALONE = re.compile(
    r"(?:\*\*|`|\$|\\\(|\"|\[)?\(?([A-Z])\)?(?:\*\*|`|\$|\\\)|\"|\])?\s*+[.)]?"
)
_SMALL_LETTER_ALONE = re.compile(r"\(?[a-h]\)?\.?")
_OPTION_LINE = re.compile(r"\**\(?([A-Z](?=[.):])|[a-h](?=[.)]))[.):]\**\s++(?!or\b|and\b)(\S.*)")
_OPTION_INSIDE = re.compile(r"(?<![A-Za-z])\(?[A-Z][.)]\s|\([A-Z]\)")
_CLAIM_CHARACTERS = 80  # before a letter, that may say that it is the answer
_SHORT_ENDING = 256  # characters of a text in which a small letter may be
_ENDING = 2048  # characters of a text that are searched first
_LONGEST_LETTER = 12  # characters of a line with nothing but a letter


def _last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return the last match of a pattern; the end of a text, where answers are, is searched first.

    No match of the pattern may be inside another one with other groups.
    """
    size = _ENDING
    while True:
        start = max(len(text) - size, 0)
        matches = list(pattern.finditer(text, start))
        if matches or not start:
            return matches[-1] if matches else None
        size *= 8


def choice(text: str) -> str | None:
    r"""Return the final choice of a text, a letter.

    It is in the last box, else after the last "answer is", "option" or 答案是, in the languages of
    `final_answer`, else in bold type or alone in its line, or before the text of a single option.
    No community uses this step; it returns nothing rather than guess, as where a text names another
    letter later on.

    >>> choice("A is wrong. The answer is (B)."), choice("(B)"), choice("The answer: **C**")
    ('B', 'B', 'C')
    >>> choice("(A) or (B)"), choice("The answer is A fish"), choice("The answer is A or B")
    (None, None, None)
    >>> choice("option B is correct"), choice("**C. green**"), choice("答案是（D）。")
    ('B', 'C', 'D')
    >>> choice(r"\boxed{\text{C: green}}"), choice("La respuesta correcta es a.")
    ('C', None)
    """
    text = without_thoughts(text) or ""
    if not text.isascii():
        text = text.translate(_FULL_WIDTH)
    box = _last_match(_BOXED_LETTER, text) if "{" in text else None
    claim = _last_claim(text)
    if box and not (claim and _RETRACTION.search(text, box.end(), claim.start())):
        letter = str(next(filter(None, box.groups()))).upper()
        is_open = _RETRACTION.search(text, box.end()) and _names_another(text[box.end() :], letter)
        return None if is_open else letter
    rest = text[claim.end() :] if claim else text
    lines = [line.strip() for line in rest.split("\n")]
    alone = filter(None, map(_letter_alone, reversed(lines[1:] if claim else lines)))
    final = next(alone, None)
    if final or not claim:
        return final or _bold_or_first_letter(text)
    letter = claim[claim.lastindex or 0].upper()
    return None if _names_another(rest, letter) else letter


def _last_claim(text: str) -> re.Match[str] | None:
    """Return the last letter that a text says is the answer."""
    for letter in reversed(list(_LETTER.finditer(text))):
        if _is_claimed(text, letter):
            return letter
    small = list(_SMALL_LETTER.finditer(text, max(len(text) - _SHORT_ENDING, 0)))
    return small[-1] if small else None


def _is_claimed(text: str, letter: re.Match[str]) -> bool:
    start, end = letter.span()
    if letter[0] in "AI" and _PRONOUN.match(text, end):
        return False
    before = text[max(start - _CLAIM_CHARACTERS, 0) : start]
    if _NO_CLAIM_AFTER.match(text, end):
        return False
    claim = _CLAIM_WORD.search(before) and _CLAIM_BEFORE.search(before)
    if claim:
        return not _DENIED.search(before[: claim.start()])
    following = _CLAIM_AFTER.match(text, end)
    if not following:
        return False
    if following.lastgroup == "ends":  # "so, option B."
        sentence = _SENTENCES.split(before)[-1]
        return bool(_NAMED.search(before)) and not _NEGATIVE.search(sentence)
    return bool(_SUBJECT.search(before)) and not _JOINED.search(before)


def _names_another(rest: str, letter: str) -> bool:
    """Return whether the rest of a text takes a choice back, or ends with another one."""
    is_retracted = False
    sentences = list(filter(str.strip, _SENTENCES.split(rest)))
    for number, sentence in enumerate(sentences):
        is_retracted = is_retracted or _RETRACTION.search(sentence) is not None
        others = [
            other
            for other in _LETTER.finditer(sentence)
            if other[0] < "I"
            and other[0] != letter
            and not (other[0] == "A" and _PRONOUN.match(sentence, other.end()))
        ]
        if not others or _NEGATIVE.search(sentence):
            continue
        is_end = number == len(sentences) - 1 and not sentence[others[-1].end() :].strip(" )*`$]}")
        if is_retracted or is_end:
            return True
    return False


def _letter_alone(line: str) -> str | None:
    match = _LETTER_ALONE.fullmatch(line) if len(line) <= _LONGEST_LETTER else None
    return match[1] if match else None


def _bold_or_first_letter(text: str) -> str | None:
    """Return the only letter in bold type, or that of the option with which a text begins."""
    bold = set(_BOLD_LETTER.findall(text))
    if bold:
        return str(bold.pop()) if len(bold) == 1 else None
    first, *others = text.strip().split("\n")
    if _SMALL_LETTER_ALONE.fullmatch(text.strip()):
        return text.strip("() \n.").upper()
    option = _OPTION_LINE.fullmatch(first.strip())
    if not option or _OPTION_INSIDE.search(option[2]):
        return None
    letter = option[1].upper()
    is_list = any(_OPTION_LINE.match(line.strip()) for line in others)
    return None if is_list or _names_another("\n".join(others), letter) else letter
