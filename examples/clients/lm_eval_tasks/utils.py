"""What the configurations beside this file name with `!function utils.…`."""

from metric_commons.frameworks.harnesses.lm_eval import corpus, rows

process_results = rows("qa_f1", reference="answers")


def texts(doc, results):
    """The items of a score that is not a mean of rows: references and prediction."""
    return {"chrf": (doc["answers"], results[0])}


chrf = corpus("chrf", word_order=2)
