"""Random pairs of answers whose verdicts follow from how they are made.

Each family is a function from a `random.Random` to two texts and whether they are equal. Numbers
are compared with mpmath to 80 digits, so a family does not need the code that is tested.
"""

from fractions import Fraction

import mpmath

mpmath.mp.dps = 80

LETTERS = "abckmnpqrstvwxyz"


def same(left, right):
    """Whether two numbers of 80 digits are equal."""
    return abs(left - right) < mpmath.mpf(10) ** -60


def _monomial(random):
    letters = random.sample(LETTERS, random.randint(2, 3))
    return random.choice([1, 1, 2, 3, 5]), {x: random.choice([1, 1, 2, 3]) for x in letters}


def _written_monomial(coefficient, powers, random):
    letters = list(powers)
    random.shuffle(letters)
    join = random.choice(["", "", " ", r" \cdot ", "*"])
    parts = [x if powers[x] == 1 else f"{x}^{powers[x]}" for x in letters]
    if coefficient == 1:
        return join.join(parts)
    return join.join([str(coefficient), *parts])


def monomials(random):
    """3x^2y and 3 y x^2, or another power of one letter."""
    coefficient, powers = _monomial(random)
    other = dict(powers)
    is_equal = random.random() < 0.5
    if not is_equal:
        letter = random.choice(list(other))
        other[letter] += random.choice([1, 2])
    if 1 in (max(powers.values()), max(other.values())):
        coefficient = 2  # a product of letters alone may be a word
    return (
        _written_monomial(coefficient, powers, random),
        _written_monomial(coefficient, other, random),
        is_equal,
    )


def joined_letters(random):
    """ax^2 is a x^2, and not (ax)^2 = a^2 x^2."""
    a, b = random.sample(LETTERS, 2)
    n, k = random.randint(2, 5), random.randint(2, 9)
    left = rf"{k}{a}{b}^{n}"
    if random.random() < 0.5:
        return left, random.choice([f"{k}{b}^{n}{a}", rf"{k} {a} \cdot {b}^{{{n}}}"]), True
    return left, random.choice([f"{k}({a}{b})^{n}", f"{k}{a}^{n}{b}^{n}", f"{k}{a}^{n}{b}"]), False


def logarithms(random):
    """Sums of logarithms with rational bases."""
    base = random.choice([2, 3, 5, 10, Fraction(1, 2)])

    def written(number):
        if base == 10:
            return rf"\log_{{10}} {number}"
        return rf"\log_{{{base}}} {number}"

    a, b = random.randint(2, 40), random.randint(2, 40)
    c = a * b + random.choice([0, 0, 1, -1])
    left = mpmath.log(a) + mpmath.log(b)
    return f"{written(a)}+{written(b)}", written(c), same(left, mpmath.log(c))


def trigonometry(random):
    """Addition theorems at rational multiples of pi."""
    angles = [Fraction(random.randint(1, 11), random.choice([3, 4, 5, 6, 7, 8, 12])) for _ in "ab"]
    a, b = angles
    name = random.choice(["sin", "cos"])

    def written(function, angle):
        return rf"\{function}\left(\frac{{{angle.numerator}\pi}}{{{angle.denominator}}}\right)"

    def number(function, angle):
        turn = mpmath.pi * angle.numerator / angle.denominator
        return getattr(mpmath, function)(turn)

    if name == "sin":
        parts = [("sin", a, "cos", b), ("cos", a, "sin", b)]
        sign = random.choice([1, 1, -1])
        total = a + b
    else:
        parts = [("cos", a, "cos", b), ("sin", a, "sin", b)]
        sign = random.choice([-1, -1, 1])
        total = a + b
    products = [f"{written(f, x)}{written(g, y)}" for f, x, g, y in parts]
    values = [number(f, x) * number(g, y) for f, x, g, y in parts]
    left = values[0] + sign * values[1]
    text = f"{products[0]}{'+' if sign > 0 else '-'}{products[1]}"
    return text, written(name, total), same(left, number(name, total))


