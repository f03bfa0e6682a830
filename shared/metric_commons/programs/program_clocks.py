"""Waiting for a program under three clocks; a busy machine makes none of them faster.

CPU time is what the program has computed. Active time is wall time without the time that it stood
in a queue for a core, so that `sleep` counts and a busy machine does not. Wall time is a hard stop:
a program that meets neither of the others by then is not a failure of the program. Programs that
share cores have the time limit in wall time too, but not before they have had their share of CPU
time. The file needs only the standard library, since supervisors import nothing else.
"""

import json
import os
import select
import signal
import time
from collections.abc import Sequence
from typing import Any

from .locked_process import LockedProcess, ProcessLimits

_LONGEST_VERDICT = 4096
_SECONDS_TO_END = 1.0  # for a process that has reported its verdict


class HangUpError(Exception):
    """The caller is gone."""


def watched(
    processes: Sequence[LockedProcess],
    *,
    started: float,
    pipe: int,
    caller: int,
    limits: ProcessLimits,
    token: str | None = None,
    ticks_allowed: int = 0,
) -> dict[str, Any]:
    """Return how a program has ended: its status, message, exit status and CPU seconds.

    With a token, the program ends with its verdict in the pipe, a line with JSON of the token and a
    status; if processes that it has forked write more, the first line counts. Without one, every
    byte in the pipe ends a test and restarts its clock, and the status follows from how the process
    ends.

    Args:
        processes: the processes of the program; the first one has the verdict.
        started: the time of their start, by `time.monotonic`.
        pipe: the pipe that the program writes to.
        caller: the descriptor of the connection to the caller.
        limits: the resources that the program may use.
        token: the secret that identifies a verdict.
        ticks_allowed: the number of bytes without a token; any more are forged, and restart no
            clock.

    Raises:
        HangUpError: the caller is gone.
    """
    main = processes[0].pid
    ended = os.pidfd_open(main)
    poll = select.poll()
    for descriptor, events in ((ended, select.POLLIN), (pipe, select.POLLIN), (caller, 0)):
        poll.register(descriptor, events)  # 0: only the hang-up of the caller
    status, text, ticks = "", b"", 0
    start_cpu = start_active = 0.0
    start_wall = started
    try:
        while not status:
            cpu, active = _clocks(processes, started)
            wall = time.monotonic() - start_wall
            most_cpu = limits.timeout + start_cpu
            if limits.program_timeout is not None:
                most_cpu = min(most_cpu, limits.program_timeout)
            left = [limits.wall - wall, most_cpu - cpu, limits.timeout + start_active - active]
            if limits.least_cpu is not None:
                left.append(max(limits.timeout - wall, limits.least_cpu + start_cpu - cpu))
            ready = dict(poll.poll(max(1.0, 1000 * min(left))))
            if caller in ready:
                raise HangUpError
            if pipe in ready:
                part = os.read(pipe, 1 << 16)
                if not part:
                    poll.unregister(pipe)
                text += part if token is not None else b""
                ticks += len(part)
                if token is None and part and ticks <= ticks_allowed:
                    start_cpu, start_active = _clocks(processes, started)
                    start_wall = time.monotonic()
                elif b"\n" in text or len(text) > _LONGEST_VERDICT:
                    break
            elif ended in ready:
                break
            elif min(left[1:]) <= 0:
                status = "timed_out"
            elif left[0] <= 0:
                status = "infrastructure"
        exit_status = None if status else _exit_status(main, ended)
    finally:
        os.close(ended)
    cpu, _ = _clocks(processes, started)
    if not status:
        is_late = not ticks_allowed and cpu >= limits.timeout
        status = "timed_out" if is_late else _status(token, text, exit_status)
    if token is None and ticks > ticks_allowed and status in ("finished", "exited"):
        status = "tampered"
    is_signal = status == "crashed" and exit_status is not None
    message = signal.Signals(-exit_status).name if is_signal and exit_status else ""
    if status == "infrastructure":
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


def _clocks(processes: Sequence[LockedProcess], started: float) -> tuple[float, float]:
    """CPU seconds of the processes, and seconds since the start without those in queues."""
    cpu = queued = 0.0
    for process in processes:
        try:
            cpu += time.clock_gettime((~process.pid << 3) | 2)  # the CPU clock of another process
            queued += int(os.pread(process.statistics, 100, 0).split()[1]) / 1e9
        except (OSError, IndexError):  # it has ended
            pass
    return cpu, time.monotonic() - started - queued


def _exit_status(pid: int, ended: int) -> int | None:
    """Return the exit status of a process that is about to end.

    Negative for a signal, None if unknown.

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
