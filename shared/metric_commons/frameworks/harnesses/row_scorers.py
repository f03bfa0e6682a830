"""Modules as scorers of frameworks that judge one row at a time: DSPy, MLflow, Weave and others.

`scorer("dspy", "qa_f1")` returns what the framework calls. How each framework calls its scorers,
and what it expects back, is one entry of a table.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, get_args

from ...statistics.arguments.checks import check_choice
from ..rewards.framework_values import completion_of
from ..rewards.named_tasks import task as named_task
from ..rewards.verdicts import Task, Verdict

__all__ = ["scorer"]

Framework = Literal[
    "dspy",
    "gepa",
    "mlflow",
    "weave",
    "langfuse",
    "langsmith",
    "phoenix",
    "promptfoo",
    "deepeval",
]
Result = Callable[[Verdict], Any]


class _Form(NamedTuple):
    """How a framework calls a scorer.

    `call` has the parameters of the framework and returns those with the prediction and the
    reference; `prediction` and `reference` are names of fields in these, where they have fields. A
    parameter `reference` is renamed to the name of that field. `result` makes the function from
    verdicts to results, and imports what that needs.
    """

    call: Callable[..., tuple[Any, Any]]
    prediction: str
    reference: str
    result: Callable[[str], Result]


def _gepa(name: str) -> Result:
    from dspy import Prediction

    return lambda verdict: Prediction(score=verdict.score or 0.0, feedback=verdict.reason)


def _mlflow(name: str) -> Result:
    from mlflow.entities import AssessmentSource, Feedback

    source = AssessmentSource(source_type="CODE", source_id="metric-commons")

    def result(verdict: Verdict) -> Any:
        return Feedback(name=name, value=verdict.score, rationale=verdict.reason, source=source)

    return result


def _langfuse(name: str) -> Result:
    from langfuse import Evaluation

    def result(verdict: Verdict) -> Any:
        if verdict.score is None:
            return []
        return Evaluation(name=name, value=verdict.score, comment=verdict.reason)

    return result


_FORMS: dict[str, _Form] = {
    "dspy": _Form(
        lambda gold, pred, trace=None: (pred, gold),
        "answer",
        "answer",
        lambda name: lambda verdict: verdict.score or 0.0,
    ),
    "gepa": _Form(
        lambda gold, pred, trace=None, pred_name=None, pred_trace=None, program_trace=None: (
            pred,
            gold,
        ),
        "answer",
        "answer",
        _gepa,
    ),
    "mlflow": _Form(
        lambda *, outputs, expectations: (outputs, expectations),
        "response",
        "expected_response",
        _mlflow,
    ),
    "weave": _Form(
        lambda *, output, reference: (output, reference),
        "answer",
        "expected",
        lambda name: lambda v: {name: v.score, **v.scores, "reason": v.reason},
    ),
    "langfuse": _Form(
        lambda *, input=None, output, expected_output=None, metadata=None, **extra: (
            output,
            expected_output,
        ),
        "answer",
        "answer",
        _langfuse,
    ),
    "langsmith": _Form(
        lambda outputs, reference_outputs: (outputs, reference_outputs),
        "answer",
        "answer",
        lambda name: lambda v: {"key": name, "score": v.score, "comment": v.reason},
    ),
    "phoenix": _Form(
        lambda output, expected: (output, expected),
        "answer",
        "answer",
        lambda name: lambda v: {"score": v.score, "label": v.status, "explanation": v.reason},
    ),
    "promptfoo": _Form(
        lambda output, context: (output, context["vars"]),
        "answer",
        "expected",
        lambda name: lambda v: {"pass": v.score == 1, "score": v.score or 0.0, "reason": v.reason},
    ),
}


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
        framework: "dspy", "gepa" (in DSPy), "mlflow", "weave", "langfuse", "langsmith", "phoenix",
            "promptfoo" or "deepeval".
        module: "math", "choice", "found", or a module that compares texts, calls or JSON.
        prediction: the field of an output that is judged, where outputs have fields; each
            framework has a default, such as "answer".
        reference: the field, column or variable with the accepted answer or answers.
        score: the name of a score of the module; None for the first.
        extract: what cuts the answer out of a text, as the modules take it, or () for the whole
            text; by default a box for "math", the letter for "choice", and else the whole text.
        **options: of the module; `name`, under which the score is reported; and for deepeval
            `threshold`, the score at which a test case passes.

    Returns:
        A function with the framework's parameters, or for mlflow and deepeval an object of their
        classes. Its result has the form of the framework; a reason says which words are missing
        and which are too much. A row whose reference cannot be read has the score None, or 0.0
        where the framework knows no None.

    Raises:
        ValueError: there is no such framework, module or score, or an option is not valid; when a
            row is scored, there is no such field.
        TypeError: there is no such option.
        ImportError: the framework is not installed, for those whose results are objects.

    >>> score_row = scorer("langsmith", "qa_f1")
    >>> score_row({"answer": "York city"}, {"answer": ["New York", "NYC"]})["score"]
    0.5
    """
    check_choice("framework", framework, get_args(Framework))
    threshold = options.pop("threshold", 1.0) if framework == "deepeval" else None
    task = named_task(module, score=score, extract=extract, explain=framework != "dspy", **options)
    if framework == "deepeval":
        return _deepeval_metric(
            task, prediction or "actual_output", reference or "expected_output", threshold
        )
    form = _FORMS[framework]
    function = _function(form, task, prediction or form.prediction, reference or form.reference)
    if framework == "mlflow":
        from mlflow.genai.scorers import scorer as mlflow_scorer

        return mlflow_scorer(function, name=task.name, aggregations=["mean"])
    return function


