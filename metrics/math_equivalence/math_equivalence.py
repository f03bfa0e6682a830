"""Mathematical equivalence of answers: 1/2 is 0.5, and 2 sqrt 3 is sqrt 12.

Answers are parsed as LaTeX or plain text and converted to exact values. An answer is correct only
if equality is proved, and different only if that is proved, under every reading of the text.
Undecided answers are counted. The rule of MATH is an option.
"""

import evaluate

from metric_commons.mathematics.proof.backends import Backend, equivalence_scores
from metric_commons.mathematics.proof.comparisons import Lists, Percent, Rounding
from metric_commons.mathematics.proof.hendrycks import competition_math
from metric_commons.mathematics.proof.problem_sets import Dataset, extraction_of
from metric_commons.module.declaration.module import TEXTS_AND_REFERENCES, BatchMetric
from metric_commons.statistics.arguments.domains import NonNegative
from metric_commons.text.extraction.extraction import summarize_extracted

_CITATION = """\
@inproceedings{hendrycks-etal-2021-math,
    title = "Measuring Mathematical Problem Solving With the {MATH} Dataset",
    author = "Hendrycks, Dan and Burns, Collin and Kadavath, Saurav and Arora, Akul and
        Basart, Steven and Tang, Eric and Song, Dawn and Steinhardt, Jacob",
    booktitle = "Proceedings of the NeurIPS Track on Datasets and Benchmarks",
    year = "2021",
    url = "https://arxiv.org/abs/2103.03874",
}
"""


class MathEquivalence(BatchMetric):
    """Proportion of predictions that are mathematically equal to an accepted answer.

    Args:
        predictions (list of str): one answer per problem, or with `extract` the text of a model.
        references (list of str, or of list of str): the accepted answer or answers of each
            problem; both kinds may be mixed in one list.
        backend: "exact" proves equality; "hendrycks" compares texts as MATH does.
        percent: the meaning of 28% if the other side has no percent sign: 28 or 0.28 ("either"),
            0.28 ("value") or 28 ("ignore"); "any_scale" accepts any number times or divided by 100.
        lists: whether repeats count in lists without braces: "set" no, "multiset" yes, "sequence"
            yes, and the order too; "either" needs both "set" and "multiset" to agree.
        rounding: "reference" accepts a number that rounds to a decimal of the reference.
        decimal_comma: a comma between digits is the decimal mark.
        relative_tolerance: two numbers are equal if they differ by at most this proportion of
            the reference. Also years: with 0.001, 2011 equals 2010.
        absolute_tolerance: two numbers are equal if they differ by at most this.
        dataset: the data set of the problems, such as "gsm8k" or "college_math": `extract` and
            `extract_references` are then as it needs them, unless they are given, and conventions
            are its own: the base of a logarithm, letters that are units.
        explain: also return `explanations`: the compared answers, the verdict and the reason.

    Returns:
        math_equivalence (float): proportion of correct answers, from 0.0 to 1.0; higher is better.
        undecided (float): proportion of rows that score 0 although inequality was not proved.
        unreadable (float): with the backend "exact", the proportion of rows whose references
            cannot be read: a fault of the data.
        unparsed (float): with `thoughts` or `extract`, the rate of predictions without an answer.
        explanations (list of dict): with `explain`, for each row `prediction`, after
            extraction, `reference`, `verdict` (True, False or None) and `reason`.
        per_example, confidence_interval, groups (dict): if requested.

    Examples:
        >>> math_equivalence = evaluate.load("./metrics/math_equivalence")
        >>> predictions = ["0.5", "x = 2, y = 3", "f(2)", "3 km"]
        >>> references = ["1/2", "y = 3, x = 2", "2f", "3 kilometres"]
        >>> math_equivalence.compute(predictions=predictions, references=references)
        {'math_equivalence': 0.75, 'undecided': 0.25, 'unreadable': 0.0}
    """

    stock_formats = {"competition_math": competition_math}
    lower_is_better = frozenset({"undecided", "unreadable"})
    always_scored = frozenset({"math_equivalence"})
    row_texts = frozenset({"explanations"})

    def _info(self):
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=TEXTS_AND_REFERENCES,
            license="Apache-2.0",
            reference_urls=["https://github.com/hendrycks/math"],
        )

    def _compute(
        self,
        *,
        predictions,
        references,
        backend: Backend = "exact",
        percent: Percent = "either",
        lists: Lists = "either",
        rounding: Rounding = "none",
        decimal_comma: bool = False,
        relative_tolerance: NonNegative = 0.0,
        absolute_tolerance: NonNegative = 0.0,
        dataset: Dataset = None,
        explain: bool = False,
        **answers: summarize_extracted,
    ):
        answers = extraction_of(dataset, answers)
        explanations = []

        def scores(predictions, references):
            equivalence = equivalence_scores(
                predictions,
                references,
                backend=backend,
                percent=percent,
                lists=lists,
                rounding=rounding,
                decimal_comma=decimal_comma,
                relative_tolerance=relative_tolerance,
                absolute_tolerance=absolute_tolerance,
                dataset=dataset,
            )
            explanations.extend(row._asdict() for row in equivalence.explanations)
            return equivalence.columns(backend)

        result = summarize_extracted(scores, predictions, references, {"unreadable"}, **answers)
        return result | {"explanations": explanations} if explain else result
