"""The packages that define scores, and how each is called with the rows of a module.

A function here takes predictions, references and the options of ours, and returns the peer's scores
by the names of ours. It does no more than the peer's documentation says: what it returns is theirs.
"""

import json
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, NamedTuple

from ...module.catalog.presets import PRESETS
from ...module.catalog.usage import MissingExtraError, UsageError
from ...statistics.arguments.checks import nearest

Column = Sequence[Any]
Scores = dict[str, float]
Options = Mapping[str, Any]


class Peer(NamedTuple):
    """A package, and the modules whose scores it defines.

    Args:
        package: the name by which it is imported.
        distribution: the name by which it is installed.
        scores: return its scores of rows.
        modules: the options with which a module claims to be equal, by module.
        digits: how many digits after the point are right; None for all of a float64.
    """

    package: str
    distribution: str
    scores: Callable[[str, Column, Column, Options], Scores]
    modules: Mapping[str, Options]
    digits: int | None = None

    @property
    def release(self) -> str:
        """Return name and version, as in "jiwer 4.0.0"."""
        return f"{self.distribution} {version(self.distribution)}"


def peer_named(name: str, module: str) -> Peer:
    """Return an installed peer of a module.

    Raises:
        UsageError: there is no such peer, or it does not define this module's scores.
        MissingExtraError: it is not installed.
    """
    if name not in PEERS:
        raise UsageError(
            f"--against {name}: there is no such peer{nearest(name, PEERS)}; "
            f"the peers are {', '.join(PEERS)}"
        )
    peer = PEERS[name]
    if module not in peer.modules:
        names = [key for key, rival in PEERS.items() if module in rival.modules]
        advice = f"; {module} has {', '.join(names)}" if names else ""
        raise UsageError(f"--against {name}: it is not a peer of {module}{advice}")
    if find_spec(peer.package) is None:
        raise MissingExtraError(f"{name} is not installed: pip install {peer.distribution}")
    return peer


def _squad(module: str, predictions: Column, references: Column, options: Options) -> Scores:
    from torchmetrics.functional.text import squad

    name = {"qa_em": "exact_match", "qa_f1": "f1"}[module]
    names = [*map(str, range(len(predictions)))]
    result = squad(
        [
            {"prediction_text": text, "id": row}
            for row, text in zip(names, predictions, strict=True)
        ],
        [
            {"answers": {"text": _listed(accepted), "answer_start": []}, "id": row}
            for row, accepted in zip(names, references, strict=True)
        ],
    )
    return {module: float(result[name]) / 100}


def _inspect_ai(module: str, predictions: Column, references: Column, options: Options) -> Scores:
    from inspect_ai.scorer import _classification

    name = {"qa_em": "max_exact_score", "qa_f1": "max_f1_score"}[module]
    function = getattr(_classification, name)
    rows = zip(predictions, references, strict=True)
    return {module: _mean(float(function(text, _listed(accepted))) for text, accepted in rows)}


def _lm_eval(module: str, predictions: Column, references: Column, options: Options) -> Scores:
    from lm_eval.api.metrics import exact_match_hf_evaluate

    def equal(reference: str, prediction: str) -> float:
        return float(exact_match_hf_evaluate([prediction], [reference])["exact_match"])

    return {module: _best(equal, predictions, references)}


def _jiwer(module: str, predictions: Column, references: Column, options: Options) -> Scores:
    import jiwer

    sides = list(references), list(predictions)
    if options.get("unit") == "character":
        return {"cer": jiwer.cer(*sides)}
    rates = jiwer.process_words(*sides)
    return {name: getattr(rates, name) for name in ("wer", "mer", "wil", "wip")}


# The options that ours and sacrebleu have in common.
_SACREBLEU = {
    "bleu": ("BLEU", "tokenize lowercase smooth_method smooth_value max_ngram_order"),
    "chrf": ("CHRF", "char_order word_order beta lowercase whitespace eps_smoothing"),
    "ter": ("TER", "normalized no_punct asian_support case_sensitive"),
}


