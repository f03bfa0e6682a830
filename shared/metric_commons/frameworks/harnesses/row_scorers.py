"""Modules as scorers of frameworks that judge one row at a time: DSPy, MLflow, Weave and others.

`scorer("dspy", "qa_f1")` returns what the framework calls. How each framework calls its scorers,
and what it expects back, is one entry of a table.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from ...statistics.arguments.checks import check_choice
from ..rewards.model_outputs import calling
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
_WITH_THRESHOLD = ("deepeval", "promptfoo")  # whose verdict is whether a test passes


@dataclass(frozen=True)
class Grades:
    """What frameworks ask of a verdict, all from the scale that the module declares."""

    task: Task
    threshold: float | None = None

    def passes(self, verdict: Verdict) -> bool:
        """Return whether the score is as good as the threshold, or else the best there is."""
        return self.task.scale().passes(verdict.score, self.threshold)

    def goodness(self, verdict: Verdict) -> float:
        """Return the score on a scale from 0 to 1 where higher is better."""
        return self.task.scale().goodness(verdict.score)

    def record(self, verdict: Verdict) -> dict[str, Any]:
        """Return the status, all scores and the signature."""
        scores = self.task.all_scores(verdict)
        return {"status": verdict.status, **scores, "signature": self.task.signature}


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
    result: Callable[[str, Grades], Result]


def _gepa(name: str, grades: Grades) -> Result:
    from dspy import Prediction

    return lambda v: Prediction(score=grades.goodness(v), feedback=v.reason)


def _mlflow(name: str, grades: Grades) -> Result:
    from mlflow.entities import AssessmentSource, Feedback

    source = AssessmentSource(source_type="CODE", source_id="metric-commons")

    def result(verdict: Verdict) -> Any:
        record = {key: str(value) for key, value in grades.record(verdict).items()}
        return Feedback(
            name=name,
            value=verdict.score,
            rationale=verdict.reason,
            source=source,
            metadata=record,
        )

    return result


def _langfuse(name: str, grades: Grades) -> Result:
    from langfuse import Evaluation

    def result(verdict: Verdict) -> Any:
        if verdict.score is None:
            return []
        return Evaluation(
            name=name,
            value=verdict.score,
            comment=verdict.reason,
            metadata=grades.record(verdict),
        )

    return result


def _phoenix(name: str, grades: Grades) -> Result:
    direction = "minimize" if grades.task.scale().lower_is_better else "maximize"

    def result(verdict: Verdict) -> Any:
        return {
            "score": verdict.score,
            "label": verdict.status,
            "explanation": verdict.reason,
            "metadata": grades.record(verdict),
            "direction": direction,
        }

    return result


_FORMS: dict[str, _Form] = {
    "dspy": _Form(
        lambda gold, pred, trace=None: (pred, gold),
        "answer",
        "answer",
        lambda name, grades: grades.goodness,
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
        lambda name, grades: (
            lambda v: {
                name: v.score,
                **v.scores,
                "reason": v.reason,
                "signature": grades.task.signature,
            }
        ),
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
        lambda name, grades: (
            lambda v: {
                "key": name,
                "score": v.score,
                "comment": v.reason,
                "metadata": grades.record(v),
            }
        ),
    ),
    "phoenix": _Form(lambda output, expected: (output, expected), "answer", "answer", _phoenix),
    "promptfoo": _Form(
        lambda output, context: (output, context["vars"]),
        "answer",
        "expected",
        lambda name, grades: (
            lambda v: {
                "pass": grades.passes(v),
                "score": grades.goodness(v),
                "reason": v.reason,
                "namedScores": grades.task.all_scores(v),
                "metadata": {"signature": grades.task.signature},
            }
        ),
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
        score: the name of a score of the module; None for the main one.
        extract: what cuts the answer out of a text, as the modules take it, or () for the whole
            text; by default a box for "math", the letter for "choice", and else the whole text.
        **options: of the module; `name`, under which the score is reported; and for deepeval and
            promptfoo `threshold`, the worst score with which a test passes: by default the best
            value of the score, such as 1 of F1, 100 of chrF and 0 of an error rate.

    Returns:
        A function with the framework's parameters, or for mlflow, deepeval and phoenix (if
        `phoenix.evals` is installed) an object of their classes. Its result has the form of the
        framework, with all scores of the row and the signature where it has a place for them. A
        reason says which words are missing and which are too much. DSPy, GEPA and promptfoo, for
        which higher is better, get the score on a scale from 0 to 1. A row whose reference cannot
        be read has the score None, or 0.0 where the framework knows no None.

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
    threshold = options.pop("threshold", None) if framework in _WITH_THRESHOLD else None
    task = named_task(module, score=score, extract=extract, explain=framework != "dspy", **options)
    grades = Grades(task, threshold)
    if framework in _WITH_THRESHOLD:
        task.scale().checked(threshold)
    if framework == "deepeval":
        return _deepeval_metric(
            grades, prediction or "actual_output", reference or "expected_output"
        )
    form = _FORMS[framework]
    function = _function(form, grades, prediction or form.prediction, reference or form.reference)
    if framework == "mlflow":
        from mlflow.genai.scorers import scorer as mlflow_scorer

        return mlflow_scorer(function, name=task.name, aggregations=["mean"])
    return _phoenix_evaluator(task.name, function) if framework == "phoenix" else function


def _function(form: _Form, grades: Grades, prediction: str, reference: str) -> Callable[..., Any]:
    """A plain function, since frameworks look at the signature and the kind of what they get."""
    task = grades.task
    result = form.result(task.name, grades)
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
        if column is None:
            expected = _value(expected, reference)
        return result(task.verdict(_value(output, prediction), expected))

    scored.__name__ = scored.__qualname__ = task.name
    scored.__doc__ = f"{task.name} of metric-commons."
    scored.__signature__ = signature  # type: ignore[attr-defined]
    return scored


def _phoenix_evaluator(name: str, function: Callable[..., Any]) -> Any:
    """Return an evaluator that knows its direction, which a plain function cannot say."""
    try:
        from phoenix.evals import Score, create_evaluator
    except ImportError:  # experiments of the client take functions
        return function

    direction = function(None, None)["direction"]

    def scored(output: Any, expected: Any) -> Any:
        fields = {**function(output, expected), "kind": "code", "name": name}
        return Score(**fields)

    evaluator = create_evaluator(name=name, kind="code", direction=direction)(scored)
    evaluator.__signature__ = inspect.signature(function)
    return evaluator


def _value(source: Any, name: str) -> Any:
    """Return a field of what a framework passes, or all of it if it has no fields.

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
        found = keys() if callable(keys) else getattr(source, "__dict__", ())
        fields = list(map(str, found))
    raise ValueError(f"there is no field {name!r}; there are {', '.join(fields) or 'none'}")


def _deepeval_metric(grades: Grades, prediction: str, reference: str) -> Any:
    """Return a metric of deepeval, which wants an object of its own class."""
    from deepeval.metrics import BaseMetric

    task = grades.task

    class ModuleMetric(BaseMetric):  # type: ignore[misc]
        """A score of metric-commons."""

        async_mode = False
        include_reason = True
        evaluation_model = None

        def __init__(self) -> None:
            self.threshold = task.scale().checked(grades.threshold)

        def measure(self, test_case: Any, *args: Any, **kwargs: Any) -> float:
            """Return the score of a test case."""
            output, expected = _value(test_case, prediction), _value(test_case, reference)
            if task.reads_calls():  # which deepeval keeps beside the texts
                called = getattr(test_case, "tools_called", None)
                output = output if called is None else calling(called, output)
                tools = getattr(test_case, "expected_tools", None)
                expected = expected if tools is None else calling(tools)["tool_calls"]
            verdict = task.verdict(output, expected)
            self.score = verdict.score or 0.0
            self.reason = verdict.reason
            self.score_breakdown = task.all_scores(verdict)
            self.error = None
            self.success = grades.passes(verdict)
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
