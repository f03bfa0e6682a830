"""The packages that define scores, and how each is called with the rows of a module.

A function here takes predictions, references and the options of ours, and returns the peer's scores
by the names of ours. It does no more than the peer's documentation says: what it returns is theirs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, NamedTuple

from ...module.catalog.usage import MissingExtraError, UsageError
from ...statistics.arguments.checks import nearest

Scores = dict[str, float]
Options = Mapping[str, Any]


class PeerRows(NamedTuple):
    """The rows of a module, and its options."""

    module: str
    predictions: Sequence[Any]
    references: Sequence[Any]
    options: Options

    def mean(self, score: Callable[[Any, list[str]], Any]) -> float:
        """Return the mean over rows of a function of a prediction and its references."""
        sides = zip(self.predictions, self.references, strict=True)
        return _mean(float(score(prediction, _listed(several))) for prediction, several in sides)


class Peer(NamedTuple):
    """A package, and the modules whose scores it defines.

    Args:
        package: the name by which it is imported.
        distribution: the name by which it is installed.
        scores: return its scores of rows.
        modules: the options with which a module claims to be equal, by module.
    """

    package: str
    distribution: str
    scores: Callable[[PeerRows], Scores]
    modules: Mapping[str, Options]

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


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


def _listed(references: Any) -> list[str]:
    return [references] if isinstance(references, str) else list(references)


def _jiwer(rows: PeerRows) -> Scores:
    import jiwer

    sides = list(rows.references), list(rows.predictions)
    if rows.options.get("unit") == "character":
        return {"cer": jiwer.cer(*sides)}
    rates = jiwer.process_words(*sides)
    return {name: getattr(rates, name) for name in ("wer", "mer", "wil", "wip")}


# The options that ours and sacrebleu have in common.
_SACREBLEU = {
    "bleu": ("BLEU", "tokenize lowercase smooth_method smooth_value max_ngram_order"),
    "chrf": ("CHRF", "char_order word_order beta lowercase whitespace eps_smoothing"),
    "ter": ("TER", "normalized no_punct asian_support case_sensitive"),
}


def _sacrebleu(rows: PeerRows) -> Scores:
    from itertools import zip_longest

    from sacrebleu import metrics

    name, words = _SACREBLEU[rows.module]
    settings = {option: rows.options[option] for option in words.split() if option in rows.options}
    streams = [*map(list, zip_longest(*map(_listed, rows.references)))]
    found = getattr(metrics, name)(**settings).corpus_score(list(rows.predictions), streams)
    return {rows.module: found.score}


def _rouge_score(rows: PeerRows) -> Scores:
    from rouge_score.rouge_scorer import RougeScorer

    kinds = rows.options.get("rouge_types", ("rouge1", "rouge2", "rougeL"))
    scorer = RougeScorer(kinds, use_stemmer=bool(rows.options.get("use_stemmer")))

    def score(kind: str, text: str, accepted: list[str]) -> Any:
        return scorer.score_multi(accepted, text)[kind].fmeasure

    return {kind: rows.mean(partial(score, kind)) for kind in kinds}


def _seqeval(rows: PeerRows) -> Scores:
    from seqeval import metrics

    sides = [[list(row) for row in side] for side in (rows.references, rows.predictions)]
    averages = {"": "micro", "macro_": "macro", "weighted_": "weighted"}
    scores = {
        f"{prefix}{name}": getattr(metrics, f"{name}_score")(
            *sides, average=average, zero_division=0
        )
        for prefix, average in averages.items()
        for name in ("precision", "recall", "f1")
    }
    return {**scores, "accuracy": metrics.accuracy_score(*sides)}


# The names of functions of scikit-learn, beside ours.
_SKLEARN = {
    "classification": "accuracy precision recall f1 mcc:matthews_corrcoef",
    "regression": "mae:mean_absolute_error mse:mean_squared_error rmse:root_mean_squared_error r2",
    "clustering": "ari:adjusted_rand_score nmi:normalized_mutual_info_score v_measure homogeneity "
    "completeness",
}


def _sklearn(rows: PeerRows) -> Scores:
    from sklearn import metrics

    scores = {}
    for word in _SKLEARN[rows.module].split():
        name, _, theirs = word.partition(":")
        function = getattr(metrics, theirs or f"{name}_score")
        if name in ("precision", "recall", "f1"):
            function = partial(function, average=rows.options.get("average"), zero_division=0)
        scores[name] = function(rows.references, rows.predictions)
    return scores


# The options are those with which the cards call the module equal to the peer.
PEERS: Mapping[str, Peer] = {
    "jiwer": Peer("jiwer", "jiwer", _jiwer, {"error_rate": {}}),
    "sacrebleu": Peer("sacrebleu", "sacrebleu", _sacrebleu, {"bleu": {}, "chrf": {}, "ter": {}}),
    "rouge_score": Peer("rouge_score", "rouge_score", _rouge_score, {"rouge_n_l": {}}),
    "seqeval": Peer("seqeval", "seqeval", _seqeval, {"span_f1": {}}),
    "sklearn": Peer(
        "sklearn",
        "scikit-learn",
        _sklearn,
        {"classification": {"average": "macro"}, "regression": {}, "clustering": {}},
    ),
}