def nested_roots(random):
    """sqrt(a + b + 2 sqrt(ab)) is sqrt(a) + sqrt(b)."""
    a, b = random.sample(range(2, 40), 2)
    c = a + b + random.choice([0, 0, 0, 1])
    sign = random.choice("+-")
    left = rf"\sqrt{{{c}{sign}2\sqrt{{{a * b}}}}}"
    high, low = max(a, b), min(a, b)
    right = rf"\sqrt{{{high}}}{sign}\sqrt{{{low}}}"
    factor = 1 if sign == "+" else -1
    values = (
        mpmath.sqrt(c + factor * 2 * mpmath.sqrt(a * b)),
        mpmath.sqrt(high) + factor * mpmath.sqrt(low),
    )
    return left, right, same(*values)


def powers(random):
    """Exponentials with letters in their exponents."""
    base, shift = random.choice([2, 3, 5]), random.randint(1, 4)
    k = random.randint(2, 4)
    wrong = random.random() < 0.5
    pairs = [
        (f"{base}^{{x+{shift}}}", rf"{base**shift + wrong} \cdot {base}^x"),
        (f"{base**k}^x", f"{base}^{{{k + wrong}x}}"),
        (rf"\frac{{{base}^{{n+{shift}}}}}{{{base}^n}}", f"{base**shift + wrong}"),
        (f"e^{{{k}x}}e^{{x}}", f"e^{{{k + 1 + wrong}x}}"),
        (f"x^{{n+{k}}}", f"x^{{{k + wrong}}}x^n"),
    ]
    return *random.choice(pairs), not wrong


def intervals(random):
    """Intervals in brackets, as inequalities and as unions."""
    a = random.randint(-9, 8)
    b = random.randint(a + 1, 10)
    left_closed, right_closed = random.random() < 0.5, random.random() < 0.5
    interval = f"{'[' if left_closed else '('}{a}, {b}{']' if right_closed else ')'}"
    is_equal = random.random() < 0.5
    if not is_equal:
        right_closed = not right_closed
    signs = [r"\le" if closed else "<" for closed in (left_closed, right_closed)]
    k = random.choice([1, 2, 3])
    shift = random.randint(-3, 3)
    inner = f"{k if k > 1 else ''}x{shift:+d}" if shift else f"{k if k > 1 else ''}x"
    chain = f"{k * a + shift} {signs[0]} {inner} {signs[1]} {k * b + shift}"
    builder = rf"\{{x \mid {a} {signs[0]} x {signs[1]} {b}\}}"
    return interval, random.choice([chain, builder]), is_equal


UNITS = [
    *(("m", "metres"), ("km", "kilometers"), ("cm", "centimetres"), ("kg", "kilograms")),
    *(("s", "seconds"), ("h", "hours"), ("W", "watts"), ("mW", "milliwatts"), ("MW", "megawatts")),
]


def units(random):
    """Quantities in one unit, by its symbol or its word, or of one number in two units."""
    unit, other = random.sample(UNITS, 2)
    number = random.randint(1, 40)
    is_equal = random.random() < 0.5
    has_same_unit = is_equal or random.random() < 0.5
    name = random.choice(unit if has_same_unit else other)
    right = number + (has_same_unit and not is_equal)
    return rf"{number} \text{{ {random.choice(unit)}}}", rf"{right} \text{{ {name}}}", is_equal


def statements(random):
    """Equalities without letters, which say more than that they are true."""
    a, b = random.sample(range(2, 60), 2)
    c, d = random.sample(range(2, 60), 2)
    left = f"{a}+{b}={a + b}"
    if random.random() < 0.5:
        return left, f"{b}+{a}={a + b}", True
    if a + b == c + d:
        return left, f"{a}+{b + 1}={a + b + 1}", False
    return left, f"{c}+{d}={c + d}", False


FAMILIES = [
    *(monomials, joined_letters, logarithms, trigonometry, nested_roots, powers, intervals),
    *(units, statements),
]
