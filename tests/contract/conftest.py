import json
import os
import pickle
import subprocess
import sys
from functools import partialmethod

import pytest
from evaluate import load as load_from
from evaluate import loading
from filelock import BaseFileLock

import tests.spec
from tests.spec import METRICS, ROOT

os.environ["HF_ALLOW_CODE_EVAL"] = "1"  # without which code_eval runs nothing

# Computes what it is sent, in a process that has imported nothing of ours.
ELSEWHERE = """
import json, pickle, sys

while True:
    sent = pickle.load(sys.stdin.buffer)
    try:
        metric, call = pickle.loads(sent)
        result = metric.compute(**call)
    except Exception as error:
        result = repr(error)
    print(json.dumps(result), flush=True)
"""


def marks(each):
    """The inner loop leaves out inputs of a second shape."""
    return pytest.mark.long if each is not tests.spec.spec(each.name) else ()


ALL = [pytest.param(each, marks=marks(each)) for name in METRICS for each in tests.spec.specs(name)]


@pytest.fixture(params=ALL, ids=lambda each: "-".join(filter(None, [each.name, each.shape])))
def spec(request):
    return request.param


@pytest.fixture(scope="session")
def load():
    """A module from its folder, with settings.

    evaluate reads, hashes and copies a folder each time, which takes longer than most tests. Here
    it does so the first time, and otherwise makes an instance of what it copied.
    """
    find = loading.evaluation_module_factory
    copied = {}

    def find_once(path, **options):
        key = (path, *map(str, options.items()))
        if key not in copied:
            copied[key] = find(path, **options)
        return copied[key]

    def load(name, **settings):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(loading, "evaluation_module_factory", find_once)
            return load_from(str(ROOT / "metrics" / name), **settings)

    return load


@pytest.fixture(scope="session")
def elsewhere():
    """What a module computes after its way into another process, or the error there."""

    def compute(metric, **call):
        pickle.dump(pickle.dumps((metric, call)), process.stdin)
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", ELSEWHERE], stdin=pipe, stdout=pipe) as process:
        yield compute
        process.kill()


@pytest.fixture(scope="session", autouse=True)
def _impatient_locks():
    """Locks of files that are asked for every millisecond, and not twenty times a second.

    Processes that score together wait for each other at four locks.
    """
    acquire = partialmethod(BaseFileLock.acquire, poll_interval=0.001)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BaseFileLock, "acquire", acquire)
        yield
