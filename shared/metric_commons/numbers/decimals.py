"""Parse decimal numbers from text, for all rows at once, with the rounding of `float`."""

import re

import numpy as np

from .arrays import Booleans, Bytes, Floats, Integers, Unsigned

PADDING = 24  # bytes required before the first text, so that words can end where texts end

# A text and the blank after it. Possessive quantifiers (++) make the search five times as fast.
_TEXTS = re.compile(
    rb"(?:[+-]?+(?:(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?+"
    rb"|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?+) )*+"
)
_WORD = 8  # bytes
_LONGEST = 20  # characters without a sign, possibly including a decimal point
_DIGITS = 16  # integers with this many digits may not be exact
_EXACT_DIGITS = 15  # every integer of this many digits is a float
_SPLITTER = 2.0**27 + 1  # splits a float into two halves with half the digits each
_CLOSE = 2.0**-40  # exceeds the error of a double-double quotient in its last place
_BYTES = 0x0101010101010101  # a one in each byte of a word
_ZEROS, _TOP_BITS = np.uint64(ord("0") * _BYTES), np.uint64(0x80 * _BYTES)
_ABOVE_NINE = np.uint64(0x76 * _BYTES)  # adding this to a byte above 9 sets its top bit
_POINT, _MINUS, _PLUS = b".-+"
_FORMS = 8  # numbers of decimals to try


def decimals(data: Bytes, starts: Integers, ends: Integers) -> Floats | None:
    r"""Parse each text as a float; None if some text is not a number.

    A text of up to fifteen digits and a point is read as an integer, which a float holds exactly,
    and divided by a power of ten, which a float holds exactly too. The result is rounded once, as
    `float` rounds it (Clinger, How to read floating point numbers accurately, 1990). With up to
    nineteen digits the quotient is computed in double-double precision. Other texts are left to
    numpy's own conversion.

    Args:
        data: all texts, preceded by at least `PADDING` bytes.
        starts: where each text starts.
        ends: where each text ends; a blank must follow.

    >>> text = b" " * PADDING + b"-1.5 7 .25 1e-3 "
    >>> offsets = [np.array(columns) + PADDING for columns in ([0, 5, 7, 11], [4, 6, 10, 15])]
    >>> decimals(np.frombuffer(text, np.uint8), *offsets).tolist()
    [-1.5, 7.0, 0.25, 0.001]
    """
    unsigned, is_negative = _without_sign(data, starts)
    lengths = ends - unsigned
    values = np.empty(len(starts), np.float64)
    left = np.flatnonzero(lengths <= _LONGEST)
    odd = [np.flatnonzero(lengths > _LONGEST)]
    for _ in range(_FORMS):  # in nearly every file, all numbers have the same number of decimals
        if not left.size:
            break
        first = left[0]
        text = data[unsigned[first] : ends[first]].tobytes()
        decimal_count = len(text) - 1 - text.find(b".") if b"." in text else None
        rows = left
        if decimal_count is not None:
            has_point = (data[ends[left] - decimal_count - 1] == _POINT) & (
                lengths[left] > max(decimal_count, 1)
            )
            has_point[0] = True
            rows, left = (
                (left, left[:0]) if has_point.all() else (left[has_point], left[~has_point])
            )
        numbers, is_odd = _read(data, ends[rows], lengths[rows], decimal_count)
        values[rows] = numbers
        if decimal_count is not None:
            odd.append(rows[is_odd])
        else:  # texts with a decimal point remain
            odd.append(left[:1][is_odd[:1]])
            is_odd[0] = False
            left = left[is_odd]
    odd.append(left)
    np.negative(values, where=is_negative, out=values)
    other_rows = np.concatenate(odd)
    if other_rows.size:
        numbers_of_others = _others(data, starts[other_rows], ends[other_rows])
        if numbers_of_others is None:
            return None
        values[other_rows] = numbers_of_others
    return values


def integers(data: Bytes, starts: Integers, ends: Integers) -> Floats | None:
    r"""Parse each text as an integer; None if some text is not one, or has sixteen digits or more.

    >>> text = b" " * PADDING + b"2 -1 "
    >>> offsets = [np.array(columns) + PADDING for columns in ([0, 2], [1, 4])]
    >>> integers(np.frombuffer(text, np.uint8), *offsets).tolist()
    [2.0, -1.0]
    """
    unsigned, is_negative = _without_sign(data, starts)
    lengths = ends - unsigned
    if int(lengths.max(initial=0)) >= _DIGITS:
        return None
    values, is_odd = _read(data, ends, lengths, None)
    np.negative(values, where=is_negative, out=values)
    return None if is_odd.any() else values


def _without_sign(data: Bytes, starts: Integers) -> tuple[Integers, Booleans]:
    """Where the digits of each text start, and whether a minus sign precedes them."""
    first = data[starts]
    is_negative = first == _MINUS
    return starts + (is_negative | (first == _PLUS)), is_negative