def _sacrebleu(module: str, predictions: Column, references: Column, options: Options) -> Scores:
    from sacrebleu import metrics

    name, words = _SACREBLEU[module]
    settings = {option: options[option] for option in words.split() if option in options}
    rows = [*map(_listed, references)]
    streams = [
        [row[number] if number < len(row) else None for row in rows]
        for number in range(max(map(len, rows)))
    ]
    return {
        module: getattr(metrics, name)(**settings).corpus_score(list(predictions), streams).score
    }


def _rouge_score(module: str, predictions: Column, references: Column, options: Options) -> Scores:
    from rouge_score.rouge_scorer import RougeScorer

    kinds = options.get("rouge_types", ("rouge1", "rouge2", "rougeL"))
    scorer = RougeScorer(kinds, use_stemmer=bool(options.get("use_stemmer")))
    rows = [
        scorer.score_multi(_listed(reference), prediction)
        for prediction, reference in zip(predictions, references, strict=True)
    ]
    return {kind: _mean(row[kind].fmeasure for row in rows) for kind in kinds}


def _seqeval(module: str, predictions: Column, references: Column, options: Options) -> Scores:
    from seqeval import metrics

    sides = [[list(row) for row in side] for side in (references, predictions)]
    averages = {"": "micro", "macro_": "macro", "weighted_": "weighted"}
    scores = {
        f"{prefix}{name}": getattr(metrics, f"{name}_score")(
            *sides, average=average, zero_division=0
        )
        for prefix, average in averages.items()
        for name in ("precision", "recall", "f1")
    }
    return {**scores, "accuracy": metrics.accuracy_score(*sides)}


def _sklearn(module: str, predictions: Column, references: Column, options: Options) -> Scores:
    from sklearn import metrics

    averaged = {"average": options.get("average"), "zero_division": 0}
    functions = {
        "classification": {
            "accuracy": metrics.accuracy_score,
            "precision": partial(metrics.precision_score, **averaged),
            "recall": partial(metrics.recall_score, **averaged),
            "f1": partial(metrics.f1_score, **averaged),
            "mcc": metrics.matthews_corrcoef,
        },
        "regression": {
            "mae": metrics.mean_absolute_error,
            "mse": metrics.mean_squared_error,
            "rmse": metrics.root_mean_squared_error,
            "r2": metrics.r2_score,
        },
        "clustering": {
            "ari": metrics.adjusted_rand_score,
            "nmi": metrics.normalized_mutual_info_score,
            "v_measure": metrics.v_measure_score,
            "homogeneity": metrics.homogeneity_score,
            "completeness": metrics.completeness_score,
        },
    }[module]
    return {name: function(references, predictions) for name, function in functions.items()}


# Names of ours and of trec_eval.
_TREC = {"map": "map", "mrr": "recip_rank", "ndcg@10": "ndcg_cut_10", "precision@10": "P_10"}


def _pytrec_eval(module: str, predictions: Column, references: Column, options: Options) -> Scores:
    import pytrec_eval

    names = [f"q{row}" for row in range(len(predictions))]
    run = dict(zip(names, (_documents(row, "score") for row in predictions), strict=True))
    judged = dict(zip(names, (_documents(row, "relevance") for row in references), strict=True))
    grades = {
        name: {document: int(grade) for document, grade in row.items()}
        for name, row in judged.items()
    }
    evaluator = pytrec_eval.RelevanceEvaluator(grades, set(_TREC.values()))
    # Queries without results or judgments are missing, and count 0, as trec_eval -c has it.
    values = defaultdict(lambda: defaultdict(float), evaluator.evaluate(run))
    return {key: _mean(values[name][measure] for name in names) for key, measure in _TREC.items()}


def _documents(row: Any, field: str) -> dict[str, float]:
    """Return documents with scores or grades; ids alone are in order, or relevant."""
    if isinstance(row, Mapping):
        return dict(zip(row["doc_id"], map(float, row[field]), strict=True))
    if field == "relevance":
        return dict.fromkeys(row, 1.0)
    return {document: float(-rank) for rank, document in enumerate(row)}


