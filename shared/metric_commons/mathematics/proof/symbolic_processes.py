"""Comparisons in a separate process, which is ended if one takes too long."""

import json
import subprocess
import sys
from queue import Empty, Queue
from threading import Thread
from types import TracebackType
from typing import Self

from ...statistics.arguments.checks import OptionError
from .symbolic_worker import SCRIPT

_SECONDS_TO_START = 300


class SymbolicProcess:
    """A process in which a library compares answers; it starts with the first comparison.

    The libraries use signals for their time limits, which only work in main threads. Here the whole
    process is ended, and the next comparison starts another.
    """

    def __init__(self, backend: str, timeout: float) -> None:
        self._backend, self._timeout = backend, timeout
        self._process: subprocess.Popen[str] | None = None
        self._lines: Queue[str] = Queue()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop()

    def compare(self, reference: str, prediction: str) -> bool | None:
        """Return the answer of the library; None if it fails, or takes longer than the timeout.

        Raises:
            OptionError: the library is not installed.
        """
        process = self._process or self._start()
        stream = process.stdin
        if stream is None:
            raise RuntimeError("a process without input")
        stream.write(json.dumps([reference, prediction]) + "\n")
        stream.flush()
        line = self._next_line(self._timeout)
        if not line:
            self._stop()
            return None
        verdict: bool | None = json.loads(line)
        return verdict

    def _start(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-P", str(SCRIPT), self._backend],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        self._process, self._lines = process, Queue()
        Thread(target=_forward, args=(process, self._lines), daemon=True).start()
        line = self._next_line(_SECONDS_TO_START)
        started = json.loads(line or "null")
        if started != {}:
            self._stop()
            cause = started["missing"] if started else "its process does not start"
            raise OptionError(
                "backend",
                f"{self._backend!r} needs more libraries ({cause}); "
                "pip install 'metric-commons[math]' 'math-verify>=0.9'",
            )
        return process

    def _next_line(self, seconds: float) -> str:
        """Return the next line of the process; empty if it ends or takes longer."""
        try:
            return self._lines.get(timeout=seconds)
        except Empty:
            return ""

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


def _forward(process: subprocess.Popen[str], lines: "Queue[str]") -> None:
    """Forward each line of the output, and an empty one at its end."""
    if process.stdout is not None:
        for line in iter(process.stdout.readline, ""):
            lines.put(line)
    lines.put("")
