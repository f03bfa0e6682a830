"""The measures of ir_measures' providers, by `score_run`."""

import ir_measures
from ir_measures import providers, util
from ir_measures.providers import (
    accuracy_provider,
    judged_provider,
    msmarco_provider,
    pytrec_eval_provider,
)

from metric_commons.retrieval import score_run
from metric_commons.retrieval.names import parse_measures
from tests.peers.plugin import counted, unsupported

# ir_measures orders equal scores by id ascending in these, and descending in trec_eval's.
_EVALUATORS = {
    pytrec_eval_provider.PytrecEvalProvider: {"score_dtype": "float32"},
    judged_provider.JudgedProvider: {},
    msmarco_provider.MsMarcoProvider: {},
}


def _name(measure):
    """The name of a measure here, if there is one."""
    text = str(measure)
    if measure.NAME == "RBP" and "p=" not in text:
        text = (
            text.replace("RBP", "RBP(p=0.8)", 1)
            if "(" not in text
            else text.replace("(", "(p=0.8,", 1)
        )
    try:
        (parsed,) = parse_measures([text])
    except ValueError as error:
        unsupported(str(error))
    return parsed.name


class _Evaluator(providers.Evaluator):
    def __init__(self, measures, qrels, options):
        self.table = util.QrelsConverter(qrels).as_dict_of_dict()
        super().__init__(measures, set(self.table))
        self.names = {measure: _name(measure) for measure in measures}
        self.options = options

    def _iter_calc(self, run):
        table = util.RunConverter(run).as_dict_of_dict()
        for measure, name in self.names.items():
            found = score(self.table, table, name, self.options)
            for query, values in found.items():
                yield ir_measures.Metric(query_id=query, measure=measure, value=values[name])


@counted
def score(qrels, run, name, options):
    runs = {query: documents for query, documents in run.items() if documents}
    return score_run(qrels, runs, [name], missing="skip", **options)["per_query"]


for _provider, _options in _EVALUATORS.items():

    def _evaluator(self, measures, qrels, options=_options):
        return _Evaluator(measures, qrels, options)

    _provider._evaluator = _evaluator


def _refused(self, measures, qrels):
    unsupported("Accuracy")


accuracy_provider.AccuracyProvider._evaluator = _refused
