"""Programs that try what SECURITY.md says they cannot, each in all layers of this machine."""

import os
import sys

import pytest

from metric_commons.programs.supervisor import LAYERS
from tests.programs_run import one_worker, report

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(sys.platform != "linux", reason="programs run on Linux alone"),
]

WATCH = """
import ctypes
library = ctypes.CDLL(None)
assert library.inotify_add_watch(library.inotify_init(), b'/', 2) > 0
"""

# By the layer that prevents it: what succeeds, and so passes, where it is not prevented.
ESCAPES = {
    "landlock": [
        "open('/etc/passwd').read()",
        "open('/etc/shadow').read()",
        "import os; os.listdir('/')",
        "import os; os.listdir('/root')",
        "import os; os.listdir('/sys')",
        "open('/proc/1/environ').read()",
        "open('/proc/self/maps').read()",
        "open('/dev/tty')",
        "import os; os.symlink('/etc/passwd', 'link'); open('link').read()",
        "import os; os.kill(os.getppid(), 0)",
    ],
    "read-only mounts": [
        "open('/tmp/new-file', 'w').write('x')",
        "open('/dev/shm/new-file', 'w').write('x')",
        "import numpy, os; open(os.path.dirname(numpy.__file__) + '/new-file', 'w')",
        "import os; os.link('/etc/passwd', 'link')",
        "for i in range(20_000): open(f'f{i}', 'w').write('x' * 4096)",
    ],
    "user and network namespaces": [
        "import socket; socket.create_connection(('192.0.2.1', 80), 0.1)",
        "import time; time.clock_settime(0, 1)",
        "import os; os.chroot('.')",
    ],
    "pid namespace": ["import os, signal; os.kill(-1, signal.SIGCONT)"],
    "seccomp": [
        "import socket; socket.socket()",
        "import socket; socket.socket(socket.AF_UNIX)",
        "import os, sys; os.execv(sys.executable, [sys.executable, '-c', ''])",
        "import subprocess; subprocess.run(['/bin/true'], check=True)",
        "import ctypes; assert ctypes.CDLL(None).ptrace(16, 1, 0, 0) == 0",
        "import ctypes; assert ctypes.CDLL(None).unshare(0x10000000) == 0",
        "import ctypes; assert ctypes.CDLL(None).mount(b'x', b'/tmp', b'tmpfs', 0, None) == 0",
        WATCH,
        "import ctypes; assert ctypes.CDLL(None).shmget(0, 100, 0o1666) >= 0",
    ],
    "rlimits": [
        "x = bytearray(6 << 30)",
        "f = open('big', 'wb')\nfor _ in range(200): f.write(bytes(1 << 20))",
        "import os; [os.open('/dev/null', 0) for _ in range(3000)]",
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
    ],
    "process": [
        "import os; assert os.environ['A_SECRET']",
        "import os; assert os.listdir('.')",
        "import os; [os.fstat(number) for number in range(10, 200)]",
    ],
}


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
