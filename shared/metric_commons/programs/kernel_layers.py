"""The layers of isolation that Linux offers, by calls that Python has no functions for.

Every function raises an OSError if the kernel, or the environment of this process, refuses its
layer. The file needs only the standard library, since supervisors import nothing else.
"""

import ctypes
import os
import re
import struct
from collections.abc import Iterable
from typing import Any

NEW_MOUNTS, NEW_UTS, NEW_IPC = 0x20000, 0x4000000, 0x8000000
NEW_USERS, NEW_PIDS, NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000

SET_PARENT_DEATH_SIGNAL, SET_DUMPABLE, SET_SUBREAPER = 1, 4, 36
_NO_NEW_PRIVILEGES, _SECCOMP = 38, 22

_MACHINE = os.uname().machine if hasattr(os, "uname") else ""
_COLUMN = {"x86_64": 0, "aarch64": 1}  # of the tables below

# System calls that programs do not need, as numbers of x86_64 and aarch64; they fail with EPERM.
_DENIED = """
socket 41 198
execve 59 221
execveat 322 281
ptrace 101 117
process_vm_readv 310 270
process_vm_writev 311 271
pidfd_getfd 438 438
unshare 272 97
setns 308 268
mount 165 40
umount2 166 39
pivot_root 155 41
chroot 161 51
open_tree 428 428
move_mount 429 429
fsopen 430 430
fsconfig 431 431
fsmount 432 432
fspick 433 433
mount_setattr 442 442
name_to_handle_at 303 264
open_by_handle_at 304 265
perf_event_open 298 241
# They would tell when other programs use a file.
inotify_add_watch 254 27
fanotify_init 300 262
fanotify_mark 301 263
# These outlive the program that creates them, and the next one would find them.
shmget 29 194
semget 64 190
msgget 68 186
mq_open 240 180
bpf 321 280
userfaultfd 323 282
io_uring_setup 425 425
io_uring_enter 426 426
io_uring_register 427 427
add_key 248 217
request_key 249 218
keyctl 250 219
personality 135 92
acct 163 89
swapon 167 224
swapoff 168 225
reboot 169 142
kexec_load 246 104
kexec_file_load 320 294
init_module 175 105
finit_module 313 273
"""
_CLONE, _CLONE3, _CAPSET = (56, 220), 435, (126, 91)
_ARCHITECTURE = (0xC000003E, 0xC00000B7)
_NAMESPACE_FLAGS = 0x7E020000
_MOUNT_SETATTR, _LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 442, 444, 445, 446

# Rights of Landlock over files: to read them and list folders; to do everything in a folder except
# running files and making devices.
_READ, _FILE_RIGHTS = 0x4 | 0x8, 0x1 | 0x2 | 0x4 | 0x4000
_DEVICES_AND_EXECUTION = 0x1FC1
_MAKE_AND_REMOVE = 0x2 | 0x4 | 0x8 | 0x1B0


_LIBC: Any = ctypes.CDLL(None, use_errno=True) if _MACHINE else None


def _call(name: str, *arguments: Any) -> int:
    """Return the result of a function of the C library; -1 is an OSError."""
    result: int = getattr(_LIBC, name)(*arguments)
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def set_process_option(option: int, value: int) -> None:
    """Set one option of `prctl`."""
    _call("prctl", option, ctypes.c_ulong(value), 0, 0, 0)


def enter_namespaces() -> None:
    """Leave the namespaces of users, network, IPC and mounts; the user keeps its number."""
    uid, gid = os.getuid(), os.getgid()
    _call("unshare", NEW_USERS | NEW_NETWORK | NEW_IPC | NEW_UTS | NEW_MOUNTS)
    for file, content in (
        ("setgroups", "deny"),
        ("uid_map", f"{uid} {uid} 1"),
        ("gid_map", f"{gid} {gid} 1"),
    ):
        with open(f"/proc/self/{file}", "w") as stream:
            stream.write(content)


def enter_pid_namespace() -> None:
    """Make the next child of this process process 1 of a new namespace."""
    _call("unshare", NEW_PIDS)


