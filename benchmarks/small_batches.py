"""CPU time of `compute` and of `score` on 1, 8 and 64 rows, for every module.

    python benchmarks/small_batches.py

The rows are those of each module's sample, repeated. Rewards, agents and tests score so few rows
at a time that checks and the form of the result count as much as the scores themselves. The last
lines are of other texts, one pair repeated: modules beside the functions behind them, and
rouge_score's own function.
"""

import itertools
import sys
import time
from pathlib import Path

from rouge_score.rouge_scorer import RougeScorer

import metric_commons
from metric_commons.statistics.arguments.domains import is_per_row
from metric_commons.text.answers.answers import token_f1
from metric_commons.text.rouge_overlaps.rouge_scores import rouge

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.spec import METRICS, spec

SIZES = (1, 8, 64)
ROUNDS = 5


def microseconds(call):
    """CPU microseconds of a call, the least of some rounds."""
    call()
    start = time.process_time()
    call()
    calls = int(min(max(0.02 / max(time.process_time() - start, 1e-6), 1), 2000))
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(calls):
            call()
        best = min(best, (time.process_time() - start) / calls)
    return best * 1e6


def repeated(column, rows):
    return list(itertools.islice(itertools.cycle(column), rows))


def times_of(name):
    module = metric_commons.load(name)
    sample = spec(name).sample
    columns = {key: value for key, value in sample.items() if key in module.input_names}
    options = {
        key: value
        for key, value in sample.items()
        if key not in columns and not is_per_row(module.declared_options[key].annotation)
    }
    for rows in SIZES:
        batch = {key: repeated(column, rows) for key, column in columns.items()}
        try:
            yield microseconds(lambda batch=batch: module.compute(**batch, **options))
        except ValueError:  # its scores are undefined for so few rows
            yield None


def main():
    print(f"{'compute, µs of CPU':<24}" + "".join(f"{rows:>5} rows" for rows in SIZES))
    for name in METRICS:
        cells = [f"{'-':>10}" if time is None else f"{time:10.0f}" for time in times_of(name)]
        print(f"{name:<24}" + "".join(cells))
    texts = [(["the cat sat"] * rows, ["a cat sat down"] * rows) for rows in SIZES]
    qa_f1, rouge_n_l = map(metric_commons.load, ("qa_f1", "rouge_n_l"))
    peer = RougeScorer(["rouge1", "rouge2", "rougeL"])
    for title, call in (
        ("score('qa_f1')", lambda p, r: metric_commons.score("qa_f1", predictions=p, references=r)),
        ("qa_f1, the same texts", lambda p, r: qa_f1.compute(predictions=p, references=r)),
        ("token_f1, the function", token_f1),
        ("rouge_n_l, the same", lambda p, r: rouge_n_l.compute(predictions=p, references=r)),
        ("rouge, the function", rouge),
        ("rouge_score, the peer", lambda p, r: list(map(peer.score, r, p))),
    ):
        cells = [f"{microseconds(lambda pair=pair: call(*pair)):10.0f}" for pair in texts]  # noqa: B023
        print(f"{title:<24}" + "".join(cells))


if __name__ == "__main__":
    main()
