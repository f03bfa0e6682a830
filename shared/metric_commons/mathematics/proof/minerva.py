r"""The normalization of answers for `minerva_math`, before sympy compares them.

The rule is from Lewkowycz et al. 2022, "Solving quantitative reasoning problems with language
models", appendix D. It deletes letters wherever they occur, such as "a " in "banana split".
"""

import re

_REPLACED = (
    ("an ", ""),
    ("a ", ""),
    (".$", "$"),
    (r"\$", ""),
    ("\\ ", ""),
    (" ", ""),
    ("mbox", "text"),
    (r",\text{and}", ","),
    (r"\text{and}", ","),
    (r"\text{m}", r"\text{}"),
)
_DELETED = (
    *("square", "ways", "integers", "dollars", "mph", "inches", "ft", "hours", "km", "units"),
    *(r"\ldots", "sue", "points", "feet", "minutes", "digits", "cents", "degrees", "cm", "gm"),
    *("pounds", "meters", "meals", "edges", "students", "childrentickets", "multiples"),
    *(r"\text{s}", r"\text{.}", "\\text{\ns}", r"\text{}^2", r"\text{}^3", "\\text{\n}"),
    *(r"\text{}", r"\mathrm{th}", r"^\circ", r"^{\circ}", r"\;", r",\!", "{,}", '"', r"\dots"),
)
# In this order: the content of dollar signs, the content of texts, braces for arguments.
_REWRITES = [
    (re.compile(pattern), replacement)
    for pattern, replacement in [
        (r".*?\$(.*?)\$.*", r"$\1$"),
        (r"\\text\{(.*?)\}", r"\1"),
        (r"\\textbf\{(.*?)\}", r"\1"),
        (r"\\overline\{(.*?)\}", r"\1"),
        (r"\\boxed\{(.*)\}", r"\1"),
        (r"frac([^{])(.)", r"frac{\1}{\2}"),
        (r"sqrt([^{])", r"sqrt{\1}"),
    ]
]


def minerva_normalized(text: str) -> str:
    r"""Return the answer for sympy: the text after the last =, without units.

    >>> minerva_normalized(r"The area is $x = \frac12$ square cm")
    '\\frac{1}{2}'
    >>> minerva_normalized("1,000")
    '1000'
    """
    text = text.split("=")[-1]
    for before, after in _REPLACED:
        text = text.replace(before, after)
    for deleted in _DELETED:
        text = text.replace(deleted, "")
    for pattern, replacement in _REWRITES:
        text = pattern.sub(replacement, text)
    text = text.replace("$", "")
    digits = text.replace(",", "")
    return digits if digits.isdigit() else text