def _read(
    data: Bytes, ends: Integers, lengths: Integers, decimal_count: int | None
) -> tuple[Floats, Booleans]:
    """Parse texts with the given number of decimals, where None means that there is no point.

    Returns:
        The numbers, and which texts hold anything besides digits and this point, or have to be
        converted in another way.
    """
    # A view with a stride of one byte has a word at every byte, without copying.
    view = np.ndarray((len(data) - _WORD + 1,), ">u8", data.data, strides=(1,))
    count = max(1, -(-int(lengths.max()) // _WORD))
    words = [view[ends - _WORD * (index + 1)].astype(np.uint64) for index in range(count)]
    if decimal_count is not None:  # the digits before the point move up to close the gap
        lengths = lengths - 1
        words = _without_byte(words, decimal_count)
    number, is_odd = _integer(words[0], lengths)
    is_odd |= (lengths == 0) | (lengths == _LONGEST)
    for index, word in enumerate(words[1:], start=1):
        upper_part, is_odd_upper = _integer(word, lengths - _WORD * index)
        number += upper_part * np.uint64(10 ** (_WORD * index))
        is_odd |= is_odd_upper
    numbers = number.astype(np.float64)
    if decimal_count:
        numbers /= 10.0**decimal_count
    is_long = lengths > _EXACT_DIGITS
    if is_long.any():
        numbers[is_long], is_close = _long_quotients(number[is_long], 10.0 ** (decimal_count or 0))
        is_odd[is_long] |= is_close
    return numbers, is_odd


def _long_quotients(number: Unsigned, power: float) -> tuple[Floats, Booleans]:
    """Divide integers of up to 19 digits by a power of ten up to 10^22, rounding once.

    The integer is the sum of a float and a remainder of at most 1024. The quotient of the float
    has a remainder that is itself a float (Dekker 1971), so the quotient is known to twice the
    digits of a float, and so is its distance from the number that it is rounded to.

    Returns:
        The quotients, and which are too close to the midpoint of two floats to be decided here.
    """
    high = number.astype(np.float64)
    low = (number - high.astype(np.uint64)).astype(np.int64).astype(np.float64)
    quotient = high / power
    head, tail = _product(quotient, power)
    correction = ((high - head) - tail + low) / power
    rounded: Floats = quotient + correction
    distance = np.abs(correction - (rounded - quotient))
    step = np.spacing(rounded)
    # Below a power of two, floats are half as far apart.
    is_close = np.abs(distance - step / 2) <= step * _CLOSE
    is_close |= np.abs(distance - step / 4) <= step * _CLOSE
    return rounded, is_close


def _product(left: Floats, right: float) -> tuple[Floats, Floats]:
    """The product as the sum of two floats, without error (Dekker and Veltkamp)."""
    product = left * right
    left_high = left * _SPLITTER - (left * _SPLITTER - left)
    right_high = right * _SPLITTER - (right * _SPLITTER - right)
    left_low, right_low = left - left_high, right - right_high
    error = left_high * right_high - product + left_high * right_low + left_low * right_high
    return product, error + left_low * right_low


def _without_byte(words: list[Unsigned], byte_number: int) -> list[Unsigned]:
    """Words, last one first, without the byte at this offset from the end."""
    index, byte_number = divmod(byte_number, _WORD)
    shifted = [word >> np.uint64(8) for word in words]
    shifted[:index], shifted[index] = words[:index], _removed(words[index], byte_number)
    for number in range(index, len(words) - 1):
        shifted[number] = shifted[number] | (words[number + 1] << np.uint64(56))
    return shifted


def _removed(word: Unsigned, byte_number: int) -> Unsigned:
    """A word without one byte; the bytes before it move up."""
    suffix = np.uint64(2 ** (8 * byte_number) - 1)
    return (word & suffix) | ((word >> np.uint64(8)) & ~suffix)


def _integer(word: Unsigned, lengths: Integers) -> tuple[Unsigned, Booleans]:
    """The integer that the last `lengths` bytes of a word spell, and whether any is not a digit.

    Adjacent digits are combined, then pairs, then groups of four.
    """
    kept = _LAST_BYTES[np.minimum(np.maximum(lengths, 0), _WORD)]
    digits = (word ^ _ZEROS) & kept
    is_odd = ((digits + _ABOVE_NINE) | digits) & _TOP_BITS != 0
    mask = np.uint64(0x000F000F000F000F)
    digits = ((digits >> np.uint64(8)) & mask) * np.uint64(10) + (digits & mask)
    mask = np.uint64(0x0000FFFF0000FFFF)
    digits = ((digits >> np.uint64(16)) & mask) * np.uint64(100) + (digits & mask)
    mask = np.uint64(0x00000000FFFFFFFF)
    return (digits >> np.uint64(32)) * np.uint64(10_000) + (digits & mask), is_odd


# Masks that keep the last n bytes of a word, for n from 0 to 8.
_LAST_BYTES = np.array([2 ** (8 * n) - 1 for n in range(_WORD + 1)], dtype=np.uint64)


def _others(data: Bytes, starts: Integers, ends: Integers) -> Floats | None:
    """As `decimals`, for texts of any form."""
    text = joined_slices(data, starts, ends + 1)
    text[np.cumsum(ends + 1 - starts) - 1] = ord(" ")  # whichever blank follows the text
    content = text.tobytes()
    return np.fromstring(content, np.float64, sep=" ") if _TEXTS.fullmatch(content) else None


def joined_slices(data: Bytes, starts: Integers, ends: Integers) -> Bytes:
    """Slices of an array of bytes, one after another.

    >>> joined_slices(
    ...     np.frombuffer(b"abcdef", np.uint8), np.array([4, 0]), np.array([6, 1])
    ... ).tobytes()
    b'efa'
    """
    lengths = ends - starts
    offsets = np.cumsum(lengths) - lengths
    positions = np.repeat(starts - offsets, lengths)
    positions += np.arange(len(positions))
    joined: Bytes = data[positions]
    return joined
