"""What the configurations beside this file name with `!function utils.…`."""

from metric_commons.frameworks.harnesses.lm_eval import corpus, estimate, rows

process_results = rows(
    "qa_f1", reference="answers", estimates=("low", "high", "standard_error"), cluster="topic"
)
low, high, standard_error = estimate("low"), estimate("high"), estimate("standard_error")


def texts(doc, results):
    """The items of scores that are not means of rows: references and prediction."""
    item = doc["answers"], results[0]
    return {"chrf": item, "chrf_standard_error": item}


chrf = corpus("chrf", word_order=2)
chrf_standard_error = corpus("chrf", what="standard_error", word_order=2)
