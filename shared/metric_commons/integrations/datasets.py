"""Scoring a `datasets.Dataset` in several processes."""

from typing import TYPE_CHECKING, Any

from ..evaluation.jobs import Job

if TYPE_CHECKING:
    from datasets import Dataset

_BATCH_SIZE = 20_000  # rows: large enough for speed, small enough for memory


def score(
    dataset: "Dataset",
    module: str,
    *,
    groups: str | None = None,
    clusters: str | None = None,
    ids: str | None = None,
    per_example: bool = False,
    num_proc: int | None = None,
    batch_size: int = _BATCH_SIZE,
    **arguments: Any,
) -> Any:
    """The result of a module's `compute` for all rows, or a Dataset with the scores of each row.

    Batches become states, which merge without rounding: the result depends neither on the size of
    batches nor on the number of processes. `datasets` shows the progress.

    Args:
        dataset: the rows.
        module: the name of a module.
        groups: a column of labels; the scores of each label are returned too.
        clusters: a column of labels of rows that are alike; intervals then count labels.
        ids: for rankings, the column of the queries' ids.
        per_example: return the dataset with a further column for each score.
        num_proc: how many processes; None for the calling one.
        batch_size: rows that a process holds at a time.
        **arguments: the name of a column for each input of the module, and options of the module.

    Raises:
        ValueError: a row is not valid; the message has the row, the column and the value.

    >>> from datasets import Dataset
    >>> rows = {"answer": ["Paris", "Rome"], "gold": ["paris", "Oslo"]}
    >>> score(Dataset.from_dict(rows), "qa_em", predictions="answer", references="gold")
    {'qa_em': 0.5}
    """
    job = Job.of(module, arguments, groups=groups, clusters=clusters, ids=ids)
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
            *batch, rows = columns
            return job.scores_of_rows(dict(zip(job.names(), batch, strict=True)), rows[0])

        return dataset.map(scores, with_indices=True, input_columns=job.names(), **options)

    def state(batch: Any, rows: list[int]) -> dict[str, list[str]]:
        columns = {name: batch.column(name) for name in job.names()}
        return {"state": [job.state([columns], rows[0]).to_json()]}

    inputs = dataset.select_columns(job.names()).with_format("arrow")
    # With a cache file of an earlier call, `datasets` would take the number of processes from it.
    options["keep_in_memory"] = True
    states = inputs.map(state, with_indices=True, remove_columns=job.names(), **options)
    return job.total(states.with_format(None)["state"]).result(**job.reporting)
