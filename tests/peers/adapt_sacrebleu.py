"""sacrebleu's metrics, by the functions behind `bleu`, `chrf` and `ter`."""

from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.metrics.bleu import BLEUScore
from sacrebleu.metrics.chrf import CHRFScore
from sacrebleu.metrics.ter import TERScore

from metric_commons.text.translation.character_ngrams import chrf_statistics
from metric_commons.text.translation.ngram_precision import bleu_statistics
from metric_commons.text.translation.translation_edit_rate import ter_statistics
from tests.peers.plugin import counted, unsupported

_OURS = ("13a", "intl", "zh", "char", "none")


def _references(references):
    """References row by row; sacrebleu has them stream by stream, None where there is none."""
    return [[text for text in row if text is not None] for row in zip(*references, strict=True)]


def _bleu(metric, hypotheses, references, effective_order):
    name = metric.tokenizer_signature
    return bleu_statistics(
        hypotheses,
        references,
        tokenize=name if name in _OURS else metric.tokenizer,
        lowercase=metric.lowercase,
        smooth_method=metric.smooth_method,
        smooth_value=metric.smooth_value,
        max_ngram_order=metric.max_ngram_order,
        effective_order=effective_order,
    ).result()


def _bleu_score(metric, hypotheses, references, effective_order=None):
    effective = metric.effective_order if effective_order is None else effective_order
    result = _bleu(metric, hypotheses, references, effective)
    keys = ("counts", "totals", "precisions", "sys_len", "ref_len")
    return BLEUScore(
        score=result["bleu"], bp=result["brevity_penalty"], **{key: result[key] for key in keys}
    )


def _chrf_score(metric, hypotheses, references):
    result = chrf_statistics(
        hypotheses,
        references,
        char_order=metric.char_order,
        word_order=metric.word_order,
        beta=metric.beta,
        lowercase=metric.lowercase,
        whitespace=metric.whitespace,
        eps_smoothing=metric.eps_smoothing,
    ).result()
    return CHRFScore(result["chrf"], metric.char_order, metric.word_order, metric.beta)


def _ter_score(metric, hypotheses, references):
    result = ter_statistics(
        hypotheses,
        references,
        normalized=metric.normalized,
        no_punct=metric.no_punct,
        asian_support=metric.asian_support,
        case_sensitive=metric.case_sensitive,
    ).result()
    return TERScore(result["ter"], result["num_edits"], result["ref_length"])


def _adapt(metric, scores):
    own_corpus = metric.corpus_score

    @counted
    def corpus_score(self, hypotheses, references, n_bootstrap=1):
        if n_bootstrap > 1 or references is None:
            unsupported("sacrebleu's bootstrap, and references kept in the metric")
        own_corpus(self, hypotheses, references)  # which checks them, and counts the references
        return scores(self, hypotheses, _references(references))

    @counted
    def sentence_score(self, hypothesis, references):
        self._check_sentence_score_args(hypothesis, references)
        return scores(self, [hypothesis], [list(references)])

    metric.corpus_score = lambda self, *texts, **named: corpus_score(self, *texts, **named)
    metric.sentence_score = lambda self, *texts, **named: sentence_score(self, *texts, **named)


for _metric, _scores in ((BLEU, _bleu_score), (CHRF, _chrf_score), (TER, _ter_score)):
    _adapt(_metric, _scores)
