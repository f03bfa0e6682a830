"""The server of `metric-commons mcp`: its start, its memory, and a large request.

    python benchmarks/server.py

The figures are those that Linux keeps in /proc. CPU seconds are those of the server and of all
processes that work for it; resident memory is the server's and that of the process from which those
of calls are forked. They depend on the protocol's library, whose version is printed.
"""

import json
import os
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[1]  # a project, whose files the server may read
START = "import sys; from metric_commons.__main__ import main; sys.exit(main())"
FEW = {"pred_ls": ["Paris", "Rome"], "gt_ls": [["paris"], ["Oslo", "Rome, Italy"]]}
ROWS = 100_000
MANY = {
    "pred_ls": [f"the answer is number {n} of many" for n in range(ROWS)],
    "gt_ls": [[f"number {n}", "another answer"] for n in range(ROWS)],
}


class Server:
    """A server, and the lines that go to and fro."""

    def __init__(self):
        command = [sys.executable, "-c", START, "mcp"]
        pipe = subprocess.PIPE
        silent = subprocess.DEVNULL  # each call prints a table of scores
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=silent, cwd=ROOT)
        hello = {"capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}
        self.ask("initialize", {"protocolVersion": "2025-06-18", **hello})
        self.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}')

    def write(self, line):
        """Send a line."""
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        """The answer to a request."""
        self.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
        while True:
            answer = json.loads(self.process.stdout.readline())
            if "id" in answer:
                return answer

    def evaluate(self, answers):
        """What the tool says of some answers; a call that is refused as a whole has an error."""
        answer = self.ask("tools/call", {"name": "evaluate", "arguments": answers})
        return answer["result"] if "result" in answer else answer["error"]

    def processes(self):
        """The folders in /proc of the server and of the process from which others are forked."""
        server = Path("/proc", str(self.process.pid))
        started = (path.read_text().split() for path in server.glob("task/*/children"))
        return [server, *(Path("/proc", number) for numbers in started for number in numbers)]

    def cpu(self):
        """Seconds of CPU since its start, those of processes that have ended included."""
        fields = (
            (path / "stat").read_text().rpartition(")")[2].split() for path in self.processes()
        )
        return sum(sum(map(int, field[11:15])) for field in fields) / os.sysconf("SC_CLK_TCK")

    def megabytes(self):
        """Resident memory."""
        pages = (int((path / "statm").read_text().split()[1]) for path in self.processes())
        return sum(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6

    def close(self):
        """End it."""
        self.process.stdin.close()
        self.process.wait()


def main():
    print(f"mcp {version('mcp')}")
    server = Server()
    server.evaluate(FEW)
    print(f"start to first answer: {server.cpu():.2f} s of CPU")

    for _ in range(100):
        server.evaluate(FEW)
    before, start = server.megabytes(), server.cpu()
    for _ in range(1000):
        server.evaluate(FEW)
    print(
        f"1,000 calls: {server.cpu() - start:.2f} s of CPU, "
        f"memory {before:.0f} MB before, {server.megabytes():.0f} MB after"
    )

    start, clock = server.cpu(), time.perf_counter()
    server.evaluate(MANY)
    print(
        f"{ROWS:,} predictions, all metrics, in one call: {server.cpu() - start:.2f} s of CPU, "
        f"{time.perf_counter() - clock:.2f} s until the answer is read"
    )

    server.close()


if __name__ == "__main__":
    main()
