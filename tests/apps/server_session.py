"""A long session with the server: mixed calls, cancellations and killed processes; are all right?

Run in a clone as `python -m tests.apps.server_session [CALLS] [PYTHON]`. The client is the official
one of the Python that runs this; PYTHON serves, the same one if left out.
"""

import asyncio
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path

from mcp import ClientSession, StdioServerParameters, stdio_client

from metric_commons.data.files.stored import to_jsonable
from metric_commons.evaluation.comparison.combined_results import compare
from metric_commons.evaluation.comparison.saved_results import read_results
from metric_commons.evaluation.scoring.scoring import score
from metric_commons.frameworks.harnesses import ultrarag
from metric_commons.module.catalog import catalog
from tests.tables import tabled

STOPPED = 50  # calls that are cancelled, or whose process is killed
KILLED = 5  # of these
STEADY = 1024  # kibibytes that a process may grow by in the second half, whatever the calls

WORDS = ["Paris", "the Rome", "Oslo", "", "yes", "Ødegård", "two words"]
RUN = {"run_path": "new", "qrels_path": "qrels"}
RUNS = {"run_new_path": "new", "run_old_path": "old", "qrels_path": "qrels"}
FIELDS = {"path": "rows.jsonl", "predictions": ["fid", "dpr"], "references": "gold"}
SCORED = FIELDS | {"modules": ["qa_f1"], "confidence_level": 0.9, "compare": True}
LONG = tabled(__file__, "LONG")
# Mistakes, and what the answer has to name.
MISTAKES = tabled(__file__, "MISTAKES")


def write_files(folder):
    """The files that calls name."""
    dice = random.Random(1)
    (folder / "qrels").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 c 2\n", "utf-8")
    (folder / "new").write_text("q1 Q0 a 1 2.0 A\nq2 Q0 c 1 2.0 A\n", "utf-8")
    (folder / "old").write_text("q1 Q0 b 1 2.0 B\nq1 Q0 a 2 1.0 B\n", "utf-8")
    write_long_rows(folder)
    rows = [
        {"fid": dice.choice(WORDS), "dpr": dice.choice(WORDS), "gold": [dice.choice(WORDS)]}
        for _ in range(200)
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "rows.jsonl").write_text(text, "utf-8")
    systems = {name: [row[name] for row in rows] for name in ("fid", "dpr")}
    scored = score(
        *("qa_f1",), predictions=systems, references=[row["gold"] for row in rows], rows=True
    )
    scored = scored.save_rows(folder / "saved.rows.jsonl")
    scored.save(folder / "saved.json")


def write_long_rows(folder):
    """The file of the call that takes minutes."""
    with (folder / LONG["path"]).open("w") as file:
        file.writelines(f'{{"a": {n / 7}, "b": {n * n % 101}}}\n' for n in range(20_000))


def mixed_calls(folder):
    """Calls without mistakes: what makes the arguments, and what an answer has to hold."""
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text("utf-8").splitlines()]
    systems = {name: [row[name] for row in rows] for name in ("fid", "dpr")}
    options = {"confidence_level": 0.9, "compare": True}
    scored = score("qa_f1", predictions=systems, references=[r["gold"] for r in rows], **options)
    compared = compare(read_results(folder / "saved.json"))
    run = ultrarag.evaluate_trec(folder / "new", folder / "qrels")
    runs = ultrarag.evaluate_trec_pvalue(folder / "new", folder / "old", folder / "qrels")

    def answers(dice):
        pairs = [(dice.choice(WORDS), dice.sample(WORDS, 2)) for _ in range(dice.randrange(1, 20))]
        return {"pred_ls": [p for p, _ in pairs], "gt_ls": [g for _, g in pairs]}

    def described(asked):
        return {"card": (catalog.path(asked["name"]) / "README.md").read_text("utf-8")}

    parts = {key: scored.to_dict()[key] for key in ("records", "comparisons")}
    return {
        "evaluate": (answers, lambda asked: {"eval_res": ultrarag.evaluate(**asked)}),
        "evaluate_trec": (lambda _: RUN, lambda _: {"eval_res": run}),
        "evaluate_trec_pvalue": (lambda _: RUNS, lambda _: {"eval_res": runs}),
        "evaluate_file": (lambda _: SCORED, lambda _: parts),
        "compare_files": (
            lambda _: {"paths": ["saved.json"]},
            lambda _: {"comparisons": compared.to_dict()["comparisons"]},
        ),
        "report": (lambda _: {"path": "saved.json", "save_path": "page.html"}, lambda _: {}),
        "list_modules": (lambda _: {}, lambda _: {}),
        "describe_module": (lambda dice: {"name": dice.choice([*catalog.names()])}, described),
    }


def children(process):
    """The processes that any thread of a process started."""
    texts = [path.read_text() for path in Path(f"/proc/{process}/task").glob("*/children")]
    return [int(number) for text in texts for number in text.split()]


def calls_of(server):
    """The processes of calls: the children of the one from which a server forks them."""
    return [call for started in children(server) for call in children(started)]


