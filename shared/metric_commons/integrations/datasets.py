"""Scoring a `datasets.Dataset` in several processes."""

from typing import TYPE_CHECKING, Any

from ..evaluation.jobs import Job

if TYPE_CHECKING:
    from datasets import Dataset

_ROWS = 20_000  # of a batch: many enough for speed, few enough for memory


def score(
    dataset: "Dataset",
    module: str,
    *,
    groups: str | None = None,
    ids: str | None = None,
    per_example: bool = False,
    num_proc: int | None = None,
    batch_size: int = _ROWS,
    **arguments: Any,
) -> Any:
    """What a module's `compute` returns for all rows, or a Dataset with the scores of each row.

    Batches become states, which merge without rounding: the result depends neither on their size
    nor on the number of processes. `datasets` shows the progress.

    Args:
        dataset: the rows.
        module: its name.
        groups: the column of labels; also return the scores of each.
        ids: for rankings, the column of the queries' ids.
        per_example: return the dataset with a column for each score instead.
        num_proc: how many processes; None for this one.
        batch_size: rows that a process holds at a time.
        **arguments: for each input of the module the name of a column, and its options.

    Raises:
        ValueError: a row is not what it may be: names row, column and value.

    >>> from datasets import Dataset
    >>> rows = {"answer": ["Paris", "Rome"], "gold": ["paris", "Oslo"]}
    >>> score(Dataset.from_dict(rows), "qa_em", predictions="answer", references="gold")
    {'qa_em': 0.5}
    """
    job = Job.of(module, arguments, groups=groups, ids=ids)
    job.check_columns(dataset.column_names)
    if not len(dataset):
        raise ValueError("the dataset is empty; a score of no rows is undefined")
    options: dict[str, Any] = {
        "batched": True,
        "batch_size": batch_size,
        "num_proc": num_proc,
        "load_from_cache_file": False,
        "desc": "scoring",
    }
    if per_example:

        def scores(*columns: list[Any]) -> dict[str, list[float]]:
            *given, rows = columns
            return job.scores_of_rows(dict(zip(job.names(), given, strict=True)), rows[0])

        return dataset.map(scores, with_indices=True, input_columns=job.names(), **options)

    def state(batch: Any, rows: list[int]) -> dict[str, list[str]]:
        columns = {name: batch.column(name) for name in job.names()}
        return {"state": [job.state([columns], rows[0]).to_json()]}

    needed = dataset.select_columns(job.names()).with_format("arrow")
    # In a file of the cache, states of an earlier call would settle the number of processes.
    options["keep_in_memory"] = True
    states = needed.map(state, with_indices=True, remove_columns=job.names(), **options)
    return job.total(states.with_format(None)["state"]).result(**job.reporting)
