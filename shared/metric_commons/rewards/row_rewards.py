"""Rewards that are the score of a module for each completion."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..catalog.catalog import load_without_evaluate
from ..numbers.checks import OptionError, RowError, nearest

Completion = str | Sequence[Mapping[str, Any]]
Reward = Callable[..., list[float | None]]


def row_reward(
    module: str, score: str, column: str, options: Mapping[str, Any], sample: tuple[Any, Any]
) -> Reward:
    """A reward function for TRL: the score of a module for each completion.

    Args:
        module: its name.
        score: the name of a score of rows.
        column: the column of the data set with the references.
        options: of the module.
        sample: a prediction and a reference, which any options allow.

    Raises:
        ValueError: there is no such score, or an option is not valid.
        TypeError: there is no such option.
    """
    metric = load_without_evaluate(module, **options)
    scores = _scores(metric, [sample[0]], [sample[1]])
    if score not in scores:
        hint = nearest(score, scores) or f"; there are {', '.join(scores)}"
        raise OptionError("score", f": {module} has no score {score!r} of rows{hint}")

    def reward(completions: Sequence[Completion], **columns: Any) -> list[float | None]:
        if column not in columns:
            raise ValueError(f"the data set has no column {column!r}; it has {', '.join(columns)}")
        references = list(columns[column])
        if len(references) != len(completions):
            raise ValueError(
                f"there are {len(completions)} completions, but {column!r} has {len(references)}"
            )
        predictions = [_prediction(completion) for completion in completions]
        try:
            return list(_scores(metric, predictions, references)[score]) if predictions else []
        except RowError:  # rows without a readable reference have no reward
            return [
                _reward_of_row(metric, score, *row)
                for row in zip(predictions, references, strict=True)
            ]

    reward.__name__ = f"{module}_{score}"
    return reward


def _prediction(completion: Completion) -> Any:
    """The text of a completion; or its last message, if this has calls apart from the text."""
    if isinstance(completion, str):
        return completion
    message = completion[-1]
    return dict(message) if message.get("tool_calls") else str(message.get("content") or "")


def _scores(metric: Any, predictions: Sequence[Any], references: Sequence[Any]) -> dict[str, Any]:
    result = metric.compute(predictions=predictions, references=references, per_example=True)
    scores: dict[str, Any] = result["per_example"]
    return scores


def _reward_of_row(metric: Any, score: str, prediction: Any, reference: Any) -> float | None:
    try:
        return float(_scores(metric, [prediction], [reference])[score][0])
    except RowError:
        return None
