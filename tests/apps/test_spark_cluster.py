"""A standalone Spark of two workers, as on two machines; each executor is a process of Java."""

import os
import signal
import socket
import subprocess
import sys
import tarfile
import time
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from metric_commons import State, load, score
from tests.apps.spark_sessions import MARKS, blocks_of_guide, free_port, spark_sessions
from tests.result_keys import as_computed

pytestmark = [pytest.mark.slow, *MARKS]

ROWS = [
    (f"q{i:04}", ("Paris", "the Rhine", "42", "")[i % 4], ("Paris", "Rhine")[i % 3 % 2], i % 7)
    for i in range(2_000)
]
COLUMNS = {"predictions": "answer", "references": "gold"}
KINDS = "id string, answer string, gold string, page int"
DAEMON = "org.apache.spark.deploy"


@contextmanager
def daemon(*command):
    """A process of Spark's, in a session of its own."""
    import pyspark

    home = Path(pyspark.__file__).parent
    environment = os.environ | {"SPARK_DAEMON_MEMORY": "256m", "SPARK_HOME": str(home)}
    with subprocess.Popen(
        [str(home / "bin" / "spark-class"), *command],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        yield
        os.killpg(process.pid, signal.SIGTERM)


def wait_until_open(port):
    for _ in range(600):
        with closing(socket.socket()) as attempt:
            if attempt.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError(f"nothing listens at {port}")


@pytest.fixture(scope="module")
def sessions(tmp_path_factory):
    port = free_port()
    master = f"spark://127.0.0.1:{port}"
    with ExitStack() as stack:
        places = ("--host", "127.0.0.1", "--webui-port", "0")
        stack.enter_context(daemon(f"{DAEMON}.master.Master", *places, "--port", str(port)))
        wait_until_open(port)
        for _ in range(2):
            folder = str(tmp_path_factory.mktemp("worker"))
            limits = ("--cores", "1", "--memory", "1g", "--work-dir", folder)
            stack.enter_context(daemon(f"{DAEMON}.worker.Worker", *places, *limits, master))
        settings = {"spark.executor.memory": "512m", "spark.driver.host": "127.0.0.1"}
        yield stack.enter_context(spark_sessions(master, **settings))


@pytest.fixture(scope="module", params=["classic", "connect"])
def spark(sessions, request):
    return sessions[request.param]


@pytest.fixture(scope="module")
def answers(spark):
    return spark.createDataFrame(ROWS, KINDS)


@pytest.fixture(scope="module")
def expected():
    _, predictions, references, pages = zip(*ROWS, strict=True)
    columns = {"predictions": predictions, "references": references, "clusters": pages}
    return load("qa_f1").compute(**columns, confidence_level=0.9)


def scored(frame):
    return as_computed(score("qa_f1", frame, **COLUMNS, clusters="page", confidence_level=0.9))


def test_most_partitions_are_empty_and_one_has_most_rows(answers, expected):
    skewed = answers.where("page < 6").coalesce(1).union(answers.where("page = 6"))
    empty = answers.where("page > 9").repartition(30)
    assert scored(skewed.union(empty)) == expected


def test_an_executor_that_is_killed_in_mid_job(answers, expected, tmp_path):
    killed = tmp_path / "killed"

    def kill_once(batches):
        for batch in batches:
            yield batch
            if not killed.exists():
                killed.touch()
                daemon_of_workers = Path(f"/proc/{os.getppid()}/stat").read_text()
                executor = int(daemon_of_workers.rpartition(")")[2].split()[1])
                os.kill(executor, signal.SIGKILL)
                time.sleep(60)

    dying = answers.repartition(10).mapInArrow(kill_once, KINDS)
    assert scored(dying) == expected
    assert killed.exists()


def test_an_environment_that_is_sent(sessions, expected, tmp_path, monkeypatch):
    environment = tmp_path / "environment"
    (environment / "bin").mkdir(parents=True)
    (environment / "sent").touch()
    python = environment / "bin" / "python"
    python.write_text(f'#!/bin/sh\n[ -e environment/sent ] && exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    with tarfile.open(tmp_path / "environment.tar.gz", "w:gz") as archive:
        archive.add(environment, ".")
    monkeypatch.chdir(tmp_path)
    spark = sessions["connect"]
    *_, block = blocks_of_guide()
    exec(block, {"spark": spark})
    try:
        assert scored(spark.createDataFrame(ROWS, KINDS)) == expected
    finally:
        spark.conf.unset("spark.sql.execution.pyspark.python")


def test_a_stream_is_scored_batch_by_batch(spark, answers, expected, tmp_path):
    source, folder = str(tmp_path / "source"), tmp_path / "rows"
    folder.mkdir()
    answers.repartition(5).write.json(source)

    def save(batch, number):
        results = score("qa_f1", batch, **COLUMNS, clusters="page", rows=True)
        results.save_rows(folder / f"{number}.parquet")

    stream = spark.readStream.schema(KINDS).option("maxFilesPerTrigger", 2).json(source)
    writer = stream.writeStream.foreachBatch(save).trigger(availableNow=True)
    query = writer.option("checkpointLocation", str(tmp_path / "checkpoints")).start()
    assert query.awaitTermination(300)
    total, *rest = map(State.read, sorted(folder.iterdir()))
    assert len(rest) == 2
    total.merge(*rest)
    assert total.result(confidence_level=0.9) == expected
