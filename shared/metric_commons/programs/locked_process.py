"""A child of the supervisor: it is locked in before it runs any part of a program, and timed.

A busy machine makes none of its three clocks faster. CPU time is what the program has computed.
Active time is wall time without the time that it stood in a queue for a core, so that `sleep`
counts and a busy machine does not. Wall time is a hard stop: a program that meets neither of the
others by then is not a failure of the program. Programs that share cores have the time limit in
wall time too, but not before they have had their share of CPU time. The file needs only the
standard library, since supervisors import nothing else.
"""

import json
import os
import resource
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from .jobs import Job
from .kernel_layers import drop_capabilities, enter_landlock, enter_seccomp

_DESCRIPTORS = 64  # that a program may have open
_MOST_DESCRIPTORS = 4096  # that a supervisor may have open
_STACK = 100 << 20
_LONGEST_VERDICT = 4096
_SECONDS_TO_END = 1.0  # for a process that has reported its verdict


class HangUpError(Exception):
    """The caller is gone."""


@dataclass(frozen=True)
class Isolation:
    """The layers of the supervisor, in the form that its children need."""

    landlock: int | None  # the descriptor of the rules
    seccomp: Any  # the filter, or None
    is_alone: bool  # whether the supervisor is process 1 of a namespace
    processes: int = 16  # of one program, threads included, and others of the same user


class LockedProcess(NamedTuple):
    """A child, with the descriptor of its scheduling statistics."""

    pid: int
    statistics: int


def start_process(
    body: Callable[[], NoReturn],
    *,
    isolation: Isolation,
    job: Job,
    folder: str,
    streams: Sequence[int | None],
    descriptors: Sequence[int],
) -> LockedProcess:
    """Fork a process that is locked in and then runs `body`.

    Args:
        body: the work of the process; it ends the process.
        isolation: the layers of the supervisor.
        job: the program, with its limits.
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
        _lock_in(isolation, job)
        body()
    except BaseException as error:
        os.write(2, repr(error).encode("utf-8", "backslashreplace"))
    finally:
        os._exit(99)


def _replace_streams(streams: Sequence[int | None]) -> None:
    """Open standard streams on these descriptors, as CPython does on Linux."""
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


def _lock_in(isolation: Isolation, job: Job) -> None:
    """Enter the layers that apply to each program separately."""
    limits = job.limits
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
    for kind, limit in (
        (resource.RLIMIT_AS, limits.memory),
        (resource.RLIMIT_CPU, int(limits.timeout * job.tests) + 2),  # a backstop
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, limits.output),
        (resource.RLIMIT_NOFILE, _DESCRIPTORS),
        (resource.RLIMIT_STACK, _STACK),
        (resource.RLIMIT_NPROC, isolation.processes),
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


# ---- clocks -------------------------------------------------------------------------------------


def watched(
    process: LockedProcess, *, started: float, pipe: int, caller: int, job: Job, token: str
) -> dict[str, Any]:
    """Return how a program has ended: its status, message, exit status and CPU seconds.

    A program with tests ends with its verdict in the pipe, a line with JSON of the token and a
    status; if processes that it has forked write more, the first line counts. For another, every
    byte in the pipe ends a call and restarts its clock, and the status follows from how the process
    ends; more bytes than calls are forged, and restart no clock.

    Args:
        process: the process of the program.
        started: the time of its start, by `time.monotonic`.
        pipe: the pipe that the program writes to.
        caller: the descriptor of the connection to the caller.
        job: the program, with its limits.
        token: the secret that identifies a verdict.

    Raises:
        HangUpError: the caller is gone.
    """
    limits, has_verdict = job.limits, job.kind == "tests"
    ticks_allowed = job.tests + 1 if job.kind == "calls" else 0
    ended = os.pidfd_open(process.pid)
    poll = select.poll()
    for descriptor, events in ((ended, select.POLLIN), (pipe, select.POLLIN), (caller, 0)):
        poll.register(descriptor, events)  # 0: only the hang-up of the caller
    status, text, ticks = "", b"", 0
    start_cpu = start_active = 0.0
    start_wall = started
    try:
        while not status:
            cpu, active = _clocks(process, started)
            wall = time.monotonic() - start_wall
            cpu_left = limits.timeout + start_cpu - cpu
            own_left = min(cpu_left, limits.timeout + start_active - active)
            if limits.least_cpu is not None:
                shared_left = max(limits.timeout - wall, limits.least_cpu + start_cpu - cpu)
                own_left = min(own_left, shared_left)
            wall_left = limits.wall - wall
            ready = dict(poll.poll(max(1.0, 1000 * min(own_left, wall_left))))
            if caller in ready:
                raise HangUpError
            if pipe in ready:
                part = os.read(pipe, 1 << 16)
                if not part:
                    poll.unregister(pipe)
                text += part if has_verdict else b""
                ticks += len(part)
                if not has_verdict and part and ticks <= ticks_allowed:
                    start_cpu, start_active = _clocks(process, started)
                    start_wall = time.monotonic()
                elif b"\n" in text or len(text) > _LONGEST_VERDICT:
                    break
            elif ended in ready:
                break
            elif own_left <= 0:
                status = "timed_out"
            elif wall_left <= 0:
                status = "infrastructure"
        exit_status = None if status else _exit_status(process.pid, ended)
    finally:
        os.close(ended)
    cpu, _ = _clocks(process, started)
    if not status:
        if not ticks_allowed and cpu >= limits.timeout:
            status = "timed_out"
        else:
            status = _status(token if has_verdict else None, text, exit_status)
    if not has_verdict and ticks > ticks_allowed and status in ("finished", "exited"):
        status = "tampered"
    message = ""
    if status == "crashed" and exit_status:
        message = signal.Signals(-exit_status).name
    elif status == "infrastructure":
        message = f"not finished after {limits.wall:g} seconds, most of them in a queue for a core"
    return {"status": status, "message": message, "exit": exit_status, "cpu": round(cpu, 6)}


def _status(token: str | None, text: bytes, exit_status: int | None) -> str:
    """Return the status of a program that has ended, or reported its verdict."""
    if token is not None and text:
        try:
            received, status = json.loads(text.partition(b"\n")[0])
        except (ValueError, TypeError, RecursionError):
            return "tampered"
        if received != token or status not in ("passed", "failed", "exited"):
            return "tampered"
        return str(status)
    if exit_status == -signal.SIGXCPU:
        return "timed_out"
    if exit_status is not None and exit_status < 0:
        return "crashed"
    return "finished" if exit_status == 0 and token is None else "exited"


def _clocks(process: LockedProcess, started: float) -> tuple[float, float]:
    """Return the CPU seconds of a process, and the seconds since its start without queues."""
    cpu = queued = 0.0
    try:
        cpu = time.clock_gettime((~process.pid << 3) | 2)  # the CPU clock of another process
        queued = int(os.pread(process.statistics, 100, 0).split()[1]) / 1e9
    except (OSError, IndexError):  # it has ended
        pass
    return cpu, time.monotonic() - started - queued


def _exit_status(pid: int, ended: int) -> int | None:
    """Return the exit status of a process that ends, negative for a signal; None if unknown.

    The process is not reaped, so that its CPU clock can still be read.
    """
    waiting = select.poll()
    waiting.register(ended, select.POLLIN)
    if not waiting.poll(1000 * _SECONDS_TO_END):
        return None
    information = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    if information is None:
        return None
    is_exit = information.si_code == os.CLD_EXITED
    return information.si_status if is_exit else -information.si_status
