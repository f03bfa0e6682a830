"""Checkers: programs of a task that judge outputs where several are right."""

import os

from .descriptors import memory_file
from .reference_tests import Protocol
from .worker_pool import Job, ProgramLimits, Runner

_LIMITS = ProgramLimits(timeout=15.0)  # whatever the solution may take


def judged(
    runner: Runner, checker: str, protocol: Protocol, test: tuple[str, str], output: bytes
) -> tuple[str, str]:
    """The status and the message that a checker gives an output.

    "testlib" gets the paths of input, output and answer; its exit status is 0 for a right output,
    1 or 2 for a wrong one. "open-r1" gets input, answer and output; the last word that it prints is
    1 or 0. A checker that ends otherwise is no failure of the program: the status is
    "infrastructure".

    Args:
        runner: what runs the checker, locked in like a program.
        checker: its text.
        protocol: what it is told, and how it answers.
        test: the input, and the expected output.
        output: that of the program.
    """
    texts = [text.encode("utf-8", "surrogatepass") for text in test]
    order = [texts[0], output, texts[1]] if protocol == "testlib" else [*texts, output]
    descriptors: list[int] = []
    try:
        for text in (checker.encode("utf-8", "surrogatepass"), *order):
            descriptors.append(memory_file(text))
        program, *files = descriptors
        report = runner.run(Job("main", program, _LIMITS, files=files, script="checker.py"))
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
    printed = report.stdout.decode("utf-8", "replace")
    raised = report.results.decode("utf-8", "replace")
    message = (report.stderr.decode("utf-8", "replace") or printed).strip()
    if report.status in ("finished", "exited") and (not raised or raised.startswith("exit ")):
        if protocol == "testlib" and report.exit_status in (0, 1, 2):
            return ("wrong" if report.exit_status else "passed"), message
        last = printed.split()[-1:]
        if protocol == "open-r1" and report.exit_status == 0 and last in (["0"], ["1"]):
            return ("passed" if last == ["1"] else "wrong"), message
    cause = raised or message or report.message
    return (
        "infrastructure",
        f"the checker ended with {report.status}, exit status {report.exit_status}: {cause}",
    )
