"""Rewards beside math-verify: CPU time by the size of a call, memory.

    python benchmarks/rewards.py            # ratios of CPU time, and what a form adds to a verdict
    python benchmarks/rewards.py --start    # CPU time of new processes that import rewards
    python benchmarks/rewards.py --memory   # 20 calls of 16,384 long completions
    python benchmarks/rewards.py --pairs PYTHON   # table of docs/graders.md; PYTHON has verl

Completions end with a box; the answers are of five kinds, and each is new, so that nothing that was
read before helps. math-verify runs without its time limits, which are signals. What it imports is
left out of garbage collections, which else look at all of sympy in the middle of a batch of ours.
"""

import gc
import gzip
import json
import logging
import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path

from metric_commons import rewards
from metric_commons.frameworks.rewards.named_tasks import task

CASES = Path(__file__).parents[1] / "tests" / "cases" / "mathematics.jsonl.gz"
LONG = 8_000  # characters of a long completion
PEER_ROWS = 64  # math-verify takes 15 ms for each


def answer(draw):
    """A new answer, of one of five kinds, and an equal one written in another way."""
    a, b, c = (draw.randrange(2, 10**6) for _ in range(3))
    kinds = (
        (str(a), f"{a}.0"),
        (rf"\frac{{{a}}}{{{b}}}", f"{a}/{b}"),
        (f"({a}, {b}, {c})", rf"\left({a},{b},{c}\right)"),
        (rf"{a}x^2 + {b}x + {c}", f"{c} + {b} x + {a} x^2"),
        (rf"{a}\sqrt{{{b}}}", rf"\sqrt{{{b}}} \cdot {a}"),
    )
    return kinds[draw.randrange(5)]


