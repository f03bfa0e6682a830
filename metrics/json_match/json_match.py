"""Predicted JSON compared with expected JSON, leaf by leaf, without a judge model.

Validity, agreement with a schema and content are scores of their own. Fields are compared in
objects by their keys and in lists by index or by the best assignment, with tolerances for numbers
and normalizers for texts. By path the result says which fields are wrong, missing or extra. All
leaves match where deepdiff finds no difference.
"""

import datasets
import evaluate

from metric_commons.module.declaration.declarations import VALUES
from metric_commons.module.declaration.module import BatchMetric
from metric_commons.structured.json_scores import json_match_scores

_CITATION = """\
@techreport{bray-2017-json,
    title = "The {J}ava{S}cript Object Notation ({JSON}) Data Interchange Format",
    author = "Bray, Tim",
    institution = "Internet Engineering Task Force",
    number = "RFC 8259",
    year = "2017",
    url = "https://www.rfc-editor.org/rfc/rfc8259",
}
"""


class JsonMatch(BatchMetric):
    """JSON values compared leaf by leaf: scalars, and empty lists and objects.

    Args:
        predictions (list of str, or of any JSON value): a JSON text, or a value, for each row; a
            str is always a text.
        references (list of str, or of any JSON value): the expected values, in the same form.

    Returns:
        valid (float): the proportion of valid JSON texts, from 0.0 to 1.0; higher is better.
        schema_valid (float): the proportion that follow `schema`, if there is one.
        exact_match (float): the proportion of rows in which all leaves match and none is extra.
        f1, precision, recall (float): of leaves, means over rows; 0.0 for invalid texts.
        micro_f1, micro_precision, micro_recall (float): of the leaves of all rows together.
        matched, predicted, expected (int): leaves.
        by_path (dict): for each path its matched, wrong, missing and extra leaves, and scores.
        per_example, confidence_interval, groups (dict): if requested.

    Examples:
        >>> json_match = evaluate.load("./metrics/json_match")
        >>> result = json_match.compute(
        ...     predictions=['{"name": "Ada", "born": 1816}', '{"name": "Alan"'],
        ...     references=[{"name": "Ada", "born": 1815}, {"name": "Alan", "born": 1912}],
        ...     by_path=True,
        ... )
        >>> result["valid"], result["f1"], result["by_path"]["$.born"]["wrong"]
        (0.5, 0.25, 1)
        >>> lists = {"predictions": [[2, 1]], "references": [[1, 2]]}
        >>> json_match.compute(**lists)["f1"], json_match.compute(**lists, list_order="any")["f1"]
        (0.0, 1.0)
    """

    score_kind = "sums"
    aggregation = {"micro_*": "sums", "matched": "sum", "predicted": "sum", "expected": "sum"}
    score_ranges = {
        "matched": (0, None),
        "predicted": (0, None),
        "expected": (0, None),
        "*": (0, 1),
    }
    main_score = "f1"
    log_columns = ("prediction", "reference")
    json_inputs = {"predictions": VALUES, "references": VALUES}

    def _info(self):
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=datasets.Features({"predictions": text, "references": text}),
            license="Apache-2.0",
            reference_urls=["https://www.rfc-editor.org/rfc/rfc8259"],
        )

    def _compute(self, *, predictions, references, **options: json_match_scores):
        return json_match_scores(predictions, references, **options)
