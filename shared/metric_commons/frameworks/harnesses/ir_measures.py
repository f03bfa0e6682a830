"""A provider of measures for ir_measures, and so for PyTerrier's experiments.

    from metric_commons.frameworks.harnesses.ir_measures import register

    register()

After this `ir_measures.calc_aggregate` and `pt.Experiment` compute the common measures without a
compiler and without Java.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from ...retrieval.names import parse_measures
from ...retrieval.runs import score_run

__all__ = ["register"]

NAME = "metric_commons"

# Measures whose values equal those of the own providers of ir_measures in every query. Compat and
# Judged are not among them, since equal scores are ordered differently there.
_MEASURES = frozenset(
    ("P R RR Rprec AP nDCG Bpref infAP Success IPrec SetP SetR SetF SetAP RBP ERR").split()
)
_PERSISTENCE = "p=0.8"  # the default of RBP in ir_measures


def register(*, first: bool = True) -> Any:
    """Register the provider "metric_commons" with ir_measures.

    Args:
        first: whether the default pipeline asks it before all others; otherwise it is asked only by
            `ir_measures.providers.registry["metric_commons"]`.

    Returns:
        The provider. A second call returns a new provider in place of the first.

    Raises:
        ImportError: ir_measures is not installed.
    """
    import ir_measures
    from ir_measures import providers

    class RankingEvaluator(providers.Evaluator):  # type: ignore[misc]
        """Measures of runs with the same judgments."""

        def __init__(self, measures: Iterable[Any], qrels: Any) -> None:
            self._qrels = ir_measures.util.QrelsConverter(qrels).as_dict_of_dict()
            super().__init__(list(measures), set(self._qrels))

        def _iter_calc(self, run: Any) -> Iterator[Any]:
            rankings = ir_measures.util.RunConverter(run).as_dict_of_dict()
            rankings = {query: documents for query, documents in rankings.items() if documents}
            names = {measure: _name(measure) for measure in self.measures}
            values = score_run(
                self._qrels,
                rankings,
                list(dict.fromkeys(names.values())),
                missing="skip",
                score_dtype="float32",  # as trec_eval 9, which ir_measures calls
            )["per_query"]
            for query, by_name in values.items():
                for measure, name in names.items():
                    yield ir_measures.Metric(query_id=query, measure=measure, value=by_name[name])

    class ModuleProvider(providers.Provider):  # type: ignore[misc]
        """Measures of metric-commons."""

        NAME = NAME

        def supports(self, measure: Any) -> bool:
            """Return whether the measure, with its parameters, is among those that are equal."""
            measure.validate_params()
            return measure.NAME in _MEASURES and _is_known(_name(measure))

        def _evaluator(self, measures: Iterable[Any], qrels: Any) -> Any:
            return RankingEvaluator(measures, qrels)

    provider = ModuleProvider()
    providers.registry[NAME] = provider
    pipeline = ir_measures.DefaultPipeline.providers
    pipeline[:] = [candidate for candidate in pipeline if getattr(candidate, "NAME", None) != NAME]
    if first:
        pipeline.insert(0, provider)
    return provider


def _name(measure: Any) -> str:
    """Return the name of a measure here, with the default that ir_measures does not print."""
    text = str(measure)
    if measure.NAME != "RBP" or "p=" in text:
        return text
    if "(" in text:
        return text.replace("(", f"({_PERSISTENCE},", 1)
    return text.replace("RBP", f"RBP({_PERSISTENCE})", 1)


def _is_known(name: str) -> bool:
    try:
        return len(parse_measures([name])) == 1  # "P" is that of several cutoffs in trec_eval
    except ValueError:
        return False
