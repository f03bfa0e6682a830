"""The process between a caller and the programs: it locks itself in, and forks a child per program.

It runs as a separate script, with `command`, and imports only the standard library and its
neighbours. It reads no program, input or answer: a fork copies its memory, where a later program
could find them. If the kernel allows it, it is process 1 of a namespace; then programs cannot end
it, orphans become its children, and no process survives a program.
"""

import gc
import importlib
import os
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NoReturn

from .jobs import Job, receive_packet, send_packet
from .kernel_layers import (
    SET_DUMPABLE,
    SET_PARENT_DEATH_SIGNAL,
    SET_SUBREAPER,
    enter_namespaces,
    enter_pid_namespace,
    landlock_rules,
    mount_read_only,
    seccomp_filter,
    set_process_option,
)
from .locked_process import HangUpError, Isolation, start_process, watched
from .program_bodies import run_calls, run_main_program, run_test_program, star_names

LAYERS = (
    *("process", "rlimits", "nobody", "user and network namespaces", "read-only mounts"),
    *("pid namespace", "landlock", "seccomp"),
)

_NOBODY = 65534
_SCRATCH_MEGABYTES = 64
# Modules that programs use often: imported once here, and then available in every fork.
_PRELOADED = tuple(
    (
        "abc array bisect calendar cmath collections contextlib copy dataclasses datetime "
        "decimal enum fractions functools hashlib heapq io itertools json math numbers "
        "operator os queue random re statistics string struct sys textwrap threading time "
        "traceback typing unittest"
    ).split()
)
_READABLE = tuple(
    (
        "/usr /lib /lib64 /bin /etc/ld.so.cache /etc/localtime /dev/null /dev/urandom "
        "/dev/zero /sys/devices/system/cpu"
    ).split()
)


def command(descriptor: int, scratch: str, without: Sequence[str]) -> list[str]:
    """Return the command line of a supervisor, which talks with its caller through a descriptor.

    Its files are a separate package, in any folder. The environment must be clean: with `-I` Python
    would ignore PYTHONHASHSEED as well.
    """
    script = (
        "import sys, types\n"
        "package = types.ModuleType('isolated')\n"
        "package.__path__ = [sys.argv[1]]\n"
        "sys.modules['isolated'] = package\n"
        "from isolated.supervisor import main\n"
        "main(*sys.argv[2:])\n"
    )
    folder = os.path.dirname(os.path.abspath(__file__))
    return ["-s", "-P", "-B", "-c", script, folder, str(descriptor), scratch, *without]


def main(descriptor: str, scratch: str, *without: str) -> NoReturn:
    """Lock this process in, then run one program after another until the caller hangs up.

    Args:
        descriptor: the number of the socket of the caller.
        scratch: the folder of programs.
        without: the layers that are switched off.
    """
    caller = socket.socket(fileno=int(descriptor))
    if pid := os.fork():  # outside of all namespaces, to remove the folder in the end
        caller.close()
        _, status = os.waitpid(pid, 0)
        shutil.rmtree(scratch, ignore_errors=True)
        os._exit(os.waitstatus_to_exitcode(status) & 255)
    supervisor = _Supervisor(caller, scratch, without)
    for name in _PRELOADED:
        importlib.import_module(name)
    supervisor.lock_in()
    supervisor.serve()


