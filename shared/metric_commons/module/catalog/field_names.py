"""Names that users type for a score, and the module and option that compute it.

The names are those of papers, of evaluate's modules, of the functions of scikit-learn, of the
classes of torchmetrics and of the scores of lm-evaluation-harness and inspect_ai. For scores that
no module computes, other packages are named.
"""

import re
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from typing import NamedTuple

_SIMILAR = 0.75  # at least, of a misspelling and its name: "blue" and "bleu", but not "ter"
_ENDINGS = ("_score", "_loss")  # of scikit-learn's and others' functions
_TASKS = ("binary", "multiclass", "multilabel", "retrieval")  # before names of classes
_WORD = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z][a-z]+[0-9]*")  # in names of classes
_USE = re.compile(r"(\w+)(?: (?!for )([^\s,]+))?(?:, (\S+))?(?: for (.+))?")


class Use(NamedTuple):
    """A score of a module, and its setting."""

    module: str
    score: str = ""  # its key in the result; "" if it is the name of the module
    setting: str = ""  # to follow --set
    data: str = ""  # the data that it is for, if a name has several meanings

    def sentence_part(self) -> str:
        """Return the module, its score and setting in words.

        >>> Use("error_rate", "cer", "unit=character").sentence_part()
        'error_rate (its score cer, with unit=character)'
        """
        words = [f"its score {self.score}"] if self.score else []
        words += [f"with {self.setting}"] if self.setting else []
        text = f"{self.module} ({', '.join(words)})" if words else self.module
        return f"{text} for {self.data}" if self.data else text


