"""Values of options, from what their annotations allow."""

from metric_commons.statistics.arguments.domains import Range, choices, is_per_row
from tests.generators.annotations import marker, parts

# What functions parse, which no annotation lists. A key may name the module.
PARSED = {
    "clustering.measures": (None, "silhouette", ["davies_bouldin", "calinski_harabasz"]),
    "ir_ranking.measures": (
        ["ndcg@3", "ndcg", "map", "mrr@5"],
        ["recall@2", "P_5", "f1@3", "hit_rate@1", "rprec", "bpref"],
        ["err@3", "rbp(p=0.9)", "ndcg_exp@10", "dcg", "iprec_at_recall_0.10", "map@2"],
        ["num_q", "num_rel_ret", "judged@3", "gm_map", "set_f", "11pt_avg", "infap"],
    ),
    "judge_agreement.measures": (
        "agreement",
        ["percent_agreement", "krippendorff_alpha"],
        ["cohen_kappa", "kendall_tau_b"],
    ),
    "ranking_agreement.measures": (None,),
    "anchor": ({"ada": 1000},),
    "covariates": (None,),
    "score_range": ([0.0, 1.0], [-1, 2]),
    "pass_at_k.measures": ("pass@k", ["pass^k", "avg@n"], ["g-pass@k", "mg-pass@k"]),
    "repeated_sampling.measures": ("maj@k", ["self_consistency", "maj@k"]),
    "regression.measures": (
        ["mae", "max_error", "median_ae"],
        ["r2", "explained_variance", "pearson"],
        ["mape", "smape", "concordance", "rmse"],
        ["spearman", "kendall", "mse"],
        ["pinball(alpha=0.9)", "d2_absolute_error"],
    ),
    "visual_qa.measures": ("vqa_accuracy", ["anls", "relaxed_accuracy"]),
    "multioutput": ([0.25, 0.75], [1.0, 0.0]),
    "rouge_types": (["rouge1"], ["rouge2", "rougeL"], ["rougeLsum", "rouge3"], ["rouge12"]),
    "extract": ("strip_think", "boxed", ["strip_citations", "gsm8k"], {"regex": "(.)", "group": 1}),
    "extract_references": ("boxed", "gsm8k_flexible"),
    "k": (1, [1, 2], 3),
    "thresholds": ((0.5,), (0.0, 1.0)),
    "pos_label": (0, "yes"),
    "labels": ([0, 1], [1, 0, 2], ["yes", "no"]),
    "ignore_index": (0, "no"),
    "top_k": (1, [1, 2]),
    "operating_point": ("f1", "eer", "recall>=0.9"),
    "no_answer_texts": (["the"], ["New York City", "..."]),
    "confidence_targets": ([0.5], [0.25, 0.75]),
    "coverages": ([0.5], [0.0, 1.0]),
    "require": ((), ["process", "rlimits"]),
    "memory": ("4GiB", "1GiB"),
    "ignore_arguments": (["a"], ["b", "c"]),
    "ignore_paths": (["$.a"], ["$.b[].a", "$[].c"]),
}
# Numbers that mean something, as far as a range allows them.
_DRAWN = 3  # options of a call that do not keep their defaults, on average at most
NUMBERS = (0, 1, 2, 3, 5, 20, 0.5, 0.25, 0.9, 1.5)
COSTLY = {"equivalence": ("math",)}  # values with which each pair of samples is compared
WORK = {
    "n_resamples": (1, 7, 40),
    "timeout": (5,),
    "calibration_bins": (1, 2, 5),
    "num_workers": (1, 2),
}


def values(module, option):
    """Values other than functions and columns that an option of a module may have."""
    found = list(PARSED.get(f"{module}.{option.name}", PARSED.get(option.name, ())))
    found += WORK.get(option.name, ()) or _of_annotation(option.annotation)
    return [value for value in found if _accepts(option, value)]


def _of_annotation(annotation):
    kind, members = parts(annotation)
    if kind == "union":
        return [value for member in members for value in _of_annotation(member)]
    if annotation is bool:
        return [False, True]
    if annotation is type(None):
        return [None]
    if isinstance(marker(annotation), Range):
        whole = members[0] is int
        return [number for number in NUMBERS if isinstance(number, int) or not whole]
    return list(choices(annotation))


def _accepts(option, value):
    try:
        option.check(value)
    except ValueError:
        return False
    return True


def is_drawable(option):
    """Whether an option has values in a call that is drawn: not a function or a column alone."""
    return not is_per_row(option.annotation) and not _is_function(option.annotation)


def _is_function(annotation):
    kind, members = parts(annotation)
    if kind == "union":
        return all(_is_function(member) or member is type(None) for member in members)
    return kind == "function"


def draw_options(module, declared, chance, *, costly=False):
    """Options of a module, most of which keep their defaults."""
    options = {}
    drawable = list(filter(is_drawable, declared.values()))
    share = min(0.2, _DRAWN / max(len(drawable), 1))
    for option in drawable:
        if chance.random() < share:
            candidates = values(module, option)
            if not costly:
                dear = COSTLY.get(option.name, ())
                candidates = [value for value in candidates if value not in dear]
            if candidates:
                options[option.name] = chance.choice(candidates)
    return options
