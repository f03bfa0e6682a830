import json

import pytest

from metric_commons.module.catalog import catalog
from metric_commons.module.catalog.catalog import describe
from metric_commons.module.catalog.field_names import ELSEWHERE, USES, suggestion
from metric_commons.module.catalog.stock_modules import replacements
from tests.tables import by_table

EVERY_USE = sorted({use for uses in USES.values() for use in uses})


@pytest.mark.parametrize("use", EVERY_USE, ids=lambda use: f"{use.module}-{use.score}")
def test_every_use_names_a_score_and_an_option_of_a_module(use):
    settings = {}
    if use.setting:
        option, _, value = use.setting.partition("=")
        try:
            settings = {option: json.loads(value)}
        except ValueError:
            settings = {option: value}
    metric = catalog.load_without_evaluate(use.module, **settings)
    declared = describe(use.module)
    stem = use.score.partition("@")[0].partition("(")[0].replace("top_5", "top_<k>")

    texts = [declared.results, str(metric.options.get("measures")), *metric.stock_formats]
    texts += [option.help for option in declared.options if option.name == "measures"]
    assert any(stem in text for text in texts)


def test_a_name_has_one_meaning():
    """A module comes first, so that a new one needs no change here."""
    assert not set(ELSEWHERE) & set(USES)
    assert suggestion("meteor", ["meteor"]) == "; use meteor"


@by_table("name, module")
def test_names_of_other_tools_are_found(name, module):
    assert suggestion(name, catalog.names()).startswith(f"; use {module}")


def test_every_stock_module_that_is_replaced_is_found():
    for entry in replacements():
        if entry.stock not in catalog.names():
            assert entry.module in suggestion(entry.stock, catalog.names()), entry.stock


# Names of lm-evaluation-harness, inspect_ai, scikit-learn and papers.
NAMES = """
    acc acc_norm exact_match f1 mcc bleu chrf ter brier_score mc1 mc2 bits_per_byte
    match includes exact choice model_graded_qa pass@1 maj@8
    accuracy_score balanced_accuracy_score f1_score fbeta_score precision_score recall_score
    cohen_kappa_score matthews_corrcoef hamming_loss jaccard_score log_loss brier_score_loss
    roc_auc_score average_precision_score roc_curve confusion_matrix classification_report
    top_k_accuracy_score mean_absolute_error mean_squared_error root_mean_squared_error r2_score
    median_absolute_error max_error explained_variance_score mean_pinball_loss ndcg_score dcg_score
    adjusted_rand_score normalized_mutual_info_score silhouette_score v_measure_score rand_score
    fowlkes_mallows_score davies_bouldin_score calinski_harabasz_score
    WER CER ROUGE-L ROUGE-1 chrF++ nDCG@10 MAP MRR@10 Recall@100 P@5 Hits@1 AUROC EM Elo IFEval
"""


@pytest.mark.parametrize("name", NAMES.split())
def test_names_of_the_field_lead_to_a_module(name):
    modules = catalog.names()

    assert name in modules or suggestion(name, modules).startswith("; use ")


@by_table("name, hint")
def test_other_names_are_said_to_be_elsewhere_or_misspelt(name, hint):
    assert suggestion(name, catalog.names()) == hint


@pytest.mark.parametrize("name", ["execution_accuracy", "IFBench", "CRPS"])
def test_scores_of_documents_charts_and_forecasts_have_a_hint(name):
    assert " has it" in suggestion(name, catalog.names())