def mount_read_only(scratch: str, megabytes: int) -> None:
    """Make all mounts read-only, and put an empty file system in memory over a folder."""
    recursive_private = 0x4000 | 0x40000
    _call("mount", b"none", b"/", None, ctypes.c_ulong(recursive_private), None)
    # Read-only and without set-user-id; without devices /dev/null would be lost.
    attributes = struct.pack("<QQQQ", 0x1 | 0x2, 0, 0, 0)
    whole_tree = 0x8000
    _call("syscall", _MOUNT_SETATTR, -100, b"/", whole_tree, attributes, len(attributes))
    options = f"size={megabytes}m,nr_inodes=4096,mode=700".encode()
    no_devices = 0x2 | 0x4
    _call("mount", b"tmpfs", os.fsencode(scratch), b"tmpfs", ctypes.c_ulong(no_devices), options)


def landlock_rules(readable: Iterable[str], writable: Iterable[str]) -> int:
    """Return the descriptor of rules for reading and writing, without TCP and foreign signals.

    The supervisor creates them once, and they apply to every program.
    """
    version = _call("syscall", _LANDLOCK_CREATE, None, 0, 1)
    rights = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 4: 0x7FFF}.get(version, 0xFFFF)
    network = 0x3 if version >= 4 else 0
    scopes = 0x3 if version >= 6 else 0
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    attributes = struct.pack("<QQQ", rights, network, scopes)
    rules = _call("syscall", _LANDLOCK_CREATE, attributes, size, 0)
    full_access = rights & ~_DEVICES_AND_EXECUTION | _MAKE_AND_REMOVE
    for paths, permitted in ((readable, _READ), (writable, full_access)):
        for path in paths:
            try:
                descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:  # not every system has every path
                continue
            mask = permitted if os.path.isdir(path) else permitted & _FILE_RIGHTS
            rule = struct.pack("<Qi", mask & rights, descriptor)
            _call("syscall", _LANDLOCK_ADD, rules, 1, rule, 0)
            os.close(descriptor)
    return rules


def enter_landlock(rules: int) -> None:
    """Restrict this process to the rules, permanently."""
    _call("syscall", _LANDLOCK_RESTRICT, rules, 0)


class _Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]


def seccomp_filter() -> _Filter:
    """Return the filter of system calls, for `enter_seccomp`.

    Calls of another architecture end the process; `clone3`, whose flags a filter cannot see, does
    not exist; `clone` cannot create namespaces; and the calls in the table fail with EPERM.
    """
    if _MACHINE not in _COLUMN:
        raise OSError(f"no table of system calls for {_MACHINE}")
    column = _COLUMN[_MACHINE]
    load, equal, at_least, any_bit, answer = 0x20, 0x15, 0x35, 0x45, 0x06
    end, refuse, missing, allow = 0x80000000, 0x50001, 0x50026, 0x7FFF0000
    code = [
        (load, 0, 0, 4),
        (equal, 1, 0, _ARCHITECTURE[column]),
        (answer, 0, 0, end),
        (load, 0, 0, 0),
        (at_least, 0, 1, 0x40000000),  # the x32 numbers of the same calls
        (answer, 0, 0, refuse),
        (equal, 0, 1, _CLONE3),
        (answer, 0, 0, missing),
        (equal, 0, 4, _CLONE[column]),
        (load, 0, 0, 16),
        (any_bit, 0, 1, _NAMESPACE_FLAGS),
        (answer, 0, 0, refuse),
        (answer, 0, 0, allow),
    ]
    for line in re.findall(r"^\w.*", _DENIED, re.MULTILINE):
        number = int(line.split()[1 + column])
        code += [(equal, 0, 1, number), (answer, 0, 0, refuse)]
    code.append((answer, 0, 0, allow))
    text = b"".join(struct.pack("<HBBI", *line) for line in code)
    buffer = ctypes.create_string_buffer(text, len(text))
    system_calls = _Filter(len(code), ctypes.cast(buffer, ctypes.c_void_p))
    system_calls.buffer = buffer  # kept alive with the filter, which only holds its address
    return system_calls


def enter_seccomp(calls: _Filter) -> None:
    """Restrict this process to the filter, permanently."""
    mode_filter = 2
    _call("prctl", _SECCOMP, mode_filter, ctypes.byref(calls), 0, 0)


def drop_capabilities() -> None:
    """Give up every capability, and the possibility to gain new ones."""
    header = struct.pack("<Ii", 0x20080522, 0)
    if _MACHINE in _COLUMN:
        _call("syscall", _CAPSET[_COLUMN[_MACHINE]], header, bytes(24))
    set_process_option(_NO_NEW_PRIVILEGES, 1)
