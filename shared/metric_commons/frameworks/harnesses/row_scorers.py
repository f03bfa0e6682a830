"""Modules as scorers of frameworks that judge one row at a time, such as DSPy and MLflow.

`scorer("dspy", "qa_f1")` returns a scorer for the framework. How each framework calls its scorers
and what it expects back is one entry of a table.
"""

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

from ...statistics.arguments.checks import check_choice
from ..rewards.model_outputs import calling
from ..rewards.named_tasks import task as named_task
from ..rewards.verdicts import Task, Verdict

__all__ = ["scorer"]

Framework = Literal["dspy", "mlflow", "langfuse", "langsmith", "phoenix", "promptfoo", "deepeval"]
_WITH_THRESHOLD = ("deepeval", "promptfoo")  # whose verdict is whether a test passes


def _dspy(task: Task, verdict: Verdict) -> float:
    return task.scale().goodness(verdict.score)


def _mlflow(task: Task, verdict: Verdict) -> Any:
    from mlflow.entities import AssessmentSource, Feedback

    return Feedback(
        name=task.name,
        value=verdict.score,
        rationale=verdict.reason,
        source=AssessmentSource(source_type="CODE", source_id="metric-commons"),
        metadata={key: str(value) for key, value in task.record(verdict).items()},
    )


def _langfuse(task: Task, verdict: Verdict) -> Any:
    from langfuse import Evaluation

    if verdict.score is None:
        return []
    return Evaluation(
        name=task.name, value=verdict.score, comment=verdict.reason, metadata=task.record(verdict)
    )


def _langsmith(task: Task, verdict: Verdict) -> dict[str, Any]:
    return {
        "key": task.name,
        "score": verdict.score,
        "comment": verdict.reason,
        "metadata": task.record(verdict),
    }


def _phoenix(task: Task, verdict: Verdict) -> dict[str, Any]:
    return {
        "score": verdict.score,
        "label": verdict.status,
        "explanation": verdict.reason,
        "metadata": task.record(verdict),
        "direction": "minimize" if task.scale().lower_is_better else "maximize",
    }


def _promptfoo(task: Task, verdict: Verdict, threshold: float | None = None) -> dict[str, Any]:
    return {
        "pass": task.scale().passes(verdict.score, threshold),
        "score": task.scale().goodness(verdict.score),
        "reason": verdict.reason,
        "namedScores": task.all_scores(verdict),
        "metadata": {"signature": task.signature},
    }


class _Form(NamedTuple):
    """How a framework calls a scorer.

    `parameters` are those of the framework; one that may be left out ends with "?". `output` is the
    parameter with the prediction, and `expected` the one with the reference, where "a.b" is item b
    of a. If their values have fields, `prediction` and `reference` name the fields.
    """

    parameters: str
    output: str
    expected: str
    prediction: str
    reference: str
    result: Callable[[Task, Verdict], Any]


