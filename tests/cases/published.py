"""Derives the cases of `published`: outputs of systems, with the figures published for them.

All come from repositories under the MIT or Apache licence, which README.md credits.
"""

import csv
import gzip
import json
from collections import defaultdict

from tests.spec import GIVEN

DATA = GIVEN / "data"
ANSWERS, TEXTS = DATA / "answers", DATA / "text"
CZECH = {
    "claude-3-5-haiku-20241022": 9.3,
    "gpt-4o-2024-11-20": 31.4,
    "gpt-4o-mini-2024-07-18": 8.1,
}
# One model for each annotator that weights its preferences, does not, and leaves some out.
LEADERBOARD_ROWS = (
    "weighted_alpaca_eval_gpt4_turbo/wizardlm-13b",
    "alpaca_eval_gpt4/zephyr-7b-alpha",
    "alpaca_eval_gpt4/zephyr-7b-beta",
)
_GSM8K_ROWS = 40


def published() -> list[dict]:
    """The cases, each with an id and the figures published for its values."""
    return [_trials(), _programs(), *_grades(), _rouge(), *_solutions(), *_preferences()]


def _trials() -> dict:
    rewards = defaultdict(list)
    path = ANSWERS / "tau_bench_gpt-4o-airline.tsv"
    with path.open(encoding="utf-8", newline="") as lines:
        for trial in csv.DictReader(lines, delimiter="\t"):
            rewards[trial["task_id"]].append(int(float(trial["reward"])))
    figures = {"pass^1": 0.42, "pass^2": 0.273, "pass^3": 0.22, "pass^4": 0.2}
    rows = list(rewards.values())
    return {"id": "tau-bench", "module": "pass_at_k", "rows": rows, "published": figures}


def _programs() -> dict:
    path = TEXTS / "codet_humaneval" / "codegen16B_n100_executed_results.jsonl"
    problems = [json.loads(line) for line in path.read_bytes().splitlines()]
    sizes = (1, 2, 5, 10, 50, 100)
    figures = dict(zip(map(str, sizes), (22.10, 30.78, 42.02, 50.38, 68.69, 73.78), strict=True))
    rows = [[problem["n"], problem["c"], problem["results"]] for problem in problems]
    return {"id": "codet", "module": "pass_at_k", "rows": rows, "published": figures}


def _grades() -> list[dict]:
    figures = json.loads((ANSWERS / "figures.json").read_text("utf-8"))
    return [
        {
            "id": f"czech-simpleqa-{model}",
            "module": "selective_answering",
            "rows": (ANSWERS / f"czech_simpleqa_{model}.grades.txt").read_text("utf-8").strip(),
            "published": {"f1": rounded},
            "f1": figures[f"czech_simpleqa_{model}"]["f1"],
        }
        for model, rounded in CZECH.items()
    ]


def _rouge() -> dict:
    folder = TEXTS / "rouge_testdata"
    texts = [(folder / name).read_text().splitlines() for name in ("prediction.txt", "target.txt")]
    pairs = {f"rt{number}": list(pair) for number, pair in enumerate(zip(*texts, strict=True))}
    pairs["rtm"] = [
        (folder / f"{name}_multi.0.txt").read_text() for name in ("prediction", "target")
    ]
    values = json.loads((folder / "published_rouge155.json").read_text())
    return {"id": "rouge-155", "module": "rouge_n_l", "rows": pairs, "published": values}


def _solutions() -> list[dict]:
    figures = json.loads((ANSWERS / "figures.json").read_text("utf-8"))
    cases = []
    for system in ("gsm8k_6b_finetuning", "gsm8k_6b_verification"):
        with gzip.open(ANSWERS / f"{system}.jsonl.gz", "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line, _ in zip(lines, range(_GSM8K_ROWS), strict=False)]
        cases.append(
            {
                "id": system.replace("_", "-"),
                "module": "extract",
                "extract": figures[system]["extract"],
                "rows": [[row["solution"], row["reference"]] for row in rows],
                "published": [row["is_correct"] for row in rows],
            }
        )
    return cases


def _preferences() -> list[dict]:
    path = TEXTS / "alpaca_eval" / "alpaca_eval_slim.json.gz"
    models = json.loads(gzip.decompress(path.read_bytes()))
    names = ("win_rate", "discrete_win_rate", "standard_error", "n_wins", "n_wins_base", "n_draws")
    return [
        {
            "id": name,
            "module": "win_rate",
            "rows": [each for each in models[name]["preference"] if each is not None],
            "published": {key: float(models[name]["published"][key]) for key in names},
        }
        for name in LEADERBOARD_ROWS
    ]
