import os
import tempfile

# Nothing here may reach a network, nor the caches of whoever runs the tests.
_CACHE = tempfile.mkdtemp(prefix="metric-commons-tests-")
os.environ |= {
    "HF_EVALUATE_OFFLINE": "1",
    "HF_HUB_OFFLINE": "1",
    "HF_HOME": _CACHE,
    "HF_MODULES_CACHE": f"{_CACHE}/modules",
    "HF_UPDATE_DOWNLOAD_COUNTS": "0",
}
