"""Names that people type for a score, and the module and option that compute it.

The names are those of papers, of evaluate's modules, of the functions of scikit-learn, of the
classes of torchmetrics and of the scores of lm-evaluation-harness and inspect_ai. Scores that no
module computes name who has them.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import NamedTuple, TypeVar

_SIMILAR = 0.75  # of names that may be misspellings of each other: "bleu" and "blue", not "ter"
_ENDINGS = ("_score", "_loss")  # of scikit-learn's and others' functions
_TASKS = ("binary", "multiclass", "multilabel", "retrieval")  # before names of classes
_WORD = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z][a-z]+[0-9]*")  # in names of classes


_Entry = TypeVar("_Entry")


class Use(NamedTuple):
    """A score of a module, and what to set for it."""

    module: str
    score: str = ""  # its key in the result; "" if it is the name of the module
    setting: str = ""  # as after --set
    data: str = ""  # what it is for, if a name has several meanings

    def sentence_part(self) -> str:
        """Return the module, its score and setting in words.

        >>> Use("error_rate", "cer", "unit=character").sentence_part()
        'error_rate (its score cer, with unit=character)'
        """
        words = [f"its score {self.score}"] if self.score else []
        words += [f"with {self.setting}"] if self.setting else []
        text = f"{self.module} ({', '.join(words)})" if words else self.module
        return f"{text} for {self.data}" if self.data else text


_LABELS, _ANSWERS, _ENTITIES = "labels", "short answers", "entities"
_RANKINGS, _NUMBERS = "rankings", "numbers"
_ECE = Use("classification", "ece", "calibration_bins=15")

# The measures that modules report by default; others have to be asked for.
_DEFAULT_MEASURES = {
    "regression": ("mae", "mse", "rmse", "r2"),
    "ir_ranking": ("ndcg@10", "map", "mrr", "recall@10", "precision@10"),
    "clustering": (
        *("silhouette", "davies_bouldin", "calinski_harabasz"),
        *("ari", "nmi", "v_measure", "homogeneity", "completeness"),
    ),
}


def _measure(module: str, score: str) -> Use:
    is_default = score in _DEFAULT_MEASURES.get(module, ())
    return Use(module, score, "" if is_default else f'measures="{score}"')


def _by_name(table: Mapping[str, _Entry]) -> dict[str, _Entry]:
    """Return the table with each of the names in its keys, which spaces separate, as a key."""
    return {name: entry for names, entry in table.items() for name in names.split()}


# Names with the same meaning share a line, and the most usual module comes first.
USES = _by_name(
    {
        # error rates of transcripts
        "wer word_error_rate": [Use("error_rate", "wer")],
        "cer character_error_rate edit_distance levenshtein": [
            Use("error_rate", "cer", "unit=character")
        ],
        "match_error_rate mer": [Use("error_rate", "mer")],
        "wil": [Use("error_rate", "wil")],
        "wip": [Use("error_rate", "wip")],
        "jiwer": [Use("error_rate")],
        # labels
        "accuracy acc": [
            Use("classification", "accuracy", data=_LABELS),
            Use("qa_em", data=_ANSWERS),
            Use("truthful_mc", "mc1", data="multiple choice by the scores of options"),
        ],
        "precision": [
            Use("classification", "precision", data=_LABELS),
            Use("qa_f1", "qa_precision", data=_ANSWERS),
            Use("ir_ranking", "precision@10", data=_RANKINGS),
        ],
        "recall": [
            Use("classification", "recall", data=_LABELS),
            Use("qa_f1", "qa_recall", data=_ANSWERS),
            Use("ir_ranking", "recall@10", data=_RANKINGS),
            Use("substring_recall", data="answers within longer texts"),
        ],
        "f1": [
            Use("classification", "f1", data=_LABELS),
            Use("qa_f1", data="the words of short answers"),
            Use("span_f1", "f1", data=_ENTITIES),
        ],
        "f_measure precision_recall_fscore_support": [Use("classification", "f1")],
        "fbeta f_beta f2": [Use("classification", "f_beta", "beta=2")],
        "macro_f1": [
            Use("classification", "f1", "average=macro", _LABELS),
            Use("span_f1", "macro_f1", data=_ENTITIES),
        ],
        "micro_f1": [
            Use("classification", "f1", "average=micro", _LABELS),
            Use("span_f1", "f1", data=_ENTITIES),
        ],
        "weighted_f1": [
            Use("classification", "f1", "average=weighted", _LABELS),
            Use("span_f1", "weighted_f1", data=_ENTITIES),
        ],
        "f1_macro": [Use("classification", "f1", "average=macro")],
        "f1_micro": [Use("classification", "f1", "average=micro")],
        "f1_weighted": [Use("classification", "f1", "average=weighted")],
        "balanced_accuracy bac": [Use("classification", "balanced_accuracy")],
        "mcc matthews_correlation matthews_corrcoef phi": [Use("classification", "mcc")],
        "kappa cohen_kappa": [
            Use("classification", "kappa", data=_LABELS),
            Use("judge_agreement", "cohen_kappa", data="two raters"),
        ],
        "qwk quadratic_weighted_kappa": [Use("classification", "kappa", "kappa_weights=quadratic")],
        "sensitivity tpr": [Use("classification", "recall")],
        "specificity tnr": [Use("classification", "specificity")],
        "fpr": [Use("classification", "fpr")],
        "auc roc_auc auroc roc": [
            Use("classification", "roc_auc", data="scores of labels"),
            Use("selective_answering", "auroc", data="answers with confidences"),
        ],
        "roc_curve": [Use("classification", "roc_curve", "curves=roc")],
        "det_curve": [Use("classification", "det_curve", "curves=det")],
        "precision_recall_curve pr_curve": [Use("classification", "pr_curve", "curves=pr")],
        "pr_auc": [Use("classification", "pr_auc")],
        "auprc": [Use("classification", "average_precision")],
        "average_precision": [
            Use("classification", "average_precision", data="scores of labels"),
            Use("ir_ranking", "map", data=_RANKINGS),
        ],
        "log_loss logloss cross_entropy nll": [Use("classification", "log_loss")],
        "brier brier_score": [
            Use("classification", "brier", data="probabilities of labels"),
            Use("selective_answering", "brier", data="answers with confidences"),
        ],
        "ece ece_10_bin calibration_error expected_calibration_error": [_ECE],
        "calibration calibration_curve": [_ECE],
        "mce": [Use("classification", "mce", "calibration_bins=15")],
        "hamming hamming_loss": [Use("classification", "hamming_loss")],
        "jaccard iou": [Use("classification", "jaccard")],
        "eer": [Use("classification", "operating_point", "operating_point=eer")],
        "top_k_accuracy top_5_accuracy": [Use("classification", "top_5_accuracy", "top_k=5")],
        "confusion_matrix": [Use("classification", "confusion_matrix", "confusion_matrix=true")],
        "classification_report": [Use("classification", "report", "report=true")],
        "glue super_glue": [
            Use("classification"),
            Use("regression", data="stsb"),
            Use("qa_f1", data="record"),
        ],
        "xnli": [Use("classification", "accuracy")],
        # answers
        "match em exact_match exact quasi_exact_match": [
            Use("qa_em"),
            Use("squad_v2", "exact", data="questions that may have no answer"),
        ],
        "squad": [Use("qa_em"), Use("qa_f1")],
        "squad_f1 token_f1 word_f1": [Use("qa_f1")],
        "triviaqa": [Use("qa_em", setting="normalizer=triviaqa")],
        "drop": [Use("qa_f1", setting="normalizer=drop")],
        "gsm8k": [Use("qa_em", setting="extract=gsm8k"), Use("math_equivalence")],
        "includes contains include subem substring_match": [Use("substring_recall")],
        "cover_em": [Use("substring_recall", setting="match=token_set")],
        "math math_verify competition_math": [Use("math_equivalence")],
        "choice mmlu": [Use("qa_em"), Use("truthful_mc")],
        "simpleqa": [Use("selective_answering", "f1")],
        "aurc": [Use("selective_answering", "aurc")],
        "multiple_choice truthfulqa": [Use("truthful_mc")],
        "mc1": [Use("truthful_mc", "mc1")],
        "mc2": [Use("truthful_mc", "mc2")],
        "acc_norm": [Use("truthful_mc", "mc1", "length_normalization=byte")],
        "bits_per_byte": [Use("truthful_mc", "bits_per_byte")],
        # generated text
        "rouge rouge1 rouge2 rougel rougelsum rouge_1 rouge_2 rouge_l rouge_n": [Use("rouge_n_l")],
        "sacrebleu corpus_bleu": [Use("bleu")],
        "gleu google_bleu": [Use("bleu", "google_bleu", "result_format=google_bleu")],
        "chrf++ chrfpp": [Use("chrf", setting="word_order=2")],
        "tercom translation_edit_rate": [Use("ter")],
        # programs, samples and judges
        "pass pass_k": [
            Use("pass_at_k", data="results of programs"),
            Use("code_eval", data="programs"),
        ],
        "humaneval human_eval mbpp": [
            Use("pass_at_k", data="results of programs"),
            Use("code_eval", data="programs"),
        ],
        "maj majority_vote": [Use("repeated_sampling")],
        "self_consistency": [Use("repeated_sampling", "self_consistency")],
        "best_of": [Use("repeated_sampling", setting='measures="best_of@k"')],
        "ifeval": [Use("instruction_following")],
        "bfcl tool_call_accuracy": [Use("tool_calls")],
        "json": [Use("json_match")],
        "winrate": [Use("win_rate")],
        "elo bradley_terry arena": [Use("pairwise_ranking")],
        "fleiss_kappa": [_measure("judge_agreement", "fleiss_kappa")],
        "krippendorff_alpha krippendorff": [_measure("judge_agreement", "krippendorff_alpha")],
        "inter_rater_agreement": [Use("judge_agreement")],
        "model_graded_qa model_graded_fact llm_judge": [
            Use("judge_corrected"),
            Use("judge_agreement"),
        ],
        # rankings
        "ndcg normalized_dcg": [_measure("ir_ranking", "ndcg@10")],
        "ndcg_burges": [_measure("ir_ranking", "ndcg_exp@10")],
        "dcg": [_measure("ir_ranking", "dcg@10")],
        "map mean_average_precision": [_measure("ir_ranking", "map")],
        "mrr recip_rank reciprocal_rank mean_reciprocal_rank": [_measure("ir_ranking", "mrr")],
        "hit hits hit_rate success": [_measure("ir_ranking", "hit_rate@10")],
        "p": [_measure("ir_ranking", "precision@10")],
        "r_precision rprec": [_measure("ir_ranking", "rprec")],
        "bpref": [_measure("ir_ranking", "bpref")],
        "err": [_measure("ir_ranking", "err@20")],
        "rbp": [_measure("ir_ranking", "rbp(p=0.8)")],
        "trec_eval pytrec_eval ranx ir_measures": [
            Use("ir_ranking", data="rows (runs have metric-commons trec QRELS RUN)")
        ],
        "rbo": [Use("ranking_agreement", "rbo")],
        "kendall": [
            Use("ranking_agreement", "kendall_tau_b", data="rankings of systems"),
            Use("regression", "kendall", 'measures="kendall"', _NUMBERS),
        ],
        "kendall_tau kendalltau": [Use("ranking_agreement", "kendall_tau_b")],
        # numbers
        "mae mean_absolute_error": [_measure("regression", "mae")],
        "mse mean_squared_error": [_measure("regression", "mse")],
        "rmse root_mean_squared_error": [_measure("regression", "rmse")],
        "r2 r_squared coefficient_of_determination": [_measure("regression", "r2")],
        "mape mean_absolute_percentage_error": [_measure("regression", "mape")],
        "smape": [_measure("regression", "smape")],
        "median_ae median_absolute_error": [_measure("regression", "median_ae")],
        "max_error": [_measure("regression", "max_error")],
        "explained_variance": [_measure("regression", "explained_variance")],
        "msle mean_squared_log_error": [_measure("regression", "msle")],
        "rmsle": [_measure("regression", "rmsle")],
        "pinball mean_pinball quantile": [_measure("regression", "pinball(alpha=0.9)")],
        "pearson pearsonr correlation": [_measure("regression", "pearson")],
        "spearman spearmanr sts": [_measure("regression", "spearman")],
        "concordance ccc": [_measure("regression", "concordance")],
        # clusters
        "silhouette": [_measure("clustering", "silhouette")],
        "davies_bouldin": [_measure("clustering", "davies_bouldin")],
        "calinski_harabasz": [_measure("clustering", "calinski_harabasz")],
        "ari adjusted_rand adjusted_rand_index": [_measure("clustering", "ari")],
        "nmi normalized_mutual_info": [_measure("clustering", "nmi")],
        "ami adjusted_mutual_info": [_measure("clustering", "ami")],
        "rand rand_index": [_measure("clustering", "rand")],
        "v_measure": [_measure("clustering", "v_measure")],
        "homogeneity": [_measure("clustering", "homogeneity")],
        "completeness": [_measure("clustering", "completeness")],
        "fowlkes_mallows": [_measure("clustering", "fowlkes_mallows")],
        "purity": [_measure("clustering", "purity")],
        # entities
        "poseval": [Use("classification", setting='result_format="poseval"')],
        "seqeval conlleval ner entity_f1 ner_f1": [Use("span_f1")],
        # tests
        "t_test ttest mcnemar wilcoxon permutation_test significance bootstrap p_value": [
            Use("paired_significance", data="scores of rows (rows have score MODULE --compare)")
        ],
    }
)

_EVALUATE = "evaluate"
_OF_MODELS = "it needs a model"
# Scores that no module computes: why, and who does.
ELSEWHERE = _by_name(
    {
        "bertscore bert": (_OF_MODELS, "bert-score"),
        "moverscore": (_OF_MODELS, "moverscore"),
        "bleurt frugalscore toxicity": (_OF_MODELS, _EVALUATE),
        "bartscore": (_OF_MODELS, "BARTScore"),
        "comet xcomet cometkiwi": (_OF_MODELS, "unbabel-comet"),
        "metricx": (_OF_MODELS, "metricx"),
        "mauve": (_OF_MODELS, "mauve-text"),
        "perplexity ppl": (_OF_MODELS, "evaluate and lm-eval"),
        "word_perplexity byte_perplexity": (_OF_MODELS, "lm-eval"),
        "summac": (_OF_MODELS, "summac"),
        "alignscore": (_OF_MODELS, "AlignScore"),
        "factscore": (_OF_MODELS, "factscore"),
        "faithfulness answer_relevancy context_precision context_recall": (_OF_MODELS, "ragas"),
        "g_eval hallucination bias": (_OF_MODELS, "deepeval"),
        "clip fid": (_OF_MODELS, "torchmetrics"),
        "meteor": ("it needs WordNet", "evaluate and nltk"),
        "cider spice": ("", "pycocoevalcap"),
        "nist diversity self_bleu": ("", "nltk"),
        "nist_mt characterr charcut mase mahalanobis mean_iou coval rl_reliability xtreme_s": (
            "",
            _EVALUATE,
        ),
        "der": ("", "pyannote.metrics"),
        "lm_eval": ("`score logged` reads its logs", "lm-eval"),
        "hinge cosine_similarity": ("", "scikit-learn"),
        "anls": ("", "lmms-eval"),
        "relaxed_accuracy": ("", "lmms-eval"),
        "execution_accuracy": ("it needs databases", "test-suite-sql-eval"),
        "ifbench": ("", "allenai/IFBench"),
        "crps": ("", "properscoring"),
    }
)


def suggestion(name: str, modules: Collection[str]) -> str:
    """Return a hint for a name that is not a module, to append to an error; "" if it is unknown.

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
    """Return the score with the cutoff of the name, such as 5 of ndcg@5 and pass@5."""
    _, _, cutoff = name.partition("@")
    if use.module in ("pass_at_k", "code_eval") and cutoff.replace(",", "").isdigit():
        return use._replace(score=f"pass@{cutoff}", setting=f"k={cutoff}")
    if use.module != "ir_ranking" or not cutoff:
        return use
    measure = f"{use.score.partition('@')[0]}@{cutoff}"
    return use._replace(score=measure, setting=f'measures="{measure}"')


def _alternatives(parts: Iterable[str]) -> str:
    """Texts joined by commas and "or"."""
    *first, last = parts
    return f"{', '.join(first)} or {last}" if first else last
