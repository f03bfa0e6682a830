"""Calls of a server never take more memory together than they may."""

import random
import sys

import pytest

from metric_commons.apps.mcp import memory_watch
from metric_commons.apps.mcp.memory_watch import share_memory, size_of


class Call:
    """A call that takes any memory it is allowed to, at any moment."""

    def __init__(self, dice):
        self.process, self.first_size, self.allowance = 1, 0, None
        self.dice, self.size, self.largest = dice, 0, 0

    def take(self):
        """Take some of the memory that is allowed."""
        if self.dice.random() < 0.5:
            self.size = max(self.size, self.dice.randint(0, self.largest))


@pytest.fixture
def kernel(monkeypatch):
    """Limits as the kernel keeps them, while all calls take memory at every step."""
    calls = []

    def limit(call, allowance):
        for other in calls:
            other.take()
        call.allowance = call.largest = allowance

    def growth(call):
        for other in calls:
            other.take()
        return call.size

    monkeypatch.setattr(memory_watch, "_limit", limit)
    monkeypatch.setattr(memory_watch, "growth_of", growth)
    return calls


@pytest.mark.long
@pytest.mark.parametrize("seed", range(30))
def test_the_calls_never_take_more_than_all_may(kernel, seed):
    dice = random.Random(seed)
    for _ in range(200):
        if kernel and dice.random() < 0.2:
            kernel.remove(dice.choice(kernel))
        if dice.random() < 0.4:
            kernel.append(Call(dice))
        share_memory(kernel, 1000, 400)
        assert sum(call.size for call in kernel) <= 1000
        assert sum(max(call.size, call.largest) for call in kernel) <= 1000
        assert all(call.size <= 400 for call in kernel)


def test_a_call_gets_all_that_is_left(kernel):
    kernel += [Call(random.Random(0)), Call(random.Random(0))]
    for call, size in zip(kernel, (300, 0), strict=True):
        call.take, call.size, call.allowance = (lambda: None), size, size
    assert share_memory(kernel, 1000, 2000)
    assert [call.allowance for call in kernel] == [650, 350]
    kernel[0].size = 960
    assert not share_memory(kernel[:1], 1000, 2000), "too little is left for others"


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_the_size_of_a_process_that_has_ended_is_zero():
    assert size_of(2**22 + 1) == 0 < size_of(1)
