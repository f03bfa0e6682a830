"""Names that people type for a score, and the module and option that compute it.

The names are those of papers, of evaluate's modules, of the functions of scikit-learn, of the
classes of torchmetrics and of the scores of lm-evaluation-harness and inspect_ai. Scores that no
module computes name who has them.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import NamedTuple

_SIMILAR = 0.75  # of names that may be misspellings of each other: "bleu" and "blue", not "ter"
_ENDINGS = ("_score", "_loss")  # of scikit-learn's and others' functions
_TASKS = ("binary", "multiclass", "multilabel", "retrieval")  # before names of classes
_WORD = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z][a-z]+[0-9]*")  # in names of classes


class Use(NamedTuple):
    """A score of a module, and what to set for it."""

    module: str
    score: str = ""  # its key in the result; "" if it is the name of the module
    setting: str = ""  # as after --set
    data: str = ""  # what it is for, if a name has several meanings

    def sentence_part(self) -> str:
        """The module, its score and setting in words.

        >>> Use("error_rate", "cer", "unit=character").sentence_part()
        'error_rate (its score cer, with unit=character)'
        """
        words = [f"its score {self.score}"] if self.score else []
        words += [f"with {self.setting}"] if self.setting else []
        text = f"{self.module} ({', '.join(words)})" if words else self.module
        return f"{text} for {self.data}" if self.data else text


_LABELS, _ANSWERS, _ENTITIES = "labels", "short answers", "entities"
_RANKINGS, _NUMBERS = "rankings", "numbers"


def _classification(score: str, setting: str = "") -> tuple[Use, ...]:
    return (Use("classification", score, setting),)


def _regression(score: str) -> tuple[Use, ...]:
    is_default = score in ("mae", "mse", "rmse", "r2")
    return (Use("regression", score, "" if is_default else f'measures="{score}"'),)


def _ranking(score: str) -> tuple[Use, ...]:
    is_default = score in ("ndcg@10", "map", "mrr", "recall@10", "precision@10")
    return (Use("ir_ranking", score, "" if is_default else f'measures="{score}"'),)


def _clustering(score: str, *, is_default: bool = True) -> tuple[Use, ...]:
    return (Use("clustering", score, "" if is_default else f'measures="{score}"'),)


_ACCURACY = (
    Use("classification", "accuracy", data=_LABELS),
    Use("qa_em", data=_ANSWERS),
    Use("truthful_mc", "mc1", data="multiple choice by the scores of options"),
)
_EXACT_MATCH = (Use("qa_em"), Use("squad_v2", "exact", data="questions that may have no answer"))
_ROUGE = (Use("rouge_n_l"),)
_PASS = (Use("pass_at_k", data="counts of passed samples"), Use("code_eval", data="programs"))
_KAPPA = (
    Use("classification", "kappa", data=_LABELS),
    Use("judge_agreement", "cohen_kappa", data="two raters"),
)
_ALPHA = (Use("judge_agreement", "krippendorff_alpha", 'measures="krippendorff_alpha"'),)
_HITS = _ranking("hit_rate@10")
_NDCG, _MAP, _MRR = _ranking("ndcg@10"), _ranking("map"), _ranking("mrr")
_BRIER = (
    Use("classification", "brier", data="probabilities of labels"),
    Use("selective_answering", "brier", data="answers with confidences"),
)
_ECE = _classification("ece", "calibration_bins=15")
_GLUE = (Use("classification"), Use("regression", data="stsb"), Use("qa_f1", data="record"))
_MATRIX = _classification("confusion_matrix", "confusion_matrix=true")
_ROC = (
    Use("classification", "roc_auc", data="scores of labels"),
    Use("selective_answering", "auroc", data="answers with confidences"),
)
_INCLUDES = (Use("substring_recall"),)
_PAIRWISE = (Use("pairwise_ranking"),)
_TESTS = (Use("paired_significance"),)
_SPANS = (Use("span_f1"),)

# Names of scores of modules are found in `_uses` as well; these need more than a module's name.
USES: Mapping[str, tuple[Use, ...]] = {
    # error rates of transcripts
    "wer": (Use("error_rate", "wer"),),
    "word_error_rate": (Use("error_rate", "wer"),),
    "cer": (Use("error_rate", "cer", "unit=character"),),
    "character_error_rate": (Use("error_rate", "cer", "unit=character"),),
    "match_error_rate": (Use("error_rate", "mer"),),
    "mer": (Use("error_rate", "mer"),),
    "match": _EXACT_MATCH,
    "wil": (Use("error_rate", "wil"),),
    "wip": (Use("error_rate", "wip"),),
    "jiwer": (Use("error_rate"),),
    # labels
    "accuracy": _ACCURACY,
    "acc": _ACCURACY,
    "precision": (
        Use("classification", "precision", data=_LABELS),
        Use("qa_f1", "qa_precision", data=_ANSWERS),
        Use("ir_ranking", "precision@10", data=_RANKINGS),
    ),
    "recall": (
        Use("classification", "recall", data=_LABELS),
        Use("qa_f1", "qa_recall", data=_ANSWERS),
        Use("ir_ranking", "recall@10", data=_RANKINGS),
        Use("substring_recall", data="answers within longer texts"),
    ),
    "f1": (
        Use("classification", "f1", data=_LABELS),
        Use("qa_f1", data="the words of short answers"),
        Use("span_f1", "f1", data=_ENTITIES),
    ),
    "f_measure": (Use("classification", "f1"),),
    "precision_recall_fscore_support": _classification("f1"),
    "fbeta": _classification("f_beta", "beta=2"),
    "f_beta": _classification("f_beta", "beta=2"),
    "f2": _classification("f_beta", "beta=2"),
    "macro_f1": (
        Use("classification", "f1", "average=macro", _LABELS),
        Use("span_f1", "macro_f1", data=_ENTITIES),
    ),
    "micro_f1": (
        Use("classification", "f1", "average=micro", _LABELS),
        Use("span_f1", "f1", data=_ENTITIES),
    ),
    "weighted_f1": (
        Use("classification", "f1", "average=weighted", _LABELS),
        Use("span_f1", "weighted_f1", data=_ENTITIES),
    ),
    "f1_macro": _classification("f1", "average=macro"),
    "f1_micro": _classification("f1", "average=micro"),
    "f1_weighted": _classification("f1", "average=weighted"),
    "balanced_accuracy": _classification("balanced_accuracy"),
    "bac": _classification("balanced_accuracy"),
    "mcc": _classification("mcc"),
    "matthews_correlation": _classification("mcc"),
    "matthews_corrcoef": _classification("mcc"),
    "phi": _classification("mcc"),
    "kappa": _KAPPA,
    "cohen_kappa": _KAPPA,
    "qwk": _classification("kappa", "kappa_weights=quadratic"),
    "quadratic_weighted_kappa": _classification("kappa", "kappa_weights=quadratic"),
    "sensitivity": _classification("recall"),
    "tpr": _classification("recall"),
    "specificity": _classification("specificity"),
    "tnr": _classification("specificity"),
    "fpr": _classification("fpr"),
    "auc": _ROC,
    "roc_auc": _ROC,
    "auroc": _ROC,
    "roc": _ROC,
    "roc_curve": _classification("roc_curve", "curves=roc"),
    "det_curve": _classification("det_curve", "curves=det"),
    "precision_recall_curve": _classification("pr_curve", "curves=pr"),
    "pr_curve": _classification("pr_curve", "curves=pr"),
    "pr_auc": _classification("pr_auc"),
    "auprc": _classification("average_precision"),
    "average_precision": (
        Use("classification", "average_precision", data="scores of labels"),
        Use("ir_ranking", "map", data=_RANKINGS),
    ),
    "log_loss": _classification("log_loss"),
    "logloss": _classification("log_loss"),
    "cross_entropy": _classification("log_loss"),
    "nll": _classification("log_loss"),
    "brier": _BRIER,
    "brier_score": _BRIER,
    "ece": _ECE,
    "calibration": _ECE,
    "calibration_curve": _ECE,
    "expected_calibration_error": _ECE,
    "calibration_error": _ECE,
    "ece_10_bin": _ECE,
    "mce": _classification("mce", "calibration_bins=15"),
    "hamming": _classification("hamming_loss"),
    "hamming_loss": _classification("hamming_loss"),
    "jaccard": _classification("jaccard"),
    "iou": _classification("jaccard"),
    "eer": _classification("operating_point", "operating_point=eer"),
    "top_k_accuracy": _classification("top_5_accuracy", "top_k=5"),
    "top_5_accuracy": _classification("top_5_accuracy", "top_k=5"),
    "confusion_matrix": _MATRIX,
    "classification_report": _classification("report", "report=true"),
    "glue": _GLUE,
    "super_glue": _GLUE,
    "xnli": _classification("accuracy"),
    # answers
    "em": _EXACT_MATCH,
    "exact_match": _EXACT_MATCH,
    "exact": _EXACT_MATCH,
    "quasi_exact_match": _EXACT_MATCH,
    "squad": (Use("qa_em"), Use("qa_f1")),
    "squad_f1": (Use("qa_f1"),),
    "token_f1": (Use("qa_f1"),),
    "word_f1": (Use("qa_f1"),),
    "triviaqa": (Use("qa_em", setting="normalizer=triviaqa"),),
    "drop": (Use("qa_f1", setting="normalizer=drop"),),
    "gsm8k": (Use("qa_em", setting="extract=gsm8k"), Use("math_equivalence")),
    "includes": _INCLUDES,
    "contains": _INCLUDES,
    "include": _INCLUDES,
    "cover_em": (Use("substring_recall", setting="match=token_set"),),
    "subem": _INCLUDES,
    "substring_match": _INCLUDES,
    "math": (Use("math_equivalence"),),
    "math_verify": (Use("math_equivalence"),),
    "competition_math": (Use("math_equivalence"),),
    "choice": (Use("qa_em"), Use("truthful_mc")),
    "mmlu": (Use("qa_em"), Use("truthful_mc")),
    "simpleqa": (Use("selective_answering", "f1"),),
    "aurc": (Use("selective_answering", "aurc"),),
    "multiple_choice": (Use("truthful_mc"),),
    "mc1": (Use("truthful_mc", "mc1"),),
    "mc2": (Use("truthful_mc", "mc2"),),
    "truthfulqa": (Use("truthful_mc"),),
    "acc_norm": (Use("truthful_mc", "mc1", "length_normalization=byte"),),
    "bits_per_byte": (Use("truthful_mc", "bits_per_byte"),),
    # generated text
    "rouge": _ROUGE,
    "rouge1": _ROUGE,
    "rouge2": _ROUGE,
    "rougel": _ROUGE,
    "rougelsum": _ROUGE,
    "rouge_1": _ROUGE,
    "rouge_2": _ROUGE,
    "rouge_l": _ROUGE,
    "rouge_n": _ROUGE,
    "sacrebleu": (Use("bleu"),),
    "gleu": (Use("bleu", "google_bleu", "result_format=google_bleu"),),
    "google_bleu": (Use("bleu", "google_bleu", "result_format=google_bleu"),),
    "chrf++": (Use("chrf", setting="word_order=2"),),
    "chrfpp": (Use("chrf", setting="word_order=2"),),
    "tercom": (Use("ter"),),
    "translation_edit_rate": (Use("ter"),),
    "edit_distance": (Use("error_rate", "cer", "unit=character"),),
    "levenshtein": (Use("error_rate", "cer", "unit=character"),),
    # programs, samples and judges
    "pass": _PASS,
    "pass_k": _PASS,
    "humaneval": (Use("code_eval"),),
    "mbpp": (Use("code_eval"),),
    "maj": (Use("repeated_sampling"),),
    "majority_vote": (Use("repeated_sampling"),),
    "self_consistency": (Use("repeated_sampling", "self_consistency"),),
    "best_of": (Use("repeated_sampling", setting='measures="best_of@k"'),),
    "ifeval": (Use("instruction_following"),),
    "bfcl": (Use("tool_calls"),),
    "tool_call_accuracy": (Use("tool_calls"),),
    "json": (Use("json_match"),),
    "winrate": (Use("win_rate"),),
    "elo": _PAIRWISE,
    "bradley_terry": _PAIRWISE,
    "arena": _PAIRWISE,
    "fleiss_kappa": (Use("judge_agreement", "fleiss_kappa", 'measures="fleiss_kappa"'),),
    "krippendorff_alpha": _ALPHA,
    "krippendorff": _ALPHA,
    "inter_rater_agreement": (Use("judge_agreement"),),
    "model_graded_qa": (Use("judge_corrected"), Use("judge_agreement")),
    "model_graded_fact": (Use("judge_corrected"), Use("judge_agreement")),
    "llm_judge": (Use("judge_corrected"), Use("judge_agreement")),
    # rankings
    "ndcg": _NDCG,
    "normalized_dcg": _NDCG,
    "ndcg_burges": _ranking("ndcg_exp@10"),
    "dcg": _ranking("dcg@10"),
    "map": _MAP,
    "mean_average_precision": _MAP,
    "mrr": _MRR,
    "recip_rank": _MRR,
    "reciprocal_rank": _MRR,
    "mean_reciprocal_rank": _MRR,
    "hit": _HITS,
    "hits": _HITS,
    "hit_rate": _HITS,
    "success": _HITS,
    "p": _ranking("precision@10"),
    "r_precision": _ranking("rprec"),
    "rprec": _ranking("rprec"),
    "bpref": _ranking("bpref"),
    "err": _ranking("err@20"),
    "rbp": _ranking("rbp(p=0.8)"),
    "trec_eval": (Use("ir_ranking"),),
    "ranx": (Use("ir_ranking"),),
    "rbo": (Use("ranking_agreement", "rbo"),),
    "kendall": (
        Use("ranking_agreement", "kendall_tau_b", data="rankings of systems"),
        Use("regression", "kendall", 'measures="kendall"', _NUMBERS),
    ),
    "kendall_tau": (Use("ranking_agreement", "kendall_tau_b"),),
    "kendalltau": (Use("ranking_agreement", "kendall_tau_b"),),
    # numbers
    "mae": _regression("mae"),
    "mean_absolute_error": _regression("mae"),
    "mse": _regression("mse"),
    "mean_squared_error": _regression("mse"),
    "rmse": _regression("rmse"),
    "root_mean_squared_error": _regression("rmse"),
    "r2": _regression("r2"),
    "r_squared": _regression("r2"),
    "coefficient_of_determination": _regression("r2"),
    "mape": _regression("mape"),
    "mean_absolute_percentage_error": _regression("mape"),
    "smape": _regression("smape"),
    "median_ae": _regression("median_ae"),
    "median_absolute_error": _regression("median_ae"),
    "max_error": _regression("max_error"),
    "explained_variance": _regression("explained_variance"),
    "msle": _regression("msle"),
    "rmsle": _regression("rmsle"),
    "mean_squared_log_error": _regression("msle"),
    "pinball": _regression("pinball(alpha=0.9)"),
    "mean_pinball": _regression("pinball(alpha=0.9)"),
    "quantile": _regression("pinball(alpha=0.9)"),
    "pearson": _regression("pearson"),
    "pearsonr": _regression("pearson"),
    "correlation": _regression("pearson"),
    "spearman": _regression("spearman"),
    "spearmanr": _regression("spearman"),
    "sts": _regression("spearman"),
    "concordance": _regression("concordance"),
    "ccc": _regression("concordance"),
    # clusters
    "silhouette": _clustering("silhouette"),
    "davies_bouldin": _clustering("davies_bouldin"),
    "calinski_harabasz": _clustering("calinski_harabasz"),
    "ari": _clustering("ari"),
    "adjusted_rand": _clustering("ari"),
    "adjusted_rand_index": _clustering("ari"),
    "nmi": _clustering("nmi"),
    "normalized_mutual_info": _clustering("nmi"),
    "ami": _clustering("ami", is_default=False),
    "adjusted_mutual_info": _clustering("ami", is_default=False),
    "rand": _clustering("rand", is_default=False),
    "rand_index": _clustering("rand", is_default=False),
    "v_measure": _clustering("v_measure"),
    "homogeneity": _clustering("homogeneity"),
    "completeness": _clustering("completeness"),
    "fowlkes_mallows": _clustering("fowlkes_mallows", is_default=False),
    "purity": _clustering("purity", is_default=False),
    # entities
    "seqeval": _SPANS,
    "poseval": _SPANS,
    "conlleval": _SPANS,
    "ner": _SPANS,
    "entity_f1": _SPANS,
    "ner_f1": _SPANS,
    # tests
    "t_test": _TESTS,
    "ttest": _TESTS,
    "mcnemar": _TESTS,
    "wilcoxon": _TESTS,
    "permutation_test": _TESTS,
    "significance": _TESTS,
    "bootstrap": _TESTS,
}

_EVALUATE = "evaluate"
_OF_MODELS = "it needs a model"
# Scores that no module computes, why, and who does.
ELSEWHERE: Mapping[str, tuple[str, str]] = {
    "bertscore": (_OF_MODELS, "bert-score"),
    "bert": (_OF_MODELS, "bert-score"),
    "moverscore": (_OF_MODELS, "moverscore"),
    "bleurt": (_OF_MODELS, _EVALUATE),
    "bartscore": (_OF_MODELS, "BARTScore"),
    "comet": (_OF_MODELS, "unbabel-comet"),
    "xcomet": (_OF_MODELS, "unbabel-comet"),
    "cometkiwi": (_OF_MODELS, "unbabel-comet"),
    "metricx": (_OF_MODELS, "metricx"),
    "mauve": (_OF_MODELS, "mauve-text"),
    "frugalscore": (_OF_MODELS, _EVALUATE),
    "perplexity": (_OF_MODELS, "evaluate and lm-eval"),
    "ppl": (_OF_MODELS, "evaluate and lm-eval"),
    "word_perplexity": (_OF_MODELS, "lm-eval"),
    "byte_perplexity": (_OF_MODELS, "lm-eval"),
    "summac": (_OF_MODELS, "summac"),
    "alignscore": (_OF_MODELS, "AlignScore"),
    "factscore": (_OF_MODELS, "factscore"),
    "faithfulness": (_OF_MODELS, "ragas"),
    "answer_relevancy": (_OF_MODELS, "ragas"),
    "context_precision": (_OF_MODELS, "ragas"),
    "context_recall": (_OF_MODELS, "ragas"),
    "g_eval": (_OF_MODELS, "deepeval"),
    "toxicity": (_OF_MODELS, _EVALUATE),
    "hallucination": (_OF_MODELS, "deepeval"),
    "bias": (_OF_MODELS, "deepeval"),
    "clip": (_OF_MODELS, "torchmetrics"),
    "fid": (_OF_MODELS, "torchmetrics"),
    "meteor": ("it needs WordNet", "evaluate and nltk"),
    "cider": ("", "pycocoevalcap"),
    "spice": ("", "pycocoevalcap"),
    "sari": ("", "evaluate and easse"),
    "nist": ("", "nltk"),
    "nist_mt": ("", _EVALUATE),
    "characterr": ("", _EVALUATE),
    "charcut": ("", _EVALUATE),
    "mase": ("", _EVALUATE),
    "mahalanobis": ("", _EVALUATE),
    "mean_iou": ("", _EVALUATE),
    "coval": ("", _EVALUATE),
    "der": ("", "pyannote.metrics"),
    "diversity": ("", "nltk"),
    "self_bleu": ("", "nltk"),
    "hinge": ("", "scikit-learn"),
    "cosine_similarity": ("", "scikit-learn"),
    "rl_reliability": ("", _EVALUATE),
    "xtreme_s": ("", _EVALUATE),
}


def suggestion(name: str, modules: Collection[str]) -> str:
    """A hint for a name that is not a module, to append to an error; "" if it is unknown.

    A score of the field comes with the module that computes it, one that no module has with who
    does. Otherwise a name that differs in few letters is suggested.

    Args:
        name: what was typed.
        modules: the names of the modules.

    >>> suggestion("wer", ["error_rate", "ter"])
    '; use error_rate (its score wer)'
    >>> suggestion("NDCG@5", ["ir_ranking"])
    '; use ir_ranking (its score ndcg@5, with measures="ndcg@5")'
    >>> suggestion("BERTScore", ["bleu"])
    '; bert-score has it (it needs a model)'
    >>> suggestion("qa_emm", ["qa_em"]), suggestion("metal", ["ter"])
    ("; did you mean 'qa_em'?", '')
    >>> suggestion("MulticlassAUROC", []), suggestion("BLEUScore", ["bleu"])
    ('; use classification (its score roc_auc) for scores of labels or selective_answering \
(its score auroc) for answers with confidences', '; use bleu')
    """
    for key in _keys(name):
        if key in modules:
            return f"; use {key}"
        if key in USES:
            parts = [_at_cutoff(use, name).sentence_part() for use in USES[key]]
            return f"; use {_alternatives(parts)}"
        if key in ELSEWHERE:
            reason, owner = ELSEWHERE[key]
            verb = "have" if " and " in owner else "has"
            return f"; {owner} {verb} it{f' ({reason})' if reason else ''}"
    for names in (modules, [*USES, *ELSEWHERE]):
        if close := get_close_matches(_plain(name), names, n=1, cutoff=_SIMILAR):
            return f"; did you mean {close[0]!r}?"
    return ""


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def _keys(name: str) -> Iterable[str]:
    """The name as it stands, without a cutoff, and without the ending of a function's name."""
    plain = _plain(name)
    without_cutoff = plain.partition("@")[0].removesuffix("_at_k")
    benchmark = plain.partition("/")[0]
    stems = dict.fromkeys([plain, without_cutoff, *([benchmark] if "glue" in benchmark else [])])
    words = [word.lower() for word in _WORD.findall(name)]
    while words and words[0] in _TASKS:
        del words[0]
    words = words[: -1 if words[-1:] == ["score"] else None]
    if words[:1] == ["char"]:
        words[0] = "character"
    stems |= dict.fromkeys(["_".join(words), "".join(words)] if words else [])
    for stem in stems:
        yield stem
        for ending in _ENDINGS:
            yield stem.removesuffix(ending)


def _at_cutoff(use: Use, name: str) -> Use:
    """The score with the cutoff of the name, such as 5 of ndcg@5 and pass@5."""
    _, _, cutoff = name.partition("@")
    if use.module in ("pass_at_k", "code_eval") and cutoff:
        return use._replace(score=f"pass@{cutoff}", setting=f"k={cutoff}")
    if use.module != "ir_ranking" or not cutoff:
        return use
    measure = f"{use.score.partition('@')[0]}@{cutoff}"
    return use._replace(score=measure, setting=f'measures="{measure}"')


def _alternatives(parts: Iterable[str]) -> str:
    """Texts joined by commas and "or"."""
    *first, last = parts
    return f"{', '.join(first)} or {last}" if first else last