@dataclass
class _Supervisor:
    caller: socket.socket
    scratch: str
    without: Sequence[str]
    layers: list[str] = field(default_factory=lambda: ["process", "rlimits"])
    refused: dict[str, str] = field(default_factory=dict)
    isolation: Isolation = field(default_factory=lambda: Isolation(None, None, False))
    star_names: dict[str, Any] = field(default_factory=dict)

    def lock_in(self) -> None:
        """Enter each available layer, and tell the caller which ones these are."""
        self._become_nobody()
        has_namespaces = self._enter("user and network namespaces", enter_namespaces) is not None
        if has_namespaces:
            self._enter(
                "read-only mounts", lambda: mount_read_only(self.scratch, _SCRATCH_MEGABYTES)
            )
            self._enter("pid namespace", enter_pid_namespace)
        is_alone = "pid namespace" in self.layers
        # If a process of this chain ends, all of it ends, and the caller starts another.
        set_process_option(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        if is_alone and (pid := os.fork()):  # the child is process 1 of the new namespace
            self.caller.close()
            os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 255)
        set_process_option(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        # The folders of interpreter and packages.
        folders = {
            os.path.realpath(path) for path in [*sys.path, sys.prefix, sys.base_prefix] if path
        }
        readable = [*_READABLE, *filter(os.path.isdir, folders)]
        rules = self._enter(
            "landlock", lambda: landlock_rules(readable, [self.scratch, "/dev/null"])
        )
        calls = self._enter("seccomp", seccomp_filter)
        self.isolation = Isolation(rules, calls, is_alone)
        if not has_namespaces and os.getuid():  # others of the user count towards the limit
            processes = self.isolation.processes + _processes_of(os.getuid())
            self.isolation = replace(self.isolation, processes=processes)
        # Other processes of the same user cannot trace it, nor read its memory.
        set_process_option(SET_DUMPABLE, 0)
        if not is_alone:
            set_process_option(SET_SUBREAPER, 1)
        sys.set_int_max_str_digits(0)
        self.star_names = star_names()
        gc.collect()
        gc.freeze()
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        send_packet(
            self.caller,
            {"layers": [n for n in LAYERS if n in self.layers], "refused": self.refused},
        )

    def _enter(self, name: str, enter: Callable[[], Any]) -> Any:
        """Return the return value of a layer, or True; None if the layer is refused."""
        if name in self.without:
            self.refused[name] = "switched off"
            return None
        try:
            result = enter()
        except (OSError, AttributeError) as error:
            self.refused[name] = str(error)
            return None
        self.layers.append(name)
        return True if result is None else result

    def _become_nobody(self) -> None:
        if os.geteuid():
            self.refused["nobody"] = "for root only"
            return
        if "nobody" in self.without:
            self.refused["nobody"] = "switched off"
            return
        if not _can_nobody_read(os.__file__):
            self.refused["nobody"] = f"{os.__file__} is in a folder that only root can read"
            return
        os.chown(self.scratch, _NOBODY, _NOBODY)
        _give_up_root()
        set_process_option(SET_DUMPABLE, 1)  # for the maps of users in /proc/self
        self.layers.append("nobody")

    def serve(self) -> NoReturn:
        """Run the programs of the caller."""
        number = 0
        while True:
            try:
                message, descriptors = receive_packet(self.caller)
            except (EOFError, OSError):
                os._exit(0)
            number += 1
            folder = os.path.join(self.scratch, str(number))
            try:
                os.mkdir(folder, 0o700)
                report = self._run(message, descriptors, folder)
            except HangUpError:
                self._end_descendants()
                os._exit(0)
            except Exception as error:  # a fault of ours, not of the program
                report = {"status": "infrastructure", "message": repr(error)[:500]}
            self._end_descendants()
            is_clean = self._empty_scratch()
            for descriptor in descriptors:
                os.close(descriptor)
            try:
                send_packet(self.caller, report)
            except OSError:
                os._exit(0)
            if not is_clean:  # the next program gets another supervisor, with a new folder
                os._exit(0)

    def _run(self, message: dict[str, Any], descriptors: list[int], folder: str) -> dict[str, Any]:
        """Start the process of a program and watch it.

        The descriptors are: program, input, stdout, stderr, results, and files of a checker.
        """
        program, data, stdout, stderr, results, *files = descriptors
        job = Job.received(message, program, data, files)
        token = os.urandom(16).hex()
        pipe, verdict = os.pipe()
        started = time.monotonic()
        body: Callable[[], NoReturn]
        match job.kind:
            case "main":
                body = partial(run_main_program, job, results)
                needed = [program, results, *files]
            case "calls":
                body = partial(run_calls, job, data, results, verdict, self.star_names)
                needed = [program, data, results, verdict]
            case _:
                body = partial(run_test_program, job, results, verdict, token)
                needed = [program, results, verdict]
        try:
            process = start_process(
                body,
                isolation=self.isolation,
                job=job,
                folder=folder,
                streams=(data if job.kind == "main" else None, stdout, stderr),
                descriptors=needed,
            )
        except BaseException:
            os.close(pipe)
            raise
        finally:
            os.close(verdict)
        try:
            return watched(
                process,
                started=started,
                pipe=pipe,
                caller=self.caller.fileno(),
                job=job,
                token=token,
            )
        finally:
            os.close(pipe)
            os.close(process.statistics)

    def _end_descendants(self) -> None:
        """End and reap all processes that a program has left."""
        if not self.isolation.is_alone:
            while children := _children_of(os.getpid()):  # orphans become children in turn
                for pid in children:
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
            return
        try:
            os.kill(-1, signal.SIGKILL)  # all except this process
            while os.waitpid(-1, 0):
                pass
        except (ProcessLookupError, ChildProcessError):
            pass

    def _empty_scratch(self) -> bool:
        """Remove what a program has left, and return whether the next one cannot find any of it."""
        try:
            for name in os.listdir(self.scratch):
                path = os.path.join(self.scratch, name)
                if os.path.isdir(path) and not os.path.islink(path):
                    shutil.rmtree(path)
                else:
                    os.unlink(path)
        except OSError:  # a program may have taken the right to do so
            return False
        return True


def _can_nobody_read(path: str) -> bool:
    """Return whether the user nobody can read a file, unlike an interpreter in root's home."""
    if (pid := os.fork()) == 0:
        try:
            _give_up_root()
            os.close(os.open(path, os.O_RDONLY))
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(pid, 0)[1] == 0


def _give_up_root() -> None:
    os.setgroups([])
    os.setresgid(_NOBODY, _NOBODY, _NOBODY)
    os.setresuid(_NOBODY, _NOBODY, _NOBODY)


def _children_of(parent: int) -> list[int]:
    """Return the processes whose parent is this one."""
    children = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                if file.read().rpartition(")")[2].split()[1] == str(parent):
                    children.append(int(name))
        except OSError:  # it has ended
            pass
    return children


def _processes_of(user: int) -> int:
    """Return the number of threads that run as a user."""
    count = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.stat(f"/proc/{name}").st_uid == user:
                count += len(os.listdir(f"/proc/{name}/task"))
        except OSError:  # it has ended
            pass
    return count
