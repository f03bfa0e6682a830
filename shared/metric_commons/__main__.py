"""The command `metric-commons`, and `python -m metric_commons`: all commands in one program."""

import _signal  # type: ignore[import-not-found] # built in; `signal` imports a lot
import os
import sys
from io import BufferedWriter, FileIO, TextIOWrapper

# Until `process` handles interrupts they end in a traceback, so other imports wait for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType
    from typing import Any

    from click import Group

_INTERRUPTED = 130  # the exit status
_OBJECTS = 100_000  # new objects before Python collects garbage; its default is 700


def process() -> int:
    """Run `main` as a separate process, in which there is hardly any garbage before the end.

    By default, Python searches all modules for garbage during imports, and three more times at the
    end, which takes as long as importing numpy.
    """
    with _Interrupts(_end):
        import atexit
        import gc

        gc.set_threshold(_OBJECTS)
        atexit.register(gc.freeze)
        if sys.stdout is None:  # closed: nobody would see a result
            os.write(2, b"error: standard output is closed\n")
            return 1
        _accept_closed_stdout()
        _write_other_letters_in_ascii()
        return main()


def main(arguments: "Sequence[str] | None" = None) -> int:
    """Run a command; returns 0 for success, 1 bad input, 2 bad usage, 130 interrupted."""
    try:
        with _Interrupts(_end):
            from .apps.cli.app import run_command

            commands = program()
    except ModuleNotFoundError as error:
        sys.stderr.write(f"{error}; it comes with: pip install 'metric-commons[cli]'\n")
        return 1
    try:
        with _Interrupts(_Interruption()):
            status = run_command(commands, arguments)
    except KeyboardInterrupt:
        status = _INTERRUPTED
    if status == _INTERRUPTED:
        sys.stderr.write("interrupted\n")
    return status


class _Interrupts:
    """Handles interrupts by a function, unless the process was started to ignore them."""

    def __init__(self, handler: "Callable[[int, FrameType | None], Any]") -> None:
        self._handler = handler

    def __enter__(self) -> None:
        self._earlier = _signal.getsignal(_signal.SIGINT)
        self._set(self._handler)

    def __exit__(self, *_: object) -> None:
        self._set(self._earlier)

    def _set(self, handler: "Any") -> None:
        if self._earlier != _signal.SIG_IGN:
            try:  # noqa: SIM105 # contextlib imports a lot, too
                _signal.signal(_signal.SIGINT, handler)
            except ValueError:
                pass  # only the main thread of a process is interrupted


def _end(*_: object) -> None:
    os.write(2, b"interrupted\n")
    os._exit(_INTERRUPTED)


class _Interruption:
    """Handles interrupts of a command: the first ends its work, the second the process.

    During imports, which would turn the exception into a traceback or ignore it, the first ends the
    process, too.
    """

    _is_second = False

    def __call__(self, _: int, frame: "FrameType | None") -> None:
        if self._is_second:
            _end()
        self._is_second = True
        while frame is not None:
            if frame.f_code.co_filename.startswith("<frozen importlib"):
                _end()
            frame = frame.f_back
        raise KeyboardInterrupt


class _UntilClosed(FileIO):
    """A file that ignores what is written after its reader has closed it, as `head` does."""

    def write(self, data: "Any") -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            return len(data)


def _accept_closed_stdout() -> None:
    """Let a command finish its work, with its own status, when nobody reads its output."""
    standard: Any = sys.stdout
    buffer = getattr(standard, "buffer", None)
    if type(getattr(buffer, "raw", buffer)) is FileIO:  # neither a console of Windows nor a test's
        file: Any = _UntilClosed(standard.fileno(), "w", closefd=False)
        sys.stdout = TextIOWrapper(
            file if type(buffer) is FileIO else BufferedWriter(file),
            encoding=standard.encoding,
            errors=standard.errors,
            line_buffering=standard.line_buffering,
            write_through=standard.write_through,
        )


def _write_other_letters_in_ascii() -> None:
    """Let letters that the encoding of stdout lacks, such as raised ones, be written as others."""
    standard: Any = sys.stdout
    if "utf" not in standard.encoding.lower() and hasattr(standard, "reconfigure"):
        import codecs

        codecs.register_error("in_ascii", _in_ascii)
        standard.reconfigure(errors="in_ascii")


def _in_ascii(error: UnicodeError) -> "tuple[str, int]":
    """Return the next letters that cannot be encoded in ASCII: without accents, or as ?."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    from unicodedata import combining, normalize

    text = normalize("NFKD", error.object[error.start : error.end]).translate(
        {0x2212: "-", 0x2500: "-"}
    )
    plain = (letter if letter.isascii() else "?" for letter in text if not combining(letter))
    return "".join(plain), error.end


def program() -> "Group":
    """Return the program with all its commands."""
    from .apps.cli.app import Program

    return Program()


if __name__ == "__main__":
    sys.exit(process())
