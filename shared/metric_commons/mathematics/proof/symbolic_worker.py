"""A separate process that compares answers with sympy, or with math-verify.

It reads requests from standard input, one per line, and writes a verdict for each: true, false, or
null if the peer failed. A comparison may take forever, so the parent process ends this one after a
time limit. Run as a script, this file imports no other file of the package.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__)

Comparison = Callable[[str, str], bool | None]


def sympy_comparison() -> Comparison:
    """Return the comparison by sympy: the difference simplifies to 0, as in `minerva_math`."""
    import sympy
    from sympy.parsing.latex import _parse_latex_antlr as reader
    from sympy.parsing.latex.errors import LaTeXParsingError

    # It asks for antlr 4.11, but its tables are those of every version since 4.10.
    reader.version = lambda _: "4.11"
    parse_latex = reader.parse_latex
    try:
        parse_latex("1")
    except TypeError:
        problem = "antlr4-python3-runtime 4.10 or newer, which omegaconf does not accept"
        raise ImportError(problem) from None

    def compare(reference: str, prediction: str) -> bool | None:
        try:
            left, right = parse_latex(prediction), parse_latex(reference)
        except (LaTeXParsingError, sympy.SympifyError, TypeError):
            return False
        try:
            difference = left - right
        except TypeError:
            return False
        return bool(sympy.simplify(difference) == 0)

    return compare


def math_verify_comparison() -> Comparison:
    """Return the comparison by math-verify, for which the order of the two texts matters."""
    from math_verify import parse, verify

    def read(text: str) -> Any:
        # It finds formulas in a text by the signs that mark them.
        formula = text if "$" in text else f"${text}$"
        return parse(formula, parsing_timeout=None, raise_on_error=True)

    def compare(reference: str, prediction: str) -> bool | None:
        gold, target = read(reference), read(prediction)
        return bool(verify(gold, target, timeout_seconds=None, raise_on_error=True))

    return compare


COMPARISONS = {"minerva": sympy_comparison, "math_verify": math_verify_comparison}


def verdict(compare: Comparison, reference: str, prediction: str) -> bool | None:
    """Return the result of a comparison; None if it fails.

    >>> print(verdict(lambda reference, prediction: 1 / 0, "1", "1"))
    None
    """
    try:
        return compare(reference, prediction)
    except Exception:  # sympy raises many kinds of errors about input that it does not understand
        return None


def main(backend: str) -> None:
    """Report that the library is installed, or what is missing; then answer requests."""
    # The output of a library must not get between the verdicts.
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def write(content: Any) -> None:
        output.write(json.dumps(content) + "\n")
        output.flush()

    try:
        compare = COMPARISONS[backend]()
    except ImportError as error:
        write({"missing": str(error)})
        return
    write({})
    for line in sys.stdin:
        write(verdict(compare, *json.loads(line)))


if __name__ == "__main__":
    main(sys.argv[1])
