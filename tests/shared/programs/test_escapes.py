"""Programs that try what SECURITY.md says they cannot, each in all layers of this machine."""

import os
import sys

import pytest

from metric_commons.programs.supervisor import LAYERS
from tests.programs_run import one_worker, report
from tests.tables import tabled

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(sys.platform != "linux", reason="programs run on Linux alone"),
]


# By the layer that prevents it: what succeeds, and so passes, where it is not prevented.
ESCAPES = tabled(__file__, "ESCAPES")


@pytest.fixture(scope="module")
def pool():
    os.environ["A_SECRET"] = "secret"
    pool = one_worker()
    yield pool
    pool.close()
    del os.environ["A_SECRET"]


def test_every_layer_but_the_user_has_an_attack():
    assert ESCAPES.keys() == set(LAYERS) - {"nobody"}


@pytest.mark.parametrize(
    ("layer", "program"), [(layer, text) for layer, texts in ESCAPES.items() for text in texts]
)
def test_no_program_escapes(pool, layer, program):
    if layer not in pool.layers:
        pytest.skip(f"{layer}: {pool.refused[layer]}")
    assert report(pool, program, timeout=10.0).status not in ("passed", "infrastructure")


def test_what_a_program_may_do(pool):
    pair = "import socket; a, b = socket.socketpair(); a.send(b'x'); assert b.recv(1) == b'x'"
    assert report(pool, pair).status == "passed"
