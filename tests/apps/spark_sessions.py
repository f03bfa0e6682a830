"""A Spark of one Java process, and both kinds of sessions with it."""

import os
import re
import shutil
import socket
import sys
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.spec import ROOT

pytest.importorskip("grpc", reason="what Spark Connect needs is not installed")
pytest.importorskip("pyspark", reason="pyspark is not installed")
if shutil.which("java") is None:
    pytest.skip("Spark needs java", allow_module_level=True)

WARNINGS = (
    "ignore:PySpark does not yet fully support pandas:FutureWarning",  # no pandas is used here
    "ignore:.*:ResourceWarning",  # py4j closes its sockets when it is collected
    "ignore:.*:DeprecationWarning",  # pyspark's own
)
OURS = ("metric_commons", "__editable__")


def blocks_of_guide():
    """What the guide says of Spark: a table, a stream, its total, and an environment."""
    page = (ROOT / "docs" / "guides" / "scale.md").read_text("utf-8")
    section = page.partition("\n## Spark\n")[2].partition("\n## ")[0]
    return re.findall(r"^```python\n(.*?)^```", section, re.DOTALL | re.MULTILINE)


def free_port():
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@contextmanager
def spark_sessions(master, **settings):
    """A classic session, and one of Connect with the server that runs inside it."""
    from pyspark.sql import SparkSession
    from pyspark.sql.connect.session import SparkSession as ConnectSession  # warns of pandas

    os.environ["PYSPARK_PYTHON"] = sys.executable
    port = free_port()
    builder = SparkSession.builder.master(master)
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.port": str(port),
        **settings,
    }.items():
        builder.config(name, value)
    classic = builder.getOrCreate()
    connect = ConnectSession.builder.remote(f"sc://localhost:{port}").create()
    yield {"classic": classic, "connect": connect}
    connect.stop()
    classic.stop()


def python_without_metric_commons(folder):
    """The path of a Python with all packages that this one has, but for metric-commons."""
    packages = Path(folder, "packages")
    packages.mkdir()
    for path in map(Path, sys.path):
        if path.name == "site-packages":
            for package in path.iterdir():
                link = packages / package.name
                if not package.name.startswith(OURS) and not link.exists():
                    link.symlink_to(package)
    python = Path(folder, "python")
    # Without `site` it reads no .pth file, which may lead to a checkout.
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{packages}" exec "{sys.executable}" -S "$@"\n')
    python.chmod(0o755)
    return str(python)
