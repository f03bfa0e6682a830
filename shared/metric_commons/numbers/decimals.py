"""Decimal numbers in text, read for all rows at once and rounded as `float` rounds them."""

import re

import numpy as np

from .arrays import Booleans, Bytes, Floats, Integers, Unsigned

PADDING = 16  # bytes that must stand before the first text, so that words end where texts end

# A text, and a blank behind it. Possessive quantifiers (++) make the search five times as fast.
_TEXTS = re.compile(
    rb"(?:[+-]?+(?:(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?+"
    rb"|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?+) )*+"
)
_WORD = 8  # bytes
_DIGITS = 2 * _WORD
_EVERY = 0x0101010101010101  # a one in every byte of a word
_ZEROS, _TOP_BITS = np.uint64(ord("0") * _EVERY), np.uint64(0x80 * _EVERY)
_ABOVE_NINE = np.uint64(0x76 * _EVERY)  # what added to a byte above 9 sets its top bit
_POINT, _MINUS, _PLUS = b".-+"
_FORMS = 8  # how many places of the point are tried


def decimals(data: Bytes, starts: Integers, ends: Integers) -> Floats | None:
    r"""The numbers that texts stand for; None if a text is none.

    A text of at most sixteen characters, digits with at most one point among them, is read as an
    integer below 10^15, which a float holds exactly, and divided by a power of ten up to 10^15,
    which it holds exactly too: one rounding, as `float` has it (Clinger, How to read floating point
    numbers accurately, 1990). Other texts go through numpy's own conversion, rounded as well.

    Args:
        data: all texts, the first of them after at least `PADDING` bytes.
        starts: where each text starts.
        ends: where each text ends; a blank follows it.

    >>> text = b" " * PADDING + b"-1.5 7 .25 1e-3 "
    >>> offsets = [np.array(columns) + PADDING for columns in ([0, 5, 7, 11], [4, 6, 10, 15])]
    >>> decimals(np.frombuffer(text, np.uint8), *offsets).tolist()
    [-1.5, 7.0, 0.25, 0.001]
    """
    unsigned, is_negative = _without_sign(data, starts)
    lengths = ends - unsigned
    values = np.empty(len(starts), np.float64)
    left = np.flatnonzero(lengths <= _DIGITS)
    odd = [np.flatnonzero(lengths > _DIGITS)]
    for _ in range(_FORMS):  # nearly always all texts of a file have their point at one place
        if not left.size:
            break
        first = left[0]
        text = data[unsigned[first] : ends[first]].tobytes()
        places = len(text) - 1 - text.find(b".") if b"." in text else None
        rows = left
        if places is not None:
            has_point = (data[ends[left] - places - 1] == _POINT) & (lengths[left] > max(places, 1))
            has_point[0] = True
            rows, left = (
                (left, left[:0]) if has_point.all() else (left[has_point], left[~has_point])
            )
        numbers, is_odd = _read(data, ends[rows], lengths[rows], places)
        values[rows] = numbers
        if places is not None:
            odd.append(rows[is_odd])
        else:  # texts with a point are left
            odd.append(left[:1][is_odd[:1]])
            is_odd[0] = False
            left = left[is_odd]
    odd.append(left)
    np.negative(values, where=is_negative, out=values)
    others = np.concatenate(odd)
    if others.size:
        numbers_of_others = _others(data, starts[others], ends[others])
        if numbers_of_others is None:
            return None
        values[others] = numbers_of_others
    return values


def integers(data: Bytes, starts: Integers, ends: Integers) -> Floats | None:
    r"""The integers that texts stand for; None if a text is none, or has sixteen digits or more.

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
    """Where the digits of each text start, and whether a minus stands before them."""
    first = data[starts]
    is_negative = first == _MINUS
    return starts + (is_negative | (first == _PLUS)), is_negative


def _read(
    data: Bytes, ends: Integers, lengths: Integers, places: int | None
) -> tuple[Floats, Booleans]:
    """The numbers of texts with so many digits behind the point; None stands for no point.

    Returns:
        The numbers, and whether a text holds something else than digits and this point.
    """
    # A view with strides of one byte has a word at every byte, and copies nothing.
    words = np.ndarray((len(data) - _WORD + 1,), ">u8", data.data, strides=(1,))
    low = words[ends - _WORD].astype(np.uint64)
    longest = int(lengths.max())
    high = words[ends - 2 * _WORD].astype(np.uint64) if longest > _WORD else np.zeros_like(low)
    if places is not None:  # what stands before the point moves into its place
        lengths = lengths - 1
        longest -= 1
        low, high = _without_byte(low, high, places)
    number, is_odd = _integer(low, lengths)
    is_odd |= lengths == 0
    if longest > _WORD:
        above, is_odd_above = _integer(high, lengths - _WORD)
        number += above * np.uint64(10**_WORD)
        is_odd |= is_odd_above
        is_odd |= lengths == _DIGITS  # perhaps more than a float holds
    numbers = number.astype(np.float64)
    return numbers / 10.0**places if places else numbers, is_odd


def _without_byte(low: Unsigned, high: Unsigned, place: int) -> tuple[Unsigned, Unsigned]:
    """Sixteen bytes, without the one that has so many behind it."""
    if place >= _WORD:
        return low, _removed(high, place - _WORD)
    return _removed(low, place) | (high << np.uint64(56)), high >> np.uint64(8)


def _removed(word: Unsigned, place: int) -> Unsigned:
    """A word without a byte; those before it move."""
    behind = np.uint64(2 ** (8 * place) - 1)
    return (word & behind) | ((word >> np.uint64(8)) & ~behind)


def _integer(word: Unsigned, lengths: Integers) -> tuple[Unsigned, Booleans]:
    """The integer that the last so many bytes of a word spell, and whether they are no digits.

    Neighbouring digits are put together, then pairs, then fours.
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
    text[np.cumsum(ends + 1 - starts) - 1] = ord(" ")  # whatever blank stands behind a text
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
    before = np.cumsum(lengths) - lengths
    positions = np.repeat(starts - before, lengths)
    positions += np.arange(len(positions))
    joined: Bytes = data[positions]
    return joined