def is_running(process):
    """Whether a process runs; one that has ended may wait for its parent."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def resident(process):
    """The memory of a process in kibibytes."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))


class Session:
    """A client, and the server that it started.

    Args:
        client: the official one.
        server: the number of the server's process.
    """

    def __init__(self, client, server):
        self.client, self.server = client, server
        self.counts = Counter()

    @property
    def workers(self):
        """The processes of calls."""
        return [*filter(is_running, calls_of(self.server))]

    def figures(self):
        """The memory of the server, and its open files."""
        return [resident(self.server), len(os.listdir(f"/proc/{self.server}/fd"))]

    async def until(self, condition):
        """Wait until something is so."""
        end = time.monotonic() + 60
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError("what should happen soon did not")
            await asyncio.sleep(0.005)

    async def ask(self, name, arguments):
        """Whether a call was refused, and what it answered."""
        result = await self.client.call_tool(name, arguments)
        return result.is_error, result.content[0].text

    async def long_call(self):
        """A call that works for minutes, once it does."""
        await self.until(lambda: not self.workers)  # those that were cancelled end soon
        task = asyncio.create_task(self.ask("evaluate_file", LONG))
        await self.until(lambda: self.workers)
        return task

    async def cancel(self, task):
        """Cancel a call, of which the client tells the server."""
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        self.counts["cancelled"] += 1

    async def kill(self, task):
        """Kill the process of a call, which has to be told, once it works."""
        await asyncio.sleep(1)
        os.kill(self.workers[0], signal.SIGKILL)
        is_error, text = await task
        self.counts["killed, told" if is_error and "was killed" in text else "wrong"] += 1

    async def interrupt(self):
        """Interrupt the server while a call works: the client is told, and no process is left."""
        task = await self.long_call()
        processes = [self.server, *self.workers]
        os.kill(self.server, signal.SIGINT)
        done, _ = await asyncio.wait([task], timeout=60)
        is_told = bool(done) and task.exception() is not None
        with suppress(TimeoutError):
            await self.until(lambda: not any(map(is_running, processes)))
        left = [*filter(is_running, processes)]
        self.counts["interrupted, told" if is_told and not left else "wrong"] += 1

    async def call(self, dice, calls):
        """One call of some tool, or one with a mistake."""
        if dice.random() < 0.2:
            name, arguments, cause = dice.choice(MISTAKES)
            is_error, text = await self.ask(name, arguments)
            is_right = is_error and cause in text and "\n" not in text
            self.counts["refused" if is_right else "wrong"] += 1
        else:
            name = dice.choice([*calls])
            make, expected = calls[name]
            arguments = make(dice)
            is_error, text = await self.ask(name, arguments)
            answer = {} if is_error else json.loads(text)
            is_right = not is_error and answer.items() >= to_jsonable(expected(arguments)).items()
            self.counts["right" if is_right else "wrong"] += 1
        if not is_right:
            print(f"wrong: {name} {arguments}: {text[:500]}")  # noqa: T201


async def session(calls, python, folder):
    """Run a session and print what came of it; whether nothing was wrong."""
    command = ["-m", "metric_commons", "mcp", "--root", str(folder)]
    started = StdioServerParameters(command=python, args=command, env=dict(os.environ), cwd=folder)
    kinds, dice = mixed_calls(folder), random.Random(0)
    stopped = [calls * n // STOPPED - 1 for n in range(1, STOPPED + 1)]
    killed = stopped[:: STOPPED // KILLED]
    with (folder / "stderr").open("w") as errors:
        async with stdio_client(started, errors) as streams, ClientSession(*streams) as client:
            await client.initialize()
            (server,) = children(os.getpid())
            talk, figures = Session(client, server), []
            for number in range(1, calls + 1):
                if number in (calls // 10, calls // 2):  # two figures tell a warm-up from a leak
                    figures.append(talk.figures())
                if number in stopped:
                    task = await talk.long_call()
                    await talk.call(dice, kinds)  # which does not wait for the other
                    if number in killed:
                        await talk.kill(task)
                    else:
                        await talk.cancel(task)
                else:
                    await talk.call(dice, kinds)
            await talk.until(lambda: not talk.workers)
            figures.append(talk.figures())
            processes = [server, *children(server)]
            await talk.interrupt()
            with suppress(TimeoutError):
                await talk.until(lambda: not any(map(is_running, processes)))
    left = [*filter(is_running, processes)]
    first, second = (
        [after - before for before, after in zip(*pair, strict=True)] for pair in pairwise(figures)
    )
    print(  # noqa: T201
        f"client mcp {version('mcp')}: {dict(talk.counts)}; memory {first[0]:+d} KiB until half "
        f"of the calls and {second[0]:+d} after it; open files {second[1]:+d}; "
        f"{len(left)} processes left"
    )
    is_flat = second[0] < STEADY and second[1] <= 0
    return is_flat and not left and not talk.counts["wrong"]


def main(calls, python):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which servers inherit as theirs
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder))
        return int(not asyncio.run(session(calls, python, Path(folder))))


if __name__ == "__main__":
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    sys.exit(main(calls, sys.argv[2] if len(sys.argv) > 2 else sys.executable))
