"""The server of `metric-commons mcp`: its start, its memory, and large requests.

    python benchmarks/server.py

The server is a process of its own, and the figures, which Linux keeps in /proc, are its own: CPU
seconds from its start, and resident memory. They depend on the protocol's library, whose version is
printed.
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
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=ROOT)
        self.figures = Path("/proc", str(self.process.pid))
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
        """What the tool says of some answers."""
        return self.ask("tools/call", {"name": "evaluate", "arguments": answers})["result"]

    def cpu(self):
        """Seconds of CPU since its start."""
        fields = (self.figures / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def megabytes(self):
        """Resident memory."""
        pages = int((self.figures / "statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

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

    start = server.cpu()
    refused = server.evaluate({"pred_ls": ["a " * 100_000_000], "gt_ls": [["a"]]})
    print(
        f"a line of 200 MB: {server.cpu() - start:.2f} s of CPU, "
        f"memory {server.megabytes():.0f} MB after; {refused['content'][0]['text'][:60]} ..."
    )
    server.close()


if __name__ == "__main__":
    main()
