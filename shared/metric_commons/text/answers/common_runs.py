"""The longest run of tokens that two texts have in common, as CMRC 2018 scores answers."""

from collections.abc import Hashable, Sequence


def longest_common_run(short: Sequence[Hashable], long: Sequence[Hashable]) -> int:
    """Return the length of the longest run that two texts share, in linear time.

    Each state of the suffix automaton of the first text represents the runs that end at the same
    places of it. Reading the other text, the automaton keeps the longest run that ends with the
    last token.

    >>> longest_common_run("new york city".split(), "york city hall".split())
    2
    """
    following: list[dict[Hashable, int]] = [{}]
    shorter, length = [-1], [0]  # the state of the longest suffix elsewhere; the longest run
    last = 0
    for token in short:
        new, state = len(length), last
        following.append({})
        length.append(length[last] + 1)
        shorter.append(0)
        while state >= 0 and token not in following[state]:
            following[state][token] = new
            state = shorter[state]
        if state >= 0:
            target = following[state][token]
            if length[target] > length[state] + 1:  # some runs of this state now end here too
                copy = len(length)
                following.append(following[target].copy())
                length.append(length[state] + 1)
                shorter.append(shorter[target])
                while state >= 0 and following[state].get(token) == target:
                    following[state][token] = copy
                    state = shorter[state]
                shorter[target] = target = copy
            shorter[new] = target
        last = new
    longest = run = state = 0
    for token in long:
        while state > 0 and token not in following[state]:
            state = shorter[state]
            run = length[state]
        if token in following[state]:
            state = following[state][token]
            run += 1
        longest = max(longest, run)
    return longest