def _function(form: _Form, task: Task, prediction: str, reference: str) -> Callable[..., Any]:
    """A plain function, since frameworks look at the signature and the kind of what they get."""
    result = form.result(task.name)
    signature = inspect.signature(form.call)
    column = reference if "reference" in signature.parameters else None
    if column is not None:
        parameters = [
            parameter.replace(name=column) if parameter.name == "reference" else parameter
            for parameter in signature.parameters.values()
        ]
        signature = signature.replace(parameters=parameters)

    def scored(*args: Any, **kwargs: Any) -> Any:
        if column is not None and column in kwargs:
            kwargs["reference"] = kwargs.pop(column)
        output, expected = form.call(*args, **kwargs)
        text = completion_of(_value(output, prediction))
        return result(task.verdict(text, _value(expected, reference)))

    scored.__name__ = scored.__qualname__ = task.name
    scored.__doc__ = f"{task.name} of metric-commons."
    scored.__signature__ = signature  # type: ignore[attr-defined]
    return scored


def _value(source: Any, name: str) -> Any:
    """Return a field of what a framework passes, or all of it if it has no fields.

    Raises:
        ValueError: there is no such field.
    """
    if source is None or isinstance(source, str | int | float | list | tuple):
        return source
    if isinstance(source, Mapping):
        if name in source:
            return source[name]
        if "content" in source:  # a message
            return source
        fields = list(map(str, source))
    else:
        if hasattr(source, name):
            return getattr(source, name)
        keys = getattr(source, "keys", None)
        fields = list(map(str, keys() if callable(keys) else vars(source)))
    raise ValueError(f"there is no field {name!r}; there are {', '.join(fields) or 'none'}")


def _deepeval_metric(task: Task, prediction: str, reference: str, threshold: Any) -> Any:
    """Return a metric of deepeval, which wants an object of its own class."""
    from deepeval.metrics import BaseMetric

    class ModuleMetric(BaseMetric):  # type: ignore[misc]
        """A score of metric-commons."""

        async_mode = False
        include_reason = True

        def __init__(self) -> None:
            self.threshold = float(threshold)

        def measure(self, test_case: Any, *args: Any, **kwargs: Any) -> float:
            """Return the score of a test case."""
            text = completion_of(_value(test_case, prediction))
            verdict = task.verdict(text, _value(test_case, reference))
            self.score = verdict.score or 0.0
            self.reason = verdict.reason
            self.score_breakdown = dict(verdict.scores)
            self.error = None
            self.success = self.score >= self.threshold
            return self.score

        async def a_measure(self, test_case: Any, *args: Any, **kwargs: Any) -> float:
            """Return the score of a test case."""
            return self.measure(test_case)

        def is_successful(self) -> bool:
            """Return whether the score of the last test case reached the threshold."""
            return bool(self.success)

        @property
        def __name__(self) -> str:
            return task.name

    return ModuleMetric()
