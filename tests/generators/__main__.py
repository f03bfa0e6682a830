"""Calls of all modules for a while: `python -m tests.generators SECONDS SEED [FILE]`.

Prints how many calls met each property. If one did not, its smallest form is written to the file.
"""

import random
import sys
import time
from collections import Counter
from itertools import chain, count, repeat
from pathlib import Path

from tests.generators.calls import draw_call
from tests.generators.properties import PROPERTIES, NotApplicableError, fault, smaller
from tests.spec import METRICS

_SHARES = {"file_equals_columns": 0.2, "blocks_do_not_matter": 0.2}  # the others check every call


def checked(seconds, seed, failing):
    """How many calls were drawn, and how many each property was asked of; and the faults."""
    end = time.monotonic() + seconds
    numbers, faults = Counter(), {}
    draws = chain.from_iterable(zip(repeat(number), METRICS, strict=False) for number in count())
    for number, module in draws:
        if time.monotonic() > end:
            break
        name = f"{seed}-{number}"
        call = draw_call(module, name, costly=number % 50 == 0)
        numbers["drawn"] += 1
        if not call.is_accepted():
            numbers["refused"] += 1
            continue
        for check in PROPERTIES:
            if random.Random(f"{name}:{check.__name__}:share").random() > _SHARES.get(
                check.__name__, 1
            ):
                continue
            try:
                cause = fault(check, call, name)
            except NotApplicableError:
                continue
            numbers[check.__name__] += 1
            key = module, check.__name__
            if cause and key not in faults:
                smallest, cause = smaller(check, call, name)
                faults[key] = f"{cause}\nseed {name}: {smallest}"
                failing.write_text("\n\n".join(faults.values()) + "\n", "utf-8")
    return numbers, faults


def main(seconds, seed, path="build/failing.txt"):
    """Print the numbers; the status is 1 if a property does not hold."""
    failing = Path(path)
    failing.parent.mkdir(exist_ok=True)
    numbers, faults = checked(float(seconds), seed, failing)
    lines = [f"{number:9,} {name}" for name, number in numbers.items()]
    lines += faults.values()
    sys.stdout.write("\n".join(lines) + "\n")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
