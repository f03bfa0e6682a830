"""What tests of programs that run need: one program, a pool, and what is left behind."""

import os
from pathlib import Path

from metric_commons.programs.jobs import Job, ProgramLimits, memory_file
from metric_commons.programs.worker_pool import Pool

SUM = "print(sum(map(int, input().split())))"
SUMS = {"inputs": ["1 2\n", "10 -4\n"], "outputs": ["3\n", "6\n"]}


def report(pool, program, kind="tests", data=None, timeout=2.0, **options):
    """The report of one program."""
    descriptors = [memory_file(text.encode()) for text in (program, data or "")]
    job = Job(kind, descriptors[0], ProgramLimits(timeout), data=descriptors[1], **options)
    try:
        return pool.run(job)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def one_worker(without=()):
    """A pool with one worker, whose layers are as stated."""
    return Pool(1, without)


def processes_with(word):
    """The processes whose command line has a word."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if word.encode() in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                continue
    return found


def workers_of(caller):
    """The processes of a caller's workers, programs left out: its children and theirs.

    A worker is a chain of two or three processes; what it runs is the child of the last of them.
    """
    children = _children_of(caller)
    return children + [pid for child in children for pid in _children_of(child)]


def _children_of(pid):
    """The children of all threads of a process."""
    files = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for file in files for child in file.read_text().split()]
