"""The memory of all calls of a server together, on Linux.

A look at all processes every 20 ms would come too late: a process may take a gigabyte between two
looks. So each process has a limit of its own, which the kernel enforces: what it has, and a part
of the rest. Every look sets the limits again, so a process that needs more gets more. Their sum
never exceeds what all calls may have.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

INTERVAL = 0.02  # seconds between two looks at the processes
_SPARE = 0.05  # of all memory: what is left for other calls, unless the largest is stopped
_GROUPS = Path("/sys/fs/cgroup")


class Measured(Protocol):
    """A call with the id of its process, and bytes of memory.

    `first_size` is what the process had when it started, and `allowance` what it may have beyond
    that; None before it is set.
    """

    process: int | None
    first_size: int
    allowance: int | None


def size_of(process: int | None) -> int:
    """Return the bytes of memory that a process may write to and shares with none.

    0 if this is unknown.

    They are what RLIMIT_DATA limits, and include memory that it has not used yet.
    """
    with suppress(OSError, ValueError, IndexError):
        data = Path(f"/proc/{process}/statm").read_text("ascii").split()[5]
        return int(data) * os.sysconf("SC_PAGE_SIZE")
    return 0


def growth_of(call: Measured) -> int:
    """Return the bytes by which a call has grown.

    Its process, and the programs that this one runs.
    """
    size = max(size_of(call.process) - call.first_size, 0)
    return size + sum(map(_used_by, _descendants(call.process)))


def share_memory(calls: Sequence[Measured], total: int, limit: int) -> bool:
    """Limit each call to what it has and an equal part of the rest of the memory.

    A limit is raised only by what others have given up, so the sum never exceeds the total, even if
    a process grows meanwhile.

    Args:
        calls: the calls whose processes have started.
        total: the bytes of all together.
        limit: the bytes of one call.

    Returns:
        Whether enough is left for other calls.
    """
    sizes = [growth_of(call) for call in calls]
    free = max(total - sum(sizes), 0)
    allowances = [min(size + free // len(calls), limit) for size in sizes]
    for call, allowance in zip(calls, allowances, strict=True):
        if call.allowance is None or allowance < call.allowance:
            _limit(call, 0 if call.allowance is None else allowance)
    # What each may have now, or has after all, if it grew before its limit was lowered.
    minima = [max(growth_of(call), call.allowance or 0) for call in calls]
    free = total - sum(minima)
    for call, allowance, minimum in zip(calls, allowances, minima, strict=True):
        raised = min(allowance - minimum, free)
        if raised > 0:
            _limit(call, minimum + raised)
            free -= raised
    return total - sum(sizes) >= total * _SPARE


def _limit(call: Measured, allowance: int) -> None:
    """Set what a process may have beyond what it had at first."""
    import resource

    call.allowance = allowance
    if call.process is None or not hasattr(resource, "prlimit"):  # macOS has none
        return
    with suppress(OSError, ValueError):  # the process has ended, or its hard limit is lower
        _, hard = resource.prlimit(call.process, resource.RLIMIT_DATA)
        resource.prlimit(call.process, resource.RLIMIT_DATA, (call.first_size + allowance, hard))


def _descendants(process: int | None) -> Iterator[int]:
    """Yield the processes that a process has started, and those that these have started."""
    with suppress(OSError, ValueError):
        for thread in os.listdir(f"/proc/{process}/task"):
            names = Path(f"/proc/{process}/task/{thread}/children").read_text("ascii")
            for child in map(int, names.split()):
                yield child
                yield from _descendants(child)


def _used_by(process: int) -> int:
    """Return the bytes of memory that a process uses and does not share with files.

    0 if unknown.
    """
    with suppress(OSError, ValueError, IndexError):
        _, resident, shared, *_ = Path(f"/proc/{process}/statm").read_text("ascii").split()
        return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
    return 0


def half_of_memory() -> float:
    """Half of the memory of the machine or its control group, in GB (2**30 bytes)."""
    pages = os.sysconf("SC_PHYS_PAGES") if "SC_PHYS_PAGES" in os.sysconf_names else 0
    sizes = [pages * os.sysconf("SC_PAGE_SIZE"), *_limits_of_groups()]
    return min((size for size in sizes if size > 0), default=2**33) / 2**31


def _limits_of_groups() -> Iterator[int]:
    """Yield the limits of the control groups of this process, in both versions of the interface."""
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
