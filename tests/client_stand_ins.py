"""Stand-ins for the classes of clients, which keep what they get; the scripts of
`examples/clients/` run the clients themselves."""

import math
import sys
from types import ModuleType, SimpleNamespace


class Record(SimpleNamespace):
    """A stand-in that keeps its keywords."""


class InspectScore(Record):
    """Its value, answer, explanation and metadata."""

    @classmethod
    def unscored(cls, *, reason, **fields):
        return cls(value=math.nan, reason=reason, **fields)


def _number():
    return lambda value: {"C": 1.0, "I": 0.0}.get(value, value) * 1.0


def _registered(metrics=None, name=None):
    """A factory as inspect_ai registers it, with its name in logs and its metrics."""

    def decorate(function):
        def made(*args, **options):
            scorer = function(*args, **options)
            scorer.registered = f"metric_commons/{name}"
            return scorer

        made.name, made.metrics = name, metrics
        REGISTRY[name] = made
        return made

    return decorate


REGISTRY = {}
MODULES = {
    "mlflow.entities": {"AssessmentSource": Record, "Feedback": Record},
    "mlflow.genai.scorers": {"scorer": lambda function, **options: Record(f=function, **options)},
    "lighteval.metrics": {},
    "lighteval.metrics.metrics_sample": {
        "SampleLevelComputation": type("SampleLevelComputation", (), {}),
    },
    "lighteval.metrics.sample_preparator": {"GenerativePreparator": Record},
    "lighteval.metrics.utils.metric_utils": {
        "SampleLevelMetricGrouping": Record,
        "CorpusLevelMetric": Record,
    },
    "lighteval.tasks.requests": {"SamplingMethod": Record(GENERATIVE="generative")},
    "inspect_ai.scorer": {
        "CORRECT": "C",
        "INCORRECT": "I",
        "Score": InspectScore,
        "value_to_float": _number,
        "accuracy": lambda: "accuracy",
        "mean": lambda: "mean",
        "scorer": _registered,
        "metric": lambda name: lambda function: function,
        **dict.fromkeys(("Metric", "SampleScore", "Scorer", "Target"), object),
    },
    "inspect_ai.solver": {"TaskState": object},
}


def install(monkeypatch):
    """Put all stand-ins in the place of their modules."""
    for name, members in MODULES.items():
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            part = ".".join(parts[:end])
            if part not in sys.modules or not hasattr(sys.modules[part], "is_stand_in"):
                stand_in = ModuleType(part)
                stand_in.is_stand_in = True
                monkeypatch.setitem(sys.modules, part, stand_in)
                if end > 1:
                    setattr(sys.modules[".".join(parts[: end - 1])], parts[end - 1], stand_in)
        vars(sys.modules[name]).update(members)
