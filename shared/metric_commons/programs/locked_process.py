"""A child of the supervisor, which is locked in before it runs any part of a program.

The file needs only the standard library, since supervisors import nothing else.
"""

import os
import resource
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from .kernel_layers import drop_capabilities, enter_landlock, enter_seccomp

_DESCRIPTORS = 64  # that a program may have open
_MOST_DESCRIPTORS = 4096  # that a supervisor may have open


class ProcessLimits(NamedTuple):
    """The limits of one program: seconds, bytes and processes."""

    timeout: float  # CPU seconds, and seconds without waiting for a core, of one test
    program_timeout: float | None  # CPU seconds of all tests
    least_cpu: float | None  # CPU seconds of one test, after which `timeout` is wall time too
    wall: float  # seconds of one test, after which something else must be wrong
    cpu_backstop: int  # CPU seconds after which the kernel ends the process
    memory: int
    output: int
    stack: int
    processes: int
    recursion: int


@dataclass(frozen=True)
class Isolation:
    """The layers of the supervisor, in the form that its children need."""

    landlock: int | None  # the descriptor of the rules
    seccomp: Any  # the filter, or None
    is_alone: bool  # whether the supervisor is process 1 of a namespace


class LockedProcess(NamedTuple):
    """A child, with the descriptor of its scheduling statistics."""

    pid: int
    statistics: int


def start_process(
    body: Callable[[], NoReturn],
    *,
    isolation: Isolation,
    limits: ProcessLimits,
    folder: str,
    streams: Sequence[int | None],
    descriptors: Sequence[int],
) -> LockedProcess:
    """Fork a process that is locked in and then runs `body`.

    Args:
        body: the work of the process; it ends the process.
        isolation: the layers of the supervisor.
        limits: the resources that the process may use.
        folder: its working directory.
        streams: the descriptors of stdin, stdout and stderr; None for an empty one.
        descriptors: the other descriptors that `body` needs.
    """
    parent, child = socket.socketpair()
    pid = os.fork()
    if pid:
        child.close()
        _, descriptors, _, _ = socket.recv_fds(parent, 1, 1)
        parent.close()
        if not descriptors:
            raise OSError("a process has ended before it was locked in")
        return LockedProcess(pid, descriptors[0])
    try:
        os.setsid()
        # /proc has the numbers of the outer namespace, so only the process itself can find its
        # entry, and only before Landlock prevents it from opening files there.
        statistics = os.open("/proc/self/schedstat", os.O_RDONLY)
        socket.send_fds(child, [b"."], [statistics])
        os.chdir(folder)
        _replace_streams(streams)
        _close_others([*descriptors, *filter(None, [isolation.landlock])])
        _lock_in(isolation, limits)
        body()
    except BaseException as error:
        os.write(2, repr(error).encode("utf-8", "backslashreplace"))
    finally:
        os._exit(99)


def _replace_streams(streams: Sequence[int | None]) -> None:
    """Standard streams on these descriptors, opened as CPython opens them on Linux."""
    for number, stream in enumerate(streams):
        os.dup2(os.open(os.devnull, os.O_RDWR) if stream is None else stream, number)
    errors = "backslashreplace" if streams[0] is None else "strict"
    utf8: dict[str, Any] = {"encoding": "utf-8", "closefd": False}
    sys.stdin = open(0, newline="\n", **utf8)  # noqa: SIM115 - open as long as the program runs
    sys.stdout = open(1, "w", errors=errors, newline="\n", **utf8)  # noqa: SIM115
    sys.stderr = open(2, "w", errors="backslashreplace", **utf8)  # noqa: SIM115
    vars(sys).update(__stdin__=sys.stdin, __stdout__=sys.stdout, __stderr__=sys.stderr)


def _close_others(descriptors: Sequence[int]) -> None:
    """Close all descriptors except the standard streams and these."""
    last = 2
    for descriptor in sorted(descriptors):
        os.closerange(last + 1, descriptor)
        last = descriptor
    os.closerange(last + 1, _MOST_DESCRIPTORS)


def _lock_in(isolation: Isolation, limits: ProcessLimits) -> None:
    """Enter the layers that apply to each program separately."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
    for kind, limit in (
        (resource.RLIMIT_AS, limits.memory),
        (resource.RLIMIT_CPU, limits.cpu_backstop),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, limits.output),
        (resource.RLIMIT_NOFILE, _DESCRIPTORS),
        (resource.RLIMIT_STACK, limits.stack),
        (resource.RLIMIT_NPROC, limits.processes),
    ):
        resource.setrlimit(kind, (limit, limit))
    # A server may have lowered this limit for the process that runs programs, not for its children.
    data = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (data, data))
    drop_capabilities()
    if isolation.landlock is not None:
        enter_landlock(isolation.landlock)
        os.close(isolation.landlock)
    if isolation.seccomp is not None:
        enter_seccomp(isolation.seccomp)
