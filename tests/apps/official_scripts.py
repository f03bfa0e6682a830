"""The official scripts of transformers, with evaluate's own modules and with ours.

    python -m tests.apps.official_scripts [NAME...]

runs the scripts, or those whose name contains a NAME, on tiny models and data: first with the stock
modules of a checkout of evaluate, then with ours in both ways that the guide shows, another name in
`evaluate.load` and `patch_evaluate`. It compares every key that a script writes, prints the table
of the guide, and ends with an error if anything differs that `EXPECTED` does not name.

TRANSFORMERS_CHECKOUT and EVALUATE_CHECKOUT name the checkouts; without them, the pinned commits are
fetched into `build/`.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.apps import official_models as made
from tests.spec import ROOT

COMMITS = {
    "transformers": "5a67f0a7aca8c18de6235e80e47fd00a9ecf9d58",
    "evaluate": "a7dd338386a4fae9a1767e05eb9ef9479513d9e8",
}
TABLE = ROOT / "docs" / "tables" / "official_scripts.md"
# Runs and keys, by how they start, that may differ by as much, and why; others are equal to 1e-9.
EXPECTED = {
    ("run_summarization", "eval_rouge"): (
        2.0,
        "the stock value is the median of a bootstrap, which estimates the mean that ours is",
    ),
    ("run_glue, stsb", "eval_"): (1e-6, "the stock module computes in single precision"),
}
EXACT = 1e-9


@dataclass
class Run:
    """A run of a script: its model, its data, its arguments, and what it loads."""

    name: str
    script: str
    model: tuple[str, dict[str, Any]]
    data: Callable[[], Any] | None = None  # rows of a file; None if the script names a data set
    arguments: list[str] = field(default_factory=list)
    loaded: tuple[str, str] | None = None  # what the script loads, and what it loads of ours

    def write(self, folder: Path, scripts: Path) -> Path:
        """Write model, data and request; returns the file of the request."""
        kind, settings = self.model
        model = str(made.save_model(kind, folder / "model", **settings))
        arguments = ["--model_name_or_path", model]
        if self.data is not None:
            made.DICE.seed(31)
            rows = self.data()
            file = folder / "rows.json"
            lines = map(json.dumps, rows)
            file.write_text(json.dumps({"data": rows}) if "id" in rows[0] else "\n".join(lines))
            arguments += ["--train_file", str(file), "--validation_file", str(file)]
        arguments += ["--do_eval", "--report_to", "none", "--use_cpu", *self.arguments]
        request = folder / "run.json"
        request.write_text(
            json.dumps(
                {
                    "script": str(scripts / self.script),
                    "folder": str(folder),
                    "arguments": arguments,
                    "loaded": self.loaded,
                }
            )
        )
        return request


def _glue(task: str) -> Run:
    module = "regression" if task == "stsb" else "classification"
    return Run(
        f"run_glue, {task}",
        "text-classification/run_glue.py",
        ("SequenceClassification", {"num_labels": {"mnli": 3, "stsb": 1}.get(task, 2)}),
        arguments=["--task_name", task, "--max_seq_length", "32"],
        loaded=('load("glue", ', f'load("METRICS/{module}", '),
    )


_NAMED = {
    "id2label": dict(enumerate(made.LABELS)),
    "label2id": {name: number for number, name in enumerate(made.LABELS)},
}


def _classification(kind: str, stock: str, ours: str, *arguments: str) -> Run:
    return Run(
        f"run_classification, {kind}",
        "text-classification/run_classification.py",
        ("SequenceClassification", {"num_labels": 1} if kind == "number" else _NAMED),
        lambda: made.labelled(kind),
        [
            *("--text_column_names", "sentence", "--label_column_name", "label"),
            *("--max_seq_length", "32", "--shuffle_train_dataset", "False"),
            *("--do_regression", str(kind == "number")),
            *arguments,
        ],
        (stock, ours),
    )


_SQUAD_V2 = (
    '"squad_v2" if data_args.version_2_with_negative else "squad"',
    '"METRICS/squad_v2", "squad_v2"',
)
_SQUAD = (_SQUAD_V2[0], '"METRICS/qa_f1", "squad"')


def _questions(*, second: bool, generated: bool) -> Run:
    script = "run_seq2seq_qa" if generated else "run_qa"
    arguments = ["--version_2_with_negative"] if second else []
    if generated:
        arguments += ["--predict_with_generate", "--max_answer_length", "8"]
    return Run(
        f"{script}, SQuAD v{1 + second}",
        f"question-answering/{script}.py",
        ("bart", {}) if generated else ("QuestionAnswering", {}),
        lambda: made.questions(unanswerable=second),
        ["--max_seq_length", "48", "--doc_stride", "16", *arguments],
        _SQUAD_V2 if second else _SQUAD,
    )


def _ner(*arguments: str) -> Run:
    return Run(
        " ".join(["run_ner", *arguments]),
        "token-classification/run_ner.py",
        ("TokenClassification", {"num_labels": 5}),
        made.tagged,
        ["--text_column_name", "tokens", "--label_column_name", "ner_tags", *arguments],
        ('load("seqeval"', 'load("METRICS/span_f1", "seqeval"'),
    )


_ACCURACY = ('load("accuracy"', 'load("METRICS/classification", "accuracy"')
_GENERATED = ["--predict_with_generate", "--max_source_length", "32", "--max_target_length", "16"]


RUNS = [
    *map(_glue, made.GLUE_COLUMNS),
    _classification("single", *_ACCURACY),
    _classification(
        "several",
        'load("f1", config_name="multilabel"',
        'load("METRICS/classification", config_name="f1"',
    ),
    _classification("number", 'load("mse"', 'load("METRICS/regression", "mse"'),
    *(
        _questions(second=second, generated=generated)
        for generated in (False, True)
        for second in (False, True)
    ),
    _ner(),
    _ner("--return_entity_level_metrics"),
    Run(
        "run_summarization",
        "summarization/run_summarization.py",
        ("bart", {}),
        lambda: made.pairs("text", "summary"),
        _GENERATED,
        ('load("rouge"', 'load("METRICS/rouge_n_l", "rouge"'),
    ),
    Run(
        "run_translation",
        "translation/run_translation.py",
        ("bart", {}),
        made.translations,
        [*_GENERATED, "--source_lang", "en", "--target_lang", "ro"],
        ('load("sacrebleu"', 'load("METRICS/bleu", "sacrebleu"'),
    ),
    Run(
        "run_clm",
        "language-modeling/run_clm.py",
        ("gpt2", {}),
        made.lines,
        ["--block_size", "16"],
        _ACCURACY,
    ),
]


def checkout(name: str) -> Path:
    """The checkout of a repository: the one named by the environment, or the pinned commit."""
    given = os.environ.get(f"{name.upper()}_CHECKOUT")
    if given:
        return Path(given)
    folder = ROOT / "build" / name
    if not (folder / ".git").is_dir():
        git = ["git", "-C", str(folder)]
        folder.mkdir(parents=True, exist_ok=True)
        for command in (
            ["init", "--quiet"],
            [
                "fetch",
                "--quiet",
                "--depth=1",
                f"https://github.com/huggingface/{name}",
                COMMITS[name],
            ],
            ["checkout", "--quiet", "FETCH_HEAD"],
        ):
            subprocess.run([*git, *command], check=True)
    return folder


def run_all(runs: list[Run]) -> dict[str, dict[str, dict[str, Any]]]:
    """The scores of each run, by way and key; scripts of a folder run in one process."""
    scripts = checkout("transformers") / "examples" / "pytorch"
    metrics = checkout("evaluate") / "metrics"
    results = {}
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
    runs_by_folder: dict[str, list[Run]] = {}
    for run in runs:
        runs_by_folder.setdefault(run.script.partition("/")[0], []).append(run)
    for together in runs_by_folder.values():
        with tempfile.TemporaryDirectory() as name:
            folders = [Path(name, str(number)) for number in range(len(together))]
            requests = []
            for run, folder in zip(together, folders, strict=True):
                folder.mkdir()
                requests.append(str(run.write(folder, scripts)))
            command = [sys.executable, "-m", "tests.apps.official_child", *requests]
            subprocess.run(command, cwd=metrics, env=environment, capture_output=True)
            for run, folder in zip(together, folders, strict=True):
                if (file := folder / "scores.json").exists():
                    results[run.name] = json.loads(file.read_text("utf-8"))
                    sys.stderr.write(f"{run.name}: {results[run.name]['stock']}\n")
                else:
                    failure = folder / "failure.txt"
                    text = failure.read_text("utf-8") if failure.exists() else "the process ended"
                    sys.stderr.write(f"{run.name} failed: {text}\n")
    return {run.name: results[run.name] for run in runs if run.name in results}


def differences(name: str, scores: dict[str, dict[str, Any]]) -> dict[str, tuple[float, str]]:
    """For each key that differs by how much, and why; the cause is empty if nobody knows it."""
    found = {}
    for way in ("configured", "patched"):
        for key in scores["stock"].keys() | scores[way].keys():
            values = [scores[kind].get(key) for kind in ("stock", way)]
            if None in values:
                found[key] = (float("nan"), "")
                continue
            difference = abs(values[0] - values[1])
            if difference <= EXACT * max(1.0, abs(values[0])):
                continue
            tolerance, why = next(
                (
                    cause
                    for (run, prefix), cause in EXPECTED.items()
                    if name.startswith(run) and key.startswith(prefix)
                ),
                (0.0, ""),
            )
            found[key] = (difference, why if difference <= tolerance else "")
    return found


def table(results: dict[str, dict[str, dict[str, Any]]]) -> str:
    """The table of the guide: the scores of each script, and what differs with our modules."""
    lines = ["| Script | Scores | Equal | Different |", "| --- | --- | --- | --- |"]
    for name, scores in results.items():
        keys = sorted(key.removeprefix("eval_") for key in scores["stock"])
        keys_by_cause: dict[str, list[str]] = {}
        odd = differences(name, scores)
        for key, (_, why) in sorted(odd.items()):
            keys_by_cause.setdefault(why, []).append(key.removeprefix("eval_"))
        causes = "; ".join(f"{', '.join(names)}: {why}" for why, names in keys_by_cause.items())
        equal = f"{len(keys) - len(odd)} of {len(keys)}"
        lines.append(f"| {name} | {', '.join(keys)} | {equal} | {causes} |")
    return "\n".join(lines) + "\n"


def main(names: list[str]) -> int:
    chosen = [run for run in RUNS if not names or any(name in run.name for name in names)]
    results = run_all(chosen)
    text = table(results)
    print(text)  # noqa: T201 - a command
    if not names and len(results) == len(RUNS):
        TABLE.write_text(text, "utf-8")
    unexplained = [
        f"{name}, {key}: {difference}"
        for name, scores in results.items()
        for key, (difference, why) in differences(name, scores).items()
        if not why
    ]
    for line in unexplained:
        print(line)  # noqa: T201
    return 1 if unexplained or len(results) < len(chosen) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
