"""What TRL logs of a reward, in every step and on every process.

The table of completions gets the columns `<name>_answer` and `<name>_signature`, and with `explain`
a column `<name>_reason`; the metrics get the proportions `<name>/unparsed`, `<name>/undecided` and
`<name>/unreadable`, the means of further scores, and of several generations for each prompt
`<name>/avg@k`, `pass@k` and `maj@k`.
"""

from collections.abc import Callable, Sequence
from typing import Any

from .verdicts import STATUSES, Task, Verdict

LogExtra = Callable[[str, list[Any]], None] | None
LogMetric = Callable[[str, float], None] | None


def log(
    task: Task,
    verdicts: Sequence[Verdict],
    log_extra: LogExtra,
    log_metric: LogMetric,
    prompts: Sequence[Any] | None = None,
) -> None:
    """Pass answers and scores to the functions of TRL, which may be missing."""
    if log_extra is not None:
        log_extra(f"{task.name}_answer", [verdict.answer or "" for verdict in verdicts])
        log_extra(f"{task.name}_signature", [task.signature] * len(verdicts))
        if task.explain:
            log_extra(f"{task.name}_reason", [verdict.reason for verdict in verdicts])
    if log_metric is None or not verdicts:
        return
    values: dict[str, float] = {}
    for score in task.further_scores():
        column = [verdict.scores[score] for verdict in verdicts if score in verdict.scores]
        if column:
            values[score] = sum(column) / len(column)
    for status in STATUSES:
        number = sum(verdict.status == status for verdict in verdicts)
        values[status] = number / len(verdicts)
    if prompts is not None and len(prompts) == len(verdicts):
        from .repeated_samples import scores_of_groups  # imports numpy, so only on use

        values |= scores_of_groups(task, verdicts, prompts)
    for name, value in values.items():
        log_metric(f"{task.name}/{name}", value)
