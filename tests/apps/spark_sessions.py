"""A Spark of one Java process, and both kinds of sessions with it."""

import os
import re
import shutil
import socket
import sys
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.spec import ROOT

MISSING = [name for name in ("pyspark", "grpc") if find_spec(name) is None]
MISSING += [] if shutil.which("java") else ["java"]

# The marks of every test with Spark.
MARKS = [
    pytest.mark.processes,
    pytest.mark.skipif(bool(MISSING), reason=f"Spark needs {', '.join(MISSING)}"),
    # No pandas is used here.
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    # py4j closes its sockets when it is collected.
    pytest.mark.filterwarnings("ignore:.*:ResourceWarning"),
    pytest.mark.filterwarnings("ignore:.*:DeprecationWarning"),  # pyspark's own
]
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
        # Nor is it worth to compile a program for each query.
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        # Java compiles for speed what runs for hours; of tests that is a third of their time.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
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
