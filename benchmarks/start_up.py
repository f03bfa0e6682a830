"""What commands take before and beside their work: CPU seconds of whole processes on few rows.

    python benchmarks/start_up.py

Below each other stand the commands, and what the libraries that they are made of take to import.
All are compiled before, as an installation with pip compiles them.
"""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROUNDS = 10
EXAMPLES = Path(__file__).parents[1] / "examples"
QRELS, BM25, DENSE = (
    str(EXAMPLES / name) for name in ("qrels.txt", "bm25.run.txt", "dense.run.txt")
)
COMMANDS = {
    "--version": ["--version"],
    "--help": ["--help"],
    "score --help": ["score", "--help"],
    "describe": ["describe", "qa_f1"],
    "trec": ["trec", QRELS, BM25],
    "trec --compare": ["trec", "--compare", QRELS, BM25, DENSE],
    "score, 32 rows": [
        *("score", "qa_em", str(EXAMPLES / "capitals.jsonl")),
        *("--predictions", "atlas", "--references", "answers"),
    ],
}
IMPORTS = {
    "python alone": "pass",
    "import numpy": "import numpy",
    "import rich": "import rich.console, rich.table",
    "all three": "import numpy, click, rich.console, rich.table",
    "import click": "import click",
    "import scipy": "import numpy, scipy.special",
    "import evaluate": "import evaluate",
}


def cpu_seconds(arguments, compiled):
    """CPU seconds of a Python process that prints nowhere, and has compiled modules in a folder."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    command = [sys.executable, *arguments]
    outputs = [(os.POSIX_SPAWN_DUP2, nowhere, stream) for stream in (1, 2)]
    variables = {**os.environ, "PYTHONPYCACHEPREFIX": compiled, "PYTHONDONTWRITEBYTECODE": ""}
    process = os.posix_spawn(command[0], command, variables, file_actions=outputs)
    os.close(nowhere)
    _, status, usage = os.wait4(process, 0)
    if status:
        raise SystemExit(f"{command} ended with {status}")
    return usage.ru_utime + usage.ru_stime


def main():
    processes = {name: ["-m", "metric_commons", *words] for name, words in COMMANDS.items()}
    processes |= {name: ["-c", program] for name, program in IMPORTS.items()}
    with TemporaryDirectory() as compiled:
        rounds = [
            {name: cpu_seconds(arguments, compiled) for name, arguments in processes.items()}
            for _ in range(ROUNDS + 1)
        ]
    for name in processes:
        print(f"{name:16} {min(seconds[name] for seconds in rounds):.2f} s")


if __name__ == "__main__":
    main()
