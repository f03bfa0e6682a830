from threading import Thread
from time import process_time

import pytest

from metric_commons.mathematics.algebra.work_limits import UndecidedError, limited_work, spend
from metric_commons.mathematics.parsing.mathematical_answers import parse_answer
from metric_commons.mathematics.parsing.notation import MAX_LENGTH
from metric_commons.mathematics.proof.equivalence import equivalent

PRIMES = [n for n in range(2, 3_000) if all(n % d for d in range(2, int(n**0.5) + 1))]


def repeated(unit, joined_by=""):
    """A text of the greatest length that is read."""
    return joined_by.join([unit] * ((MAX_LENGTH - 2) // len(unit + joined_by)))


def listed(pattern, values, joined_by="+"):
    items = [pattern % value for value in values]
    while len(joined_by.join(items)) > MAX_LENGTH - 2:
        del items[-1]
    return joined_by.join(items)


HOSTILE = {
    "power of a sum": "(x+y+z+1)^{24}",
    "both signs": r"\pm(x+y+z+1)^{24}",
    "powers of sums": repeated("(x+y+1)^{24}", "+"),
    "powers of powers": "(((x+1)^{24})^{24})^{24}",
    "sums as factors": repeated("(1+x+y)"),
    "sums of roots as factors": repeated(r"(\sqrt2+\sqrt3+\sqrt5+\sqrt7)"),
    "quotients of sums": repeated("(1+x)/(1+y)/") + "2",
    "continued fraction": r"\frac{x}{y+" * 38 + "x" + "}" * 38,
    "partial fractions": listed("1/(x+%d)", range(300)),
    "harmonic sum": listed("1/%d", PRIMES),
    "sum of roots": listed(r"\sqrt{%d}", PRIMES),
    "roots of large numbers": listed(r"\sqrt{1000000016000%06d}", range(99)),
    "tower": "9^{9^{9^{9}}}",
    "factorials of factorials": "3000!!!",
    "product of factorials": repeated("3000!", "*"),
    "quotients of factorials": repeated("3000!/2999!", "+"),
    "binomials": repeated(r"\binom{3000}{1500}", "+"),
    "long powers": repeated("2^{39000}", "*"),
    "long denominators": listed("1/3^{%d}", range(20_000, 20_200)),
    "huge exponent of i": "i^{" + "9" * 1_000 + "}",
    "huge exponent of 1": "1^{" + "9" * 1_000 + "}",
    "scientific numbers": repeated("1e399", "*"),
    "digits": "9" * 1_990,
    "many letters": listed("x_{%d}", range(999), ""),
    "sum of letters": listed("x_{%d}", range(999)),
    "product of letters": repeated("xyz "),
    "functions of functions": r"\sin(" * 39 + "x" + ")" * 39,
    "function of powers": r"\sin((\sin((x+y+1)^{12})+1)^{12})",
    "power of functions": r"(\sin x+\cos x+\tan x+1)^{24}",
    "sum of functions": listed(r"\sin(%dx)", range(999)),
    "list of numbers": listed("%d", range(100, 999), ","),
    "list of quotients": listed("1/(a+b+%d)", range(999), ","),
    "list of functions": listed(r"\sin %d", range(999), ","),
    "matrix": r"\begin{pmatrix}" + "&".join(["(x+y+1)^{24}"] * 140) + r"\end{pmatrix}",
    "brackets": "(" * 990 + "1" + ")" * 990,
    "commands": r"\sqrt" * 390 + "2",
    "bars": "|x" * 990,
    "texts": repeated(r"\text{"),
    "signs": "-" * 1_990 + "1",
    "white space": "^" + " " * 500_000 + "x",
    "a book": "x+" * 500_000,
    "nested roots": r"\sqrt{2+" * 38 + "2" + "}" * 38,
    "roots of many degrees": listed(r"\sqrt[%d]{2}", range(2, 60)),
    "sum of cosines": listed(r"\cos\frac{\pi}{%d}", range(3, 300)),
    "product of cosines": listed(r"\cos\frac{\pi}{%d}", range(3, 300), ""),
    "fine angles": r"\cos\frac{\pi}{9973}-\cos\frac{\pi}{9967}",
    "logarithms": listed(r"\ln %d", PRIMES),
    "products of logarithms": listed(r"\ln %d", PRIMES, r"\cdot "),
    "exponentials of sums": "e^{" + listed("x_{%d}", range(200)) + "}",
    "exponentials of exponentials": "e^{" * 38 + "x" + "}" * 38,
    "towers of roots": r"\sqrt[64]{" * 30 + "2" + "}" * 30,
    "sums of sums": r"\sum_{i=1}^{999}\sum_{j=1}^{999} ij",
    "sum of factorials": r"\sum_{i=1}^{999} i!",
    "products of sums": r"\prod_{i=1}^{999} (x+i)",
    "sum of roots by index": r"\sum_{i=1}^{999} \sqrt{i}",
    "inverse functions": listed(r"\arctan %d", range(2, 300)),
    "ambiguous letters": listed("f(%d)", range(300)),
    "list of roots": listed(r"\sqrt{%d}", range(2, 300), ","),
    "list of cosines": listed(r"\cos %d^\circ", range(1, 300), ","),
    "union of intervals": listed("(%d,1000)", range(300), r"\cup "),
    "inequalities": listed("x \\ne %d", range(300), r" \text{ and } "),
    "units": repeated("m^2 ") + "m",
    "letters in front of brackets": repeated("f("),
    "determinant": r"\begin{vmatrix}" + (r"x&" * 7 + r"y\\") * 8 + r"\end{vmatrix}",
    "power of a matrix": r"\begin{pmatrix}x&y\\1&2\end{pmatrix}^{64}",
    "long word": "a" * 1_990,
    "long word with digits": "2" + "ab" * 900,
    "primes": "'" * 1_990,
    "roots of sums": repeated(r"\sqrt{x+1}"),
    "powers of roots of sums": r"(\sqrt{x+1}+\sqrt{x+2}+1)^{24}",
    "nearly equal": r"\sqrt{2}+\sqrt{3}+\sqrt{5}+\sqrt{7}+\sqrt{11}+\sqrt{13}+\sqrt{17}",
}


def seconds_to_compare(left, right):
    parse_answer.cache_clear()
    start = process_time()
    equivalent(left, right)
    return process_time() - start


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_takes_long(text):
    pair = text, f"1+{text}"

    # Half a second where nothing else runs; a busy machine of two slow cores has taken .56.
    assert seconds_to_compare(*pair) < 1


def test_the_limit_is_that_of_one_thread():
    failures = []

    def spend_alone():
        try:
            spend(10)
        except UndecidedError as error:
            failures.append(error)

    with limited_work(10):
        spend(10)
        thread = Thread(target=spend_alone)
        thread.start()
        thread.join()
        with pytest.raises(UndecidedError, match="too much work"):
            spend(1)

    assert not failures


def test_limits_do_not_add_up():
    for _ in range(3):
        with limited_work(10):
            spend(10)
