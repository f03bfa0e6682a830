"""Modules as scorers of DSPy, MLflow and promptfoo, which judge one row at a time.

Other frameworks take a function of some lines around `task`, as `docs/clients/others.md` shows.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

from ...statistics.arguments.checks import check_choice
from ..rewards.named_tasks import task as named_task
from ..rewards.verdicts import Task

__all__ = ["scorer"]

Framework = Literal["dspy", "mlflow", "promptfoo"]


def scorer(
    framework: Framework,
    module: str,
    *,
    prediction: str = "",
    reference: str = "",
    score: str | None = None,
    extract: Any = None,
    **options: Any,
) -> Any:
    """Return a module as a scorer of a framework.

    Args:
        framework: "dspy", "mlflow" or "promptfoo".
        module: "math", "choice", "found", or a module that compares texts, calls or JSON.
        prediction: the field of an output to judge, if outputs have fields; each framework has a
            default, such as "answer".
        reference: the field, column or variable with the accepted answer or answers.
        score: the name of a score of the module; None for the main one.
        extract: how to extract the answer from a text, as in the options of modules, or () for the
            whole text; by default the box for "math", the letter for "choice", and otherwise the
            whole text.
        **options: the options of the module; `name`, the name of the score in reports; and for
            promptfoo `threshold`, the worst score that passes a test: by default the best value,
            such as 1 for F1, 100 for chrF and 0 for an error rate.

    Returns:
        A function with the framework's parameters, or for mlflow an object of its class. DSPy and
        promptfoo, where higher must be better, get the score on a scale from 0 to 1. If the
        reference of a row cannot be read, its score is None, or 0.0 if the framework has no missing
        scores.

    Raises:
        ValueError: the framework, module or score is unknown, or an option is not valid; while
            rows are scored, a field is missing.
        TypeError: an option is unknown.
        ImportError: mlflow is not installed.

    >>> grade = scorer("promptfoo", "qa_f1")
    >>> grade({"answer": "York city"}, {"vars": {"expected": ["New York", "NYC"]}})["score"]
    0.5
    """
    check_choice("framework", framework, get_args(Framework))
    threshold = options.pop("threshold", None) if framework == "promptfoo" else None
    task = named_task(module, score=score, extract=extract, explain=framework != "dspy", **options)
    if framework == "dspy":
        return _named(task, _dspy(task, prediction or "answer", reference or "answer"))
    if framework == "promptfoo":
        task.scale().checked(threshold)
        fields = prediction or "answer", reference or "expected"
        return _named(task, _promptfoo(task, *fields, threshold))
    return _mlflow(task, prediction or "response", reference or "expected_response")


def _dspy(task: Task, prediction: str, reference: str) -> Callable[..., float]:
    def scored(gold: Any, pred: Any, trace: Any = None) -> float:
        verdict = task.verdict(_value(pred, prediction), _value(gold, reference))
        return task.scale().goodness(verdict.score)

    return scored


def _promptfoo(
    task: Task, prediction: str, reference: str, threshold: float | None
) -> Callable[..., dict[str, Any]]:
    def scored(output: Any, context: Mapping[str, Any]) -> dict[str, Any]:
        verdict = task.verdict(_value(output, prediction), _value(context["vars"], reference))
        return {
            "pass": task.scale().passes(verdict.score, threshold),
            "score": task.scale().goodness(verdict.score),
            "reason": verdict.reason,
            "namedScores": task.all_scores(verdict),
            "metadata": {"signature": task.signature},
        }

    return scored


def _mlflow(task: Task, prediction: str, reference: str) -> Any:
    from mlflow.entities import AssessmentSource, Feedback
    from mlflow.genai.scorers import scorer as mlflow_scorer

    def scored(outputs: Any, expectations: Any) -> Any:
        verdict = task.verdict(_value(outputs, prediction), _value(expectations, reference))
        return Feedback(
            name=task.name,
            value=verdict.score,
            rationale=verdict.reason,
            source=AssessmentSource(source_type="CODE", source_id="metric-commons"),
            metadata={key: str(value) for key, value in task.record(verdict).items()},
        )

    return mlflow_scorer(_named(task, scored), name=task.name, aggregations=["mean"])


def _named(task: Task, function: Callable[..., Any]) -> Callable[..., Any]:
    function.__name__ = function.__qualname__ = task.name
    function.__doc__ = f"{task.name} of metric-commons."
    return function


def _value(source: Any, name: str) -> Any:
    """Return a field of a value that a framework passes, or the value if it has no fields.

    Raises:
        ValueError: there is no such field.
    """
    if source is None or isinstance(source, str | bytes | int | float | list | tuple):
        return source
    if isinstance(source, Mapping):
        if name in source:
            return source[name]
        if "content" in source or "tool_calls" in source:  # a message
            return source
        fields = list(source)
    elif hasattr(source, name):
        return getattr(source, name)
    else:
        keys = getattr(source, "keys", None)
        fields = list(keys() if callable(keys) else getattr(source, "__dict__", ()))
    raise ValueError(f"there is no field {name!r}; there are {', '.join(map(str, fields))}")
