"""SQuAD v2: exact match and F1 for data in which some questions have no answer.

For a question without an accepted answer, an empty prediction is correct. Systems may give a
probability that there is no answer; above a threshold the prediction counts as "no answer". The
result includes the threshold at which each score is best.
"""

import evaluate

from metric_commons.module.declaration.module import ANSWERS_OR_NONE, BatchMetric
from metric_commons.statistics.arguments.domains import Finite
from metric_commons.text.answers.answerability import (
    Texts,
    ThresholdTies,
    scored_answers,
    summarize_answers,
)
from metric_commons.text.answers.stock_answers import squad_v2
from metric_commons.text.extraction.extraction import Extraction
from metric_commons.text.tokens.thoughts import Thoughts

_CITATION = """\
@inproceedings{rajpurkar-etal-2018-know,
    title = "Know What You Don't Know: Unanswerable Questions for {SQ}u{AD}",
    author = "Rajpurkar, Pranav and Jia, Robin and Liang, Percy",
    booktitle = "Proceedings of ACL 2018",
    year = "2018",
    url = "https://aclanthology.org/P18-2124",
}
"""


class SquadV2(BatchMetric):
    """Exact match and F1 of answers to questions that may have none.

    Args:
        predictions (list of dict): one answer per question: `{"id", "prediction_text",
            "no_answer_probability"}`. Or texts.
        references (list of dict): the question of the same id: `{"id", "answers": {"text",
            "answer_start"}}`, with empty lists if it has no answer. Or lists of texts.
        no_answer_threshold: a prediction counts as "no answer" if its `no_answer_probability` is
            higher.
        threshold_ties: "official" tries a threshold after every answer, also between equal
            probabilities; "grouped" tries only thresholds that exist.
        no_answer_texts: predictions that mean "no answer", such as "unanswerable"; compared after
            normalization.
        thoughts: whether the thoughts of a model are part of a prediction, as in `qa_em`.
        extract: how to extract the answer from a prediction, as in `qa_em`; a prediction without an
            answer is wrong, also where a question has none.

    Returns:
        exact, f1 (float): means over all questions, from 0.0 to 1.0; higher is better.
        total (int): the number of questions.
        HasAns_exact, HasAns_f1, HasAns_total: the same for questions with an answer, if any.
        NoAns_exact, NoAns_f1, NoAns_total: the same for questions without one, if any.
        best_exact, best_f1, best_exact_thresh, best_f1_thresh (float): with probabilities, the best
            score over all thresholds, and the threshold.
        unparsed (float): with `thoughts` or `extract`, the rate of predictions without an answer.
        per_example, confidence_interval, groups (dict): if requested.

    Examples:
        >>> squad_v2 = evaluate.load("./metrics/squad_v2")
        >>> result = squad_v2.compute(
        ...     predictions=["The Eiffel Tower!", "", "1889"],
        ...     references=[["Eiffel Tower"], [], []],
        ... )
        >>> result["HasAns_exact"], result["NoAns_exact"]
        (1.0, 0.5)
    """

    score_kind = "outcomes"
    score_ranges = {"*total": (1, None), "*_thresh": (None, None), "*": (0, 1)}
    stock_formats = {"squad_v2": squad_v2}
    log_columns = ("prediction", "accepted_answers")

    def _info(self):
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=ANSWERS_OR_NONE,
            license="Apache-2.0",
            reference_urls=["https://rajpurkar.github.io/SQuAD-explorer/"],
        )

    def _compute(
        self,
        *,
        predictions,
        references,
        no_answer_threshold: Finite = 1.0,
        threshold_ties: ThresholdTies = "official",
        no_answer_texts: Texts = (),
        thoughts: Thoughts = "keep",
        extract: Extraction = None,
        **summary,
    ):
        answers = scored_answers(
            predictions,
            references,
            no_answer_texts=no_answer_texts,
            thoughts=thoughts,
            extract=extract,
        )
        return summarize_answers(
            answers,
            no_answer_threshold=no_answer_threshold,
            threshold_ties=threshold_ties,
            **summary,
        )