# Names with the same meaning share a line, and the most usual module comes first. A use is a
# module, its score unless it has the name of the module, a setting after a comma, and the data if
# a name has several meanings.
_USES = """
# error rates of transcripts
wer word_error_rate: error_rate wer
cer character_error_rate edit_distance levenshtein: error_rate cer, unit=character
match_error_rate mer: error_rate mer
wil: error_rate wil
wip: error_rate wip
jiwer: error_rate
# pictures
anls docvqa: visual_qa anls
vqa vqa_accuracy: visual_qa vqa_accuracy, measures=vqa_accuracy
relaxed_accuracy relaxed_correctness chartqa: visual_qa relaxed_accuracy, measures=relaxed_accuracy
# labels
accuracy acc:
    classification accuracy for labels; qa_em for short answers;
    truthful_mc mc1 for multiple choice by the scores of options
precision:
    classification precision for labels; qa_f1 qa_precision for short answers;
    ir_ranking precision@10 for rankings
recall:
    classification recall for labels; qa_f1 qa_recall for short answers;
    ir_ranking recall@10 for rankings; substring_recall for answers within longer texts
f1: classification f1 for labels; qa_f1 for the words of short answers; span_f1 f1 for entities
f_measure precision_recall_fscore_support: classification f1
fbeta f_beta f2: classification f_beta, beta=2
macro_f1: classification f1, average=macro for labels; span_f1 macro_f1 for entities
micro_f1: classification f1, average=micro for labels; span_f1 f1 for entities
weighted_f1: classification f1, average=weighted for labels; span_f1 weighted_f1 for entities
f1_macro: classification f1, average=macro
f1_micro: classification f1, average=micro
f1_weighted: classification f1, average=weighted
balanced_accuracy bac: classification balanced_accuracy
mcc matthews_correlation matthews_corrcoef phi: classification mcc
kappa cohen_kappa: classification kappa for labels; judge_agreement cohen_kappa for two raters
qwk quadratic_weighted_kappa: classification kappa, kappa_weights=quadratic
sensitivity tpr: classification recall
specificity tnr: classification specificity
fpr: classification fpr
auc roc_auc auroc roc:
    classification roc_auc for scores of labels;
    selective_answering auroc for answers with confidences
roc_curve: classification roc_curve, curves=roc
det_curve: classification det_curve, curves=det
precision_recall_curve pr_curve: classification pr_curve, curves=pr
pr_auc: classification pr_auc
auprc: classification average_precision
average_precision:
    classification average_precision for scores of labels; ir_ranking map for rankings
log_loss logloss cross_entropy nll: classification log_loss
brier brier_score:
    classification brier for probabilities of labels;
    selective_answering brier for answers with confidences
ece ece_10_bin calibration_error expected_calibration_error: classification ece, calibration_bins=15
calibration calibration_curve: classification ece, calibration_bins=15
mce: classification mce, calibration_bins=15
hamming hamming_loss: classification hamming_loss
jaccard iou: classification jaccard
eer: classification operating_point, operating_point=eer
top_k_accuracy top_5_accuracy: classification top_5_accuracy, top_k=5
confusion_matrix: classification confusion_matrix, confusion_matrix=true
classification_report: classification report, report=true
glue super_glue: classification; regression for stsb; qa_f1 for record
xnli: classification accuracy
# answers
match em exact_match exact quasi_exact_match:
    qa_em; squad_v2 exact for questions that may have no answer
squad: qa_em; qa_f1
squad_f1 token_f1 word_f1: qa_f1
triviaqa: qa_em, normalizer=triviaqa
drop: qa_f1, normalizer=drop
gsm8k: qa_em, extract=gsm8k; math_equivalence
includes contains include subem substring_match: substring_recall
cover_em: substring_recall, match=token_set
math math_verify competition_math: math_equivalence
choice mmlu: qa_em; truthful_mc
simpleqa: selective_answering f1
aurc: selective_answering aurc
multiple_choice truthfulqa: truthful_mc
mc1: truthful_mc mc1
mc2: truthful_mc mc2
acc_norm: truthful_mc mc1, length_normalization=byte
bits_per_byte: truthful_mc bits_per_byte
# generated text
rouge rouge1 rouge2 rougel rougelsum rouge_1 rouge_2 rouge_l rouge_n: rouge_n_l
sacrebleu corpus_bleu: bleu
gleu google_bleu: bleu google_bleu, result_format=google_bleu
chrf++ chrfpp: chrf, word_order=2
tercom translation_edit_rate: ter
# programs, samples and judges
pass pass_k: pass_at_k for results of programs; code_eval for programs
humaneval human_eval mbpp: pass_at_k for results of programs; code_eval for programs
maj majority_vote: repeated_sampling
self_consistency: repeated_sampling self_consistency
best_of: repeated_sampling, measures="best_of@k"
ifeval: instruction_following
bfcl tool_call_accuracy: tool_calls
json: json_match
winrate: win_rate
elo bradley_terry arena: pairwise_ranking
fleiss_kappa: judge_agreement fleiss_kappa, measures="fleiss_kappa"
krippendorff_alpha krippendorff: judge_agreement krippendorff_alpha, measures="krippendorff_alpha"
inter_rater_agreement: judge_agreement
model_graded_qa model_graded_fact llm_judge: judge_corrected; judge_agreement
# rankings
ndcg normalized_dcg: ir_ranking ndcg@10
ndcg_burges: ir_ranking ndcg_exp@10, measures="ndcg_exp@10"
dcg: ir_ranking dcg@10, measures="dcg@10"
map mean_average_precision: ir_ranking map
mrr recip_rank reciprocal_rank mean_reciprocal_rank: ir_ranking mrr
hit hits hit_rate success: ir_ranking hit_rate@10, measures="hit_rate@10"
p: ir_ranking precision@10
r_precision rprec: ir_ranking rprec, measures="rprec"
bpref: ir_ranking bpref, measures="bpref"
err: ir_ranking err@20, measures="err@20"
rbp: ir_ranking rbp(p=0.8), measures="rbp(p=0.8)"
trec_eval pytrec_eval ranx ir_measures:
    ir_ranking for rows (runs have metric-commons trec QRELS RUN)
rbo: ranking_agreement rbo
kendall:
    ranking_agreement kendall_tau_b for rankings of systems;
    regression kendall, measures="kendall" for numbers
kendall_tau kendalltau: ranking_agreement kendall_tau_b
# numbers
mae mean_absolute_error: regression mae
mse mean_squared_error: regression mse
rmse root_mean_squared_error: regression rmse
r2 r_squared coefficient_of_determination: regression r2
mape mean_absolute_percentage_error: regression mape, measures="mape"
smape: regression smape, measures="smape"
median_ae median_absolute_error: regression median_ae, measures="median_ae"
max_error: regression max_error, measures="max_error"
explained_variance: regression explained_variance, measures="explained_variance"
msle mean_squared_log_error: regression msle, measures="msle"
rmsle: regression rmsle, measures="rmsle"
pinball mean_pinball quantile: regression pinball(alpha=0.9), measures="pinball(alpha=0.9)"
pearson pearsonr correlation: regression pearson, measures="pearson"
spearman spearmanr sts: regression spearman, measures="spearman"
concordance ccc: regression concordance, measures="concordance"
# clusters
silhouette: clustering silhouette
davies_bouldin: clustering davies_bouldin
calinski_harabasz: clustering calinski_harabasz
ari adjusted_rand adjusted_rand_index: clustering ari
nmi normalized_mutual_info: clustering nmi
ami adjusted_mutual_info: clustering ami, measures="ami"
rand rand_index: clustering rand, measures="rand"
v_measure: clustering v_measure
homogeneity: clustering homogeneity
completeness: clustering completeness
fowlkes_mallows: clustering fowlkes_mallows, measures="fowlkes_mallows"
purity: clustering purity, measures="purity"
# entities
poseval: classification, result_format="poseval"
seqeval conlleval ner entity_f1 ner_f1: span_f1
# tests
t_test ttest mcnemar wilcoxon permutation_test significance bootstrap p_value:
    paired_significance for scores of rows (rows have score MODULE --compare)
"""
# Scores that no module computes: the packages that do, and what they need.
_ELSEWHERE = """
bertscore bert: bert-score (it needs a model)
moverscore: moverscore (it needs a model)
bleurt frugalscore toxicity: evaluate (it needs a model)
bartscore: BARTScore (it needs a model)
comet xcomet cometkiwi: unbabel-comet (it needs a model)
metricx: metricx (it needs a model)
mauve: mauve-text (it needs a model)
perplexity ppl: evaluate and lm-eval (it needs a model)
word_perplexity byte_perplexity: lm-eval (it needs a model)
summac: summac (it needs a model)
alignscore: AlignScore (it needs a model)
factscore: factscore (it needs a model)
faithfulness answer_relevancy context_precision context_recall: ragas (it needs a model)
g_eval hallucination bias: deepeval (it needs a model)
clip fid: torchmetrics (it needs a model)
meteor: evaluate and nltk (it needs WordNet)
cider spice: pycocoevalcap
nist diversity self_bleu: nltk
nist_mt characterr charcut mase mahalanobis mean_iou coval rl_reliability xtreme_s: evaluate
der: pyannote.metrics
lm_eval: lm-eval (`score logged` reads its logs)
hinge cosine_similarity: scikit-learn
execution_accuracy: test-suite-sql-eval (it needs databases)
ifbench: allenai/IFBench
crps: properscoring
"""


