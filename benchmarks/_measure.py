"""How benchmarks measure: CPU time of one process, best of interleaved rounds, and peak memory."""

import gc
import time
import tracemalloc

ROUNDS = 5


def cpu_seconds(call):
    """CPU seconds of one call, garbage of earlier ones collected first."""
    gc.collect()
    start = time.process_time()
    call()
    return time.process_time() - start


def ratio(title, ours, peer, share=1.0):
    """Print how many times more CPU the peer takes; it may run on a share of our input.

    The two take turns, and the least time of each counts: whatever else the machine does only
    ever adds.
    """
    times = [(cpu_seconds(ours), cpu_seconds(peer) / share) for _ in range(ROUNDS)]
    fastest = [min(column) for column in zip(*times, strict=True)]
    print(f"{title}: {fastest[1] / fastest[0]:.1f}x ({fastest[0]:.3f} s, {fastest[1]:.3f} s)")
    return fastest[1] / fastest[0]


def peak_megabytes(call):
    """The most memory that Python and numpy hold during a call, beyond what was there before."""
    gc.collect()
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6
