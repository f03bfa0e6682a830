"""The memory of all calls of a server together, on Linux."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Protocol

INTERVAL = 0.02  # seconds between two looks at the processes
_GROUPS = Path("/sys/fs/cgroup")


class Measured(Protocol):
    """A call with the id of its process, and the memory that the process had at first."""

    process: int | None
    first_size: int


def size_of(process: int | None) -> int:
    """The bytes of memory that a process does not share with files; 0 if this is not known."""
    with suppress(OSError, ValueError, IndexError):
        _, resident, shared, *_ = Path(f"/proc/{process}/statm").read_text("ascii").split()
        return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
    return 0


def growth_of(call: Measured) -> int:
    """The bytes by which the process of a call has grown."""
    return max(size_of(call.process) - call.first_size, 0)


def half_of_memory() -> float:
    """Half of the memory of the machine or its control group, in GB (2**30 bytes)."""
    pages = os.sysconf("SC_PHYS_PAGES") if "SC_PHYS_PAGES" in os.sysconf_names else 0
    sizes = [pages * os.sysconf("SC_PAGE_SIZE"), *_limits_of_groups()]
    return min((size for size in sizes if size > 0), default=2**33) / 2**31


def _limits_of_groups() -> Iterator[int]:
    """The limits of the control groups of this process, in both versions of the interface."""
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text("utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            name, top = ("memory.max", _GROUPS)
            if "memory" in controllers.split(","):
                name, top = "memory.limit_in_bytes", _GROUPS / "memory"
            group = top / path.lstrip("/")
            for folder in (group, *group.parents):
                if folder.is_relative_to(top):
                    with suppress(OSError, ValueError):  # "max" is not a number
                        yield int((folder / name).read_text("ascii"))