def _by_name(table: str) -> dict[str, str]:
    """Return the text after the colon of each line, by each of the names before the colon."""
    lines = re.sub(r"\n +|\n#.*", " ", table).replace("  ", " ").strip().splitlines()
    pairs = [line.split(":", 1) for line in lines]
    return {name: text.strip() for names, text in pairs for name in names.split()}


USES = {
    name: [Use(*_USE.fullmatch(use.strip()).groups("")) for use in text.split(";")]  # type: ignore[union-attr]
    for name, text in _by_name(_USES).items()
}
ELSEWHERE = _by_name(_ELSEWHERE)


def suggestion(name: str, modules: Collection[str]) -> str:
    """Return a hint for a name that is not a module, to append to an error; "" if it is unknown.

    For a known score it names the module that computes it, or else another package. Otherwise it
    suggests a name that differs in few letters.

    Args:
        name: the name that was typed.
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
            *first, last = parts
            return f"; use {', '.join(first)} or {last}" if first else f"; use {last}"
        if key in ELSEWHERE:
            owner, opening, reason = ELSEWHERE[key].partition(" (")
            verb = "have" if " and " in owner else "has"
            return f"; {owner} {verb} it{opening}{reason}"
    for names in (modules, [*USES, *ELSEWHERE]):
        if close := get_close_matches(_plain(name), names, n=1, cutoff=_SIMILAR):
            return f"; did you mean {close[0]!r}?"
    return ""


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def _keys(name: str) -> Iterable[str]:
    """Yield the name, also without its cutoff, and without the ending of a function's name."""
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
    """Return the score with the cutoff in the name, such as 5 in ndcg@5 and pass@5."""
    _, _, cutoff = name.partition("@")
    if use.module in ("pass_at_k", "code_eval") and cutoff.replace(",", "").isdigit():
        return use._replace(score=f"pass@{cutoff}", setting=f"k={cutoff}")
    if use.module != "ir_ranking" or not cutoff:
        return use
    measure = f"{use.score.partition('@')[0]}@{cutoff}"
    return use._replace(score=measure, setting=f'measures="{measure}"')
