"""A long session with the server: mixed calls, cancellations and a killed process; are all right?

Run in a clone as `python -m tests.apps.server_session [CALLS] [PYTHON]`, where PYTHON has any major
of the library `mcp` to serve with.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from metric_commons.integrations import ultrarag

ANSWERS = {"pred_ls": ["Paris", "Rome"], "gt_ls": [["paris"], ["Oslo", "Rome, Italy"]]}
HANDSHAKE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "session", "version": "1"},
}
LONG = {
    "path": "long.jsonl",
    "modules": ["regression"],
    "predictions": "a",
    "references": "b",
    "confidence_level": 0.95,
    "interval": "bootstrap",
    "n_resamples": 1_000_000,
}


def resident(process: int) -> int:
    """The memory of a process in kibibytes."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))


def workers(process: int) -> list[int]:
    """The processes below that from which calls are forked."""
    (origin,) = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [int(n) for n in Path(f"/proc/{origin}/task/{origin}/children").read_text().split()]


def main(calls: int, python: str) -> int:
    folder = Path(tempfile.mkdtemp())
    with (folder / "long.jsonl").open("w") as file:
        file.writelines(f'{{"a": {n / 7}, "b": {n * n % 101}}}\n' for n in range(20_000))
    (folder / "qrels").write_text("q1 0 a 1\nq2 0 c 2\n")
    (folder / "run").write_text("q1 Q0 a 1 2.0 A\nq2 Q0 c 1 2.0 A\n")
    command = [python, "-m", "metric_commons", "mcp", "--root", str(folder)]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin
    assert server.stdout

    def send(message: dict[str, object]) -> None:
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        server.stdin.flush()

    def answer(identifier: object) -> dict[str, object]:
        while True:
            message = json.loads(server.stdout.readline())
            if message.get("id") == identifier:
                return message

    send({"id": 0, "method": "initialize", "params": HANDSHAKE})
    answer(0)
    send({"method": "notifications/initialized"})
    dice, counts, times = random.Random(0), Counter(), []
    right = {
        "evaluate": ultrarag.evaluate(**ANSWERS),
        "evaluate_trec": ultrarag.evaluate_trec(folder / "run", folder / "qrels"),
    }
    asked = {
        "evaluate": ANSWERS,
        "evaluate_trec": {"run_path": "run", "qrels_path": "qrels"},
        "list_modules": {},
        "evaluat": {},
    }
    cancelled = {calls * n // 50 for n in range(1, 51)}
    before = 0
    for number in range(1, calls + 1):
        if number == calls // 10:
            before = resident(server.pid)
        if number in cancelled:
            while workers(server.pid):  # those that were cancelled end soon
                time.sleep(0.005)
            long = f"long {number}"
            parameters = {"name": "evaluate_file", "arguments": LONG}
            send({"id": long, "method": "tools/call", "params": parameters})
            while not workers(server.pid):
                time.sleep(0.005)
            if number == calls // 2:
                os.kill(workers(server.pid)[0], signal.SIGKILL)
                message = answer(long)
                counts["killed, told" if message["result"]["isError"] else "wrong"] += 1
                continue
            send({"method": "notifications/cancelled", "params": {"requestId": long}})
            counts["cancelled"] += 1
            continue
        name = dice.choice([*asked])
        start = time.perf_counter()
        send(
            {
                "id": number,
                "method": "tools/call",
                "params": {"name": name, "arguments": asked[name]},
            }
        )
        result = answer(number)["result"]
        times.append(time.perf_counter() - start)
        text = result["content"][0]["text"]
        if name == "evaluat":
            good = result["isError"] and "did you mean" in text
        else:
            good = right.get(name) in (None, json.loads(text).get("eval_res"))
        counts["right" if good else "wrong"] += 1
    time.sleep(0.5)
    left = len(workers(server.pid))
    growth = resident(server.pid) - before
    server.stdin.close()
    server.stdout.close()
    status = server.wait(timeout=60)
    median = sorted(times)[len(times) // 2]
    print(f"{dict(counts)}; {left} processes left; memory {growth:+d} KiB; exit status {status}")  # noqa: T201
    print(f"a call takes {1000 * median:.0f} ms")  # noqa: T201
    return int(bool(counts["wrong"] or left or status))


if __name__ == "__main__":
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    sys.exit(main(calls, sys.argv[2] if len(sys.argv) > 2 else sys.executable))