def rows(number, length=0, seed=0):
    """Completions and solutions; half of the completions are wrong."""
    draw = random.Random(seed)
    completions, solutions = [], []
    for row in range(number):
        solution, equal = answer(draw)
        written = equal if row % 2 else answer(draw)[1]
        thoughts = "So we try another way and find that $x$ is small. " * (length // 50)
        completions.append(rf"{thoughts}The answer is $\boxed{{{written}}}$.")
        solutions.append(solution)
    return completions, solutions


def peer(completions, solutions):
    """math-verify, as TRL's `accuracy_reward` calls it, with limits switched off."""
    from math_verify import parse, verify

    scores = []
    for completion, solution in zip(completions, solutions, strict=True):
        gold = parse(f"${solution}$", parsing_timeout=None)
        found = parse(completion, parsing_timeout=None)
        scores.append(float(verify(gold, found, timeout_seconds=None)))
    return scores


def cpu(call):
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def calls(form, size, number, length, seed):
    """CPU seconds for each row at first sight, in calls of a size."""
    batches = [rows(size, length, seed + index) for index in range(number)]
    seconds = sum(cpu(lambda b=batch: form(*b))[0] for batch in batches)
    return seconds / (size * number)


def ratios():
    logging.disable(logging.ERROR)
    reward = rewards.math()

    def ours(completions, solutions):
        return reward(completions, solution=solutions)

    for warm in (ours, peer):
        warm(*rows(5, seed=999))
    gc.freeze()
    print("| rows per call | completions | µs per row | math-verify, µs | ratio |")
    print("| --- | --- | --- | --- | --- |")
    for length in (0, LONG):
        for size in (1, 16, 64, 1024):
            number = max(1, 256 // size)
            seed = 1000 * size + length
            mine = calls(ours, size, number, length, seed)
            part = min(size, PEER_ROWS)
            theirs = calls(peer, part, PEER_ROWS // part, length, seed)
            name = f"{length:,} characters" if length else "short"
            print(
                f"| {size:,} | {name} | {mine * 1e6:.0f} | {theirs * 1e6:,.0f} "
                f"| {theirs / mine:.0f}x |"
            )
    form_over_verdict()


def form_over_verdict():
    """What each form adds to the verdicts of the task, in microseconds of CPU for each row."""
    reward, judged = rewards.math(), task("math")
    completions, solutions = rows(1_000)
    judged.verdicts(completions, solutions)  # so that both find every answer in the cache
    pairs = list(zip(completions, solutions, strict=True))

    def verdicts():
        for completion, solution in pairs:
            judged.verdict(completion, solution)

    forms = {
        "TRL, single rows": lambda: [reward([text], solution=[ref]) for text, ref in pairs],
        "TRL, one batch": lambda: reward(completions, solution=solutions),
        "verl": lambda: [reward.verl("x", text, ref, {}) for text, ref in pairs],
        "verl, with settings": lambda: [
            reward.verl("x", text, ref, {}, extract=["boxed"]) for text, ref in pairs
        ],
    }
    least = min(cpu(verdicts)[0] for _ in range(5))
    print(f"\nverdict alone: {least * 1e3:.0f} µs")
    for name, form in forms.items():
        seconds = min(cpu(form)[0] for _ in range(5))
        print(f"{name}: {(seconds - least) * 1e3:+.0f} µs")


FIRST = r"""
from metric_commons import rewards
rewards.math()([r"\boxed{0.5}"], solution=["1/2"])
rewards.choice()(["(B)"], answer=["B"])
"""


def start():
    """CPU time of processes, the least of ten."""
    programs = {
        "Python alone": "pass",
        "import metric_commons.rewards": "import metric_commons.rewards",
        "math() and choice()": "from metric_commons import rewards as r; r.math(); r.choice()",
        "and a verdict of each": FIRST,
        "numpy": "import numpy",
    }
    for name, program in programs.items():
        print(f"{name}: {min(cpu_of_process(program) for _ in range(10)) * 1e3:.0f} ms")


def cpu_of_process(program):
    """Seconds of CPU of a Python process."""
    process = os.posix_spawn(sys.executable, [sys.executable, "-c", program], os.environ)
    _, status, usage = os.wait4(process, 0)
    assert status == 0
    return usage.ru_utime + usage.ru_stime


def memory(number=16_384, times=20):
    """Resident memory after each call; answers are new in each."""
    reward = rewards.math()
    resident = []
    for index in range(times):
        completions, solutions = rows(number, LONG, seed=100 + index)
        reward(completions, solution=solutions)
        del completions, solutions
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        resident.append(pages * resource.getpagesize() / 1e6)
    print("resident MB after each call:", " ".join(f"{value:.0f}" for value in resident))
    print(f"most: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1.024e-3:.0f}")


PRIME_MATH = """
import json, signal, sys
from verl.utils.reward_score.prime_math import grade_answer

def stop(*_):
    raise TimeoutError

def verdict(reference, prediction):
    signal.signal(signal.SIGALRM, stop)  # anew, since prime_math may change it
    signal.alarm(4)  # without a limit some pairs take minutes
    try:
        return bool(grade_answer(prediction, reference))
    except Exception:
        return None
    finally:
        signal.alarm(0)

print(json.dumps([verdict(*pair) for pair in json.load(sys.stdin)]))
"""


def by_math_verify(reference, prediction):
    from math_verify import parse, verify

    # With its time limits, without which some pairs take minutes.
    return bool(verify(parse(f"${reference}$"), parse(f"${prediction}$")))


def by_prime_math(references, predictions, python):
    """The verdicts of verl's copy, whose requirements exclude those of sympy's LaTeX reader."""
    given = json.dumps(list(zip(references, predictions, strict=True)))
    done = subprocess.run(
        [python, "-c", PRIME_MATH], input=given, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def verdicts_of_graders(references, predictions, python):
    """The verdict of each grader on each pair: True, False, or None for undecided."""
    from metric_commons.mathematics import equivalence_scores, equivalent

    by_text = equivalence_scores(predictions, references, backend="hendrycks")
    return {
        "metric-commons": list(map(equivalent, references, predictions)),
        "math-verify": list(map(by_math_verify, references, predictions)),
        "prime_math": by_prime_math(references, predictions, python),
        "hendrycks": list(map(bool, by_text.equal)),
    }


def sourced():
    """Labelled pairs from the tests and issues of other projects, without options."""
    cases = map(json.loads, gzip.decompress(CASES.read_bytes()).splitlines())
    return [case for case in cases if case["source"] != "by construction" and not case["options"]]


MARKS = {True: "yes", False: "no", None: "?"}


def pairs(python):
    logging.disable(logging.ERROR)
    cases = sourced()
    columns = verdicts_of_graders(
        [case["reference"] for case in cases], [case["prediction"] for case in cases], python
    )
    wrong = dict.fromkeys(columns, 0)
    lines = []  # of pairs that a grader by value judges wrong; hendrycks' rule compares texts
    for row, case in enumerate(cases):
        cells = []
        for name, verdicts in columns.items():
            mark = MARKS[verdicts[row]]
            is_wrong = verdicts[row] not in case["verdict"]
            wrong[name] += is_wrong
            cells.append(f"**{mark}**" if is_wrong else mark)
        texts = [_cell(case[name]) for name in ("reference", "prediction")]
        if any(cell.startswith("*") for cell in cells[:3]):
            lines.append(f"| {' | '.join([*texts, MARKS[case['verdict'][0]], *cells])} |")
    print(f"| reference | answer | equal | {' | '.join(columns)} |")
    print("| --- | --- |" + " --- |" * (len(columns) + 1))
    print(f"| wrong of {len(cases)} | | | {' | '.join(map(str, wrong.values()))} |")
    print("\n".join(lines))


def _cell(text):
    text = " ".join(text.split()).replace("|", "\\|")
    return f"`{text if len(text) <= 60 else text[:57] + '...'}`"


if __name__ == "__main__":
    if "--pairs" in sys.argv:
        pairs(sys.argv[-1])
    elif "--memory" in sys.argv:
        memory()
    elif "--start" in sys.argv:
        start()
    else:
        ratios()
