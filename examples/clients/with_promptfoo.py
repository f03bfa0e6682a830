"""A module as an assertion of promptfoo, which is a program for Node.

    pip install metric-commons
    npm install promptfoo
    python examples/clients/with_promptfoo.py

The provider "echo" repeats recorded answers. promptfoo imports this file for `get_assert`.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import metric_commons
from metric_commons.scorers import scorer

HERE = Path(__file__).resolve()
LINES = (HERE.parents[1] / "capitals.jsonl").read_text("utf-8").splitlines()
QUESTIONS = [json.loads(line) for line in LINES]

get_assert = scorer("promptfoo", "qa_f1", reference="accepted")


def main() -> None:
    configuration = {
        "prompts": ["{{answer}}"],
        "providers": ["echo"],
        "defaultTest": {"assert": [{"type": "python", "value": f"file://{HERE}:get_assert"}]},
        "tests": [
            # promptfoo makes one test of each item of a list, unless the list is nested
            {"vars": {"answer": row["borealis"], "accepted": [row["answers"]]}}
            for row in QUESTIONS
        ],
    }
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "config.json").write_text(json.dumps(configuration))
        environment = {
            **os.environ,
            "PROMPTFOO_PYTHON": sys.executable,
            "PROMPTFOO_CONFIG_DIR": folder,
            "PROMPTFOO_DISABLE_TELEMETRY": "1",
            "PROMPTFOO_DISABLE_UPDATE": "1",
            "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
        }
        command = ["npx", "promptfoo", "eval", "-c", f"{folder}/config.json", "--no-cache"]
        run = subprocess.run(
            [*command, "-o", f"{folder}/results.json"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert Path(folder, "results.json").exists(), run.stdout + run.stderr
        results = json.loads(Path(folder, "results.json").read_text())["results"]["results"]
    expected = metric_commons.load("qa_f1").compute(
        predictions=[question["borealis"] for question in QUESTIONS],
        references=[question["answers"] for question in QUESTIONS],
        per_example=True,
    )["per_example"]["qa_f1"]
    found = {row["testIdx"]: row["gradingResult"] for row in results}
    scores = [found[row]["score"] for row in range(len(QUESTIONS))]
    assert scores == expected
    assert [found[row]["pass"] for row in range(len(QUESTIONS))] == [s == 1 for s in expected]
    print(found[0]["componentResults"][0]["reason"])


if __name__ == "__main__":
    main()