def _deepdiff(module: str, predictions: Column, references: Column, options: Options) -> Scores:
    from deepdiff import DeepDiff

    settings: dict[str, Any] = {"ignore_numeric_type_changes": True}
    if options.get("list_order") == "any":
        settings |= {"ignore_order": True, "report_repetition": True}

    def equal(reference: Any, prediction: Any) -> float:
        try:
            return float(not DeepDiff(_json(reference), _json(prediction), **settings))
        except json.JSONDecodeError:  # of a prediction, which is then wrong
            return 0.0

    return {"exact_match": _mean(map(equal, references, predictions))}


def _agentevals(module: str, predictions: Column, references: Column, options: Options) -> Scores:
    from agentevals.trajectory.match import create_trajectory_match_evaluator

    mode = {"any_order": "unordered", "same_order": "strict"}
    match = options.get("match", "any_order")
    evaluator = create_trajectory_match_evaluator(trajectory_match_mode=mode.get(match, match))
    return {
        "exact_match": _mean(
            float(
                evaluator(outputs=_trajectory(prediction), reference_outputs=_trajectory(expected))[
                    "score"
                ]
            )
            for prediction, expected in zip(predictions, references, strict=True)
        )
    }


def _trajectory(calls: Any) -> list[dict[str, Any]]:
    """Return a conversation whose only answer makes these calls."""
    tool_calls = [
        {"function": {"name": call["name"], "arguments": json.dumps(_json(call["arguments"]))}}
        for call in _json(calls)
    ]
    return [
        {"role": "user", "content": ""},
        {"role": "assistant", "content": "", "tool_calls": tool_calls},
    ]


def _math_verify(module: str, predictions: Column, references: Column, options: Options) -> Scores:
    import math_verify

    # It warns about the limits of time that are switched off here, which need the main thread.
    logging.getLogger("math_verify").setLevel(logging.ERROR)

    def equal(reference: str, prediction: str) -> float:
        gold, answer = (
            math_verify.parse(f"${text}$", parsing_timeout=None) for text in (reference, prediction)
        )
        return float(math_verify.verify(gold, answer, timeout_seconds=None))

    return {module: _best(equal, predictions, references)}


def _best(function: Callable[[str, str], float], predictions: Column, references: Column) -> float:
    """Return the mean over the rows of the best score over their references."""
    return _mean(
        max(float(function(reference, prediction)) for reference in _listed(accepted))
        for prediction, accepted in zip(predictions, references, strict=True)
    )


def _listed(references: Any) -> list[str]:
    return [references] if isinstance(references, str) else list(references)


def _json(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


# The options are those with which the cards call the module equal to the peer.
PEERS: Mapping[str, Peer] = {
    "squad": Peer(*("torchmetrics", "torchmetrics", _squad), {"qa_em": {}, "qa_f1": {}}, digits=6),
    "inspect_ai": Peer(
        *("inspect_ai", "inspect-ai", _inspect_ai), PRESETS["inspect_ai"].modules, digits=2
    ),
    "lm_eval": Peer("lm_eval", "lm-eval", _lm_eval, {"qa_em": {"normalizer": "none"}}),
    "jiwer": Peer("jiwer", "jiwer", _jiwer, {"error_rate": {}}),
    "sacrebleu": Peer("sacrebleu", "sacrebleu", _sacrebleu, {"bleu": {}, "chrf": {}, "ter": {}}),
    "rouge_score": Peer("rouge_score", "rouge_score", _rouge_score, {"rouge_n_l": {}}),
    "seqeval": Peer("seqeval", "seqeval", _seqeval, {"span_f1": {}}),
    "sklearn": Peer(
        *("sklearn", "scikit-learn", _sklearn),
        {"classification": {"average": "macro"}, "regression": {}, "clustering": {}},
    ),
    "pytrec_eval": Peer(
        *("pytrec_eval", "pytrec_eval-terrier", _pytrec_eval),
        {"ir_ranking": {"measures": [*_TREC], "score_dtype": "float32"}},
    ),
    "deepdiff": Peer("deepdiff", "deepdiff", _deepdiff, {"json_match": {}}),
    "agentevals": Peer("agentevals", "agentevals", _agentevals, {"tool_calls": {}}),
    "math_verify": Peer("math_verify", "math-verify", _math_verify, {"math_equivalence": {}}),
}
