"""Runs commands as on an operating system without `fork` and the modules of POSIX alone.

    python -m tests.apps.without_posix score qa_em rows.jsonl ... then report saved.json ...

It cannot show what Windows does with paths, consoles and open files.
"""

import importlib
import importlib.abc
import os
import signal
import sys

LIBRARIES = ["anyio", "jinja2", "numpy", "scipy.stats", "subprocess", "tempfile", "click"]
ABSENT_MODULES = {
    "fcntl",
    "resource",
    "termios",
    "tty",
    "pty",
    "pwd",
    "grp",
    "readline",
    "_posixshmem",
}
ABSENT_FUNCTIONS = {
    os: [
        *("fork", "forkpty", "register_at_fork", "getuid", "geteuid", "getgid", "uname", "mkfifo"),
        *("sched_getaffinity", "memfd_create", "pread", "setsid", "killpg", "wait3", "wait4"),
        *(
            "fchmod",
            "posix_spawn",
            "O_NOFOLLOW",
            "O_NONBLOCK",
            "O_DIRECTORY",
            "O_CLOEXEC",
            "O_PATH",
        ),
    ],
    signal: ["SIGKILL", "SIGALRM", "SIGCHLD", "SIGHUP", "SIGUSR1", "pthread_sigmask", "setitimer"],
}


class _Absent(importlib.abc.MetaPathFinder):
    """Finds that a module of POSIX is missing."""

    def find_spec(self, name, path, target=None):
        if name in ABSENT_MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def remove_posix():
    """Remove what only POSIX has, for this project: libraries ask for the name of the system."""
    for name in LIBRARIES:
        importlib.import_module(name)
    sys.meta_path.insert(0, _Absent())
    for name in ABSENT_MODULES:
        sys.modules.pop(name, None)
    for module, names in ABSENT_FUNCTIONS.items():
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    for functions in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
        functions.clear()


if __name__ == "__main__":
    remove_posix()
    from metric_commons.__main__ import main

    # Several commands are separated by "then".
    status, words = 0, sys.argv[1:]
    while words and not status:
        end = words.index("then") if "then" in words else len(words)
        status, words = main(words[:end]), words[end + 1 :]
    sys.exit(status)
