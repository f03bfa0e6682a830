import atexit
import gc
import os
import shutil
import sys
import tempfile

import pytest
from hypothesis import HealthCheck, settings

# Nothing here may reach a network, nor the caches of whoever runs the tests. Each worker of a run
# in parallel imports this file, and so has caches of its own.
_CACHE = tempfile.mkdtemp(prefix="metric-commons-tests-")
atexit.register(shutil.rmtree, _CACHE, ignore_errors=True)
os.environ |= {
    "HF_EVALUATE_OFFLINE": "1",
    "HF_HUB_OFFLINE": "1",
    "HF_HOME": _CACHE,
    "HF_MODULES_CACHE": f"{_CACHE}/modules",
    "HF_UPDATE_DOWNLOAD_COUNTS": "0",
}

# No generated example fails because a machine is busy. Continuous integration judges a change by
# the same examples every time; elsewhere they are new ones, and at night there are many.
settings.register_profile(
    "new",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
    max_examples=25,
)
settings.register_profile("same", settings.get_profile("new"), derandomize=True)
settings.register_profile("many", settings.get_profile("new"), max_examples=250)
settings.load_profile("same" if os.environ.get("CI") else "new")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Search for garbage neither during the collection nor, later, in what was collected.

    Thousands of tests and the modules that they import are a million objects, which stay until the
    end, and each search of all objects would take longer than most tests.
    """
    gc.disable()
    result = yield
    gc.collect()
    gc.freeze()
    gc.enable()
    return result


def pytest_collection_modifyitems(items):
    """Mark the tests of a module that runs programs, and those that ask another process."""
    for item in items:
        _, _, parameters = item.name.partition("[")
        if "code_eval" in parameters or "elsewhere" in item.name:
            item.add_marker(pytest.mark.processes)


@pytest.fixture
def hasty_threads():
    """Threads that give way to each other a thousand times as often."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(interval / 1000)
    yield
    sys.setswitchinterval(interval)


@pytest.fixture(scope="module", params=["compiled", "plain"])
def edit_engine(request):
    """With rapidfuzz, which is optional, and without."""
    from metric_commons.text.transcripts import edit_distance

    with pytest.MonkeyPatch.context() as patch:
        if request.param == "plain":
            patch.setattr(edit_distance, "editops", None)
        elif edit_distance.editops is None:
            pytest.skip("rapidfuzz is not installed")
        yield
