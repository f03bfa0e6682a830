"""A separate process that searches for matches of a pattern, which may take exponential time.

It reads a pattern and then texts from standard input, one JSON value per line, and writes the
answer to each: a text, or null if there is none. If the system has clocks of processor time, such a
clock ends the process when a text takes too long, even while `re` holds the interpreter. Run as a
script, this file imports no other file of the package.
"""

import re
import sys

SCRIPT = __file__


def nth_match(compiled: re.Pattern[str], group: int, text: str) -> str | None:
    """Return the match of this number, from 0, or from -1 at the end; None if there is none.

    If there are several groups, the first that is not empty is the match.

    >>> nth_match(re.compile("[0-9]+"), -1, "16 - 3 = 13")
    '13'
    """
    matches = compiled.findall(text)
    if not -len(matches) <= group < len(matches):
        return None
    match = matches[group]
    if isinstance(match, tuple):
        match = next(filter(None, match), None)
    return None if match is None else str(match).strip()


def _main() -> None:
    import json  # rewards import this file, and should start fast
    import signal

    pattern, group, seconds = json.loads(sys.stdin.readline())
    compiled = re.compile(pattern)
    has_clock = hasattr(signal, "setitimer")
    for line in sys.stdin:
        text = json.loads(line)
        if has_clock:  # when it strikes, its signal ends the process
            signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        answer = nth_match(compiled, group, text)
        if has_clock:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _main()
