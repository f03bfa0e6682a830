"""A `datasets.Dataset` with added row scores; `metric_commons.score` scores it as a whole."""

from typing import TYPE_CHECKING, Any

from ...evaluation.rows.blocks import Fields
from ...evaluation.rows.libraries import check_columns, scores_of_block
from ...module.catalog.catalog import load_without_evaluate

if TYPE_CHECKING:
    from datasets import Dataset

_BATCH_SIZE = 20_000  # rows: large enough for speed, small enough for memory


def scores_of_rows(
    module: str,
    dataset: "Dataset",
    *,
    predictions: str,
    references: str | None = None,
    num_proc: int | None = None,
    **options: Any,
) -> "Dataset":
    """Return the dataset with an additional column for each score of its rows.

    Args:
        module: the name of a module.
        dataset: the rows; `datasets` shows the progress.
        predictions: a column name.
        references: a column name, if the module needs references.
        num_proc: the number of processes; None for the calling one.
        **options: the options of the module.

    Raises:
        ValueError: a row is not valid; the message names the row, the column and the value.

    >>> from datasets import Dataset
    >>> rows = Dataset.from_dict({"answer": ["Paris", "Rome"], "gold": ["paris", "Oslo"]})
    >>> scores_of_rows("qa_em", rows, predictions="answer", references="gold")["qa_em"][:]
    [1.0, 0.0]
    """
    metric, fields = (
        load_without_evaluate(module, **options),
        Fields.of_one(predictions, references),
    )
    names = fields.names()
    check_columns(names, dataset.column_names)
    if not len(dataset):
        raise ValueError("the dataset is empty; a score of no rows is undefined")

    def scores(*columns: list[Any]) -> dict[str, list[float]]:
        *batch, rows = columns
        return scores_of_block(metric, fields, dict(zip(names, batch, strict=True)), rows[0])

    return dataset.map(
        scores,
        with_indices=True,
        input_columns=names,
        batched=True,
        batch_size=_BATCH_SIZE,
        num_proc=num_proc,
        load_from_cache_file=False,
        desc="scoring",
    )