_LANGFUSE = "output expected_output? input? metadata? **extra"
_FORMS: dict[str, _Form] = {
    "dspy": _Form("gold pred trace?", "pred", "gold", "answer", "answer", _dspy),
    "mlflow": _Form(
        "outputs expectations", "outputs", "expectations", "response", "expected_response", _mlflow
    ),
    "langfuse": _Form(_LANGFUSE, "output", "expected_output", "answer", "answer", _langfuse),
    "langsmith": _Form(
        "outputs reference_outputs", "outputs", "reference_outputs", "answer", "answer", _langsmith
    ),
    "phoenix": _Form("output expected", "output", "expected", "answer", "answer", _phoenix),
    "promptfoo": _Form(
        "output context", "output", "context.vars", "answer", "expected", _promptfoo
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
        framework: "dspy", "mlflow", "langfuse", "langsmith", "phoenix", "promptfoo" or "deepeval".
        module: "math", "choice", "found", or a module that compares texts, calls or JSON.
        prediction: the field of an output to judge, if outputs have fields; each framework has a
            default, such as "answer".
        reference: the field, column or variable with the accepted answer or answers.
        score: the name of a score of the module; None for the main one.
        extract: how to extract the answer from a text, as in the options of modules, or () for the
            whole text; by default the box for "math", the letter for "choice", and otherwise the
            whole text.
        **options: the options of the module; `name`, the name of the score in reports; and for
            deepeval and promptfoo `threshold`, the worst score that passes a test: by default the
            best value, such as 1 for F1, 100 for chrF and 0 for an error rate.

    Returns:
        A function with the framework's parameters, or for mlflow and deepeval an object of their
        classes. Results have the form of the framework; if this has fields for them, they include
        all scores of the row and the signature. The reason names missing and superfluous words.
        DSPy and promptfoo, where higher must be better, get the score on a scale from 0 to 1. If
        the reference of a row cannot be read, its score is None, or 0.0 if the framework has no
        missing scores.

    Raises:
        ValueError: the framework, module or score is unknown, or an option is not valid; while
            rows are scored, a field is missing.
        TypeError: an option is unknown.
        ImportError: the results are objects of a framework that is not installed.

    >>> score_row = scorer("langsmith", "qa_f1")
    >>> score_row({"answer": "York city"}, {"answer": ["New York", "NYC"]})["score"]
    0.5
    """
    check_choice("framework", framework, get_args(Framework))
    threshold = options.pop("threshold", None) if framework in _WITH_THRESHOLD else None
    task = named_task(module, score=score, extract=extract, explain=framework != "dspy", **options)
    if framework in _WITH_THRESHOLD:
        task.scale().checked(threshold)
    if framework == "deepeval":
        fields = prediction or "actual_output", reference or "expected_output"
        return _deepeval_metric(task, threshold, *fields)
    form = _FORMS[framework]
    if framework == "promptfoo":
        form = form._replace(result=partial(_promptfoo, threshold=threshold))
    function = _function(form, task, prediction or form.prediction, reference or form.reference)
    if framework == "mlflow":
        from mlflow.genai.scorers import scorer as mlflow_scorer

        return mlflow_scorer(function, name=task.name, aggregations=["mean"])
    return function


def _function(form: _Form, task: Task, prediction: str, reference: str) -> Callable[..., Any]:
    """Return a plain function, since frameworks inspect its type and signature."""
    form.result(task, Verdict(0.0, ""))  # imports its libraries
    signature = inspect.Signature(list(map(_parameter, form.parameters.split())))
    parameter, _, item = form.expected.partition(".")

    def scored(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        expected = bound.arguments[parameter]
        expected = _value(expected[item] if item else expected, reference)
        output = _value(bound.arguments[form.output], prediction)
        return form.result(task, task.verdict(output, expected))

    scored.__name__ = scored.__qualname__ = task.name
    scored.__doc__ = f"{task.name} of metric-commons."
    scored.__signature__ = signature  # type: ignore[attr-defined]
    return scored


def _parameter(name: str) -> inspect.Parameter:
    if name.startswith("**"):
        return inspect.Parameter(name[2:], inspect.Parameter.VAR_KEYWORD)
    default = None if name.endswith("?") else inspect.Parameter.empty
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(name.removesuffix("?"), kind, default=default)


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
        fields = list(map(str, source))
    else:
        if hasattr(source, name):
            return getattr(source, name)
        keys = getattr(source, "keys", None)
        names = keys() if callable(keys) else getattr(source, "__dict__", ())
        fields = list(map(str, names))
    raise ValueError(f"there is no field {name!r}; there are {', '.join(fields) or 'none'}")


def _deepeval_metric(task: Task, threshold: float | None, prediction: str, reference: str) -> Any:
    """Return a metric of deepeval, which must be an object of its class."""
    from deepeval.metrics import BaseMetric

    class ModuleMetric(BaseMetric):  # type: ignore[misc]
        """A score of metric-commons."""

        async_mode = False
        include_reason = True
        evaluation_model = None

        def __init__(self) -> None:
            self.threshold = task.scale().checked(threshold)

        def measure(self, test_case: Any, *args: Any, **kwargs: Any) -> float:
            """Return the score of a test case."""
            output, expected = _value(test_case, prediction), _value(test_case, reference)
            if task.reads_calls():  # deepeval has these in other fields
                calls = getattr(test_case, "tools_called", None)
                output = output if calls is None else calling(calls, output)
                tools = getattr(test_case, "expected_tools", None)
                expected = expected if tools is None else calling(tools)["tool_calls"]
            verdict = task.verdict(output, expected)
            self.score = verdict.score or 0.0
            self.reason = verdict.reason
            self.score_breakdown = task.all_scores(verdict)
            self.error = None
            self.success = task.scale().passes(verdict.score, threshold)
            return self.score

        async def a_measure(self, test_case: Any, *args: Any, **kwargs: Any) -> float:
            """Return the score of a test case."""
            return self.measure(test_case)

        def is_successful(self) -> bool:
            """Return whether the score of the last test case is as good as the threshold."""
            return bool(self.success)

        @property
        def __name__(self) -> str:
            return task.name

    return ModuleMetric()
