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
from metric_commons.statistics.arguments.domains import Names, NonNegative
from metric_commons.structured.json_equality import ListOrder, Types, ValueNormalizer
from metric_commons.structured.json_leaves import Absence
from metric_commons.structured.json_scores import Parse, Schemas, json_statistics
from metric_commons.text.extraction.extraction import summarize_extracted

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
        schema: a JSON Schema that predictions should follow: for all rows, or one per row.
        parse: "strict" reads the whole text; "fenced" the last Markdown fence, or the whole text if
            there is none; "found" the last object or list in the text.
        list_order: "ordered" compares lists by index; "any" by the assignment with which most
            leaves match.
        normalizer: of texts: a name, "bfcl" among them, or a function.
        types: "json": 1 equals 1.0; "strict": it does not; "loose": "1" equals 1 too. True is never
            1.
        rel_tol: how far a number may be from the expected one, as a proportion of that one.
        abs_tol: the same, as a number.
        nulls: whether a field that is null is a "value", or counts as "absent".
        empties: the same for fields with an empty text, list or object.
        ignore_paths: paths of fields that are left out, such as "$.items[].id".
        by_path: also return the counts and scores of each path.

    Returns:
        valid (float): the proportion of valid JSON texts, from 0.0 to 1.0; higher is better.
        schema_valid (float): the proportion that follow `schema`, if there is one.
        exact_match (float): the proportion of rows in which all leaves match and none is extra.
        f1, precision, recall (float): of leaves, means over rows; 0.0 for invalid texts.
        micro_f1, micro_precision, micro_recall (float): of the leaves of all rows together.
        matched, predicted, expected (int): leaves.
        by_path (dict): for each path its matched, wrong, missing and extra leaves, and scores.
        unparsed (float): with `thoughts` or `extract`, the rate of predictions without an answer.
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

    def _compute(
        self,
        *,
        predictions,
        references,
        schema: Schemas | None = None,
        parse: Parse = "strict",
        list_order: ListOrder = "ordered",
        normalizer: ValueNormalizer = "none",
        types: Types = "json",
        rel_tol: NonNegative = 0.0,
        abs_tol: NonNegative = 0.0,
        nulls: Absence = "value",
        empties: Absence = "value",
        ignore_paths: Names = (),
        by_path: bool = False,
        **answers: summarize_extracted,
    ):
        def statistics(predictions, references):
            return json_statistics(
                predictions,
                references,
                schema=schema,
                parse=parse,
                list_order=list_order,
                normalizer=normalizer,
                types=types,
                rel_tol=rel_tol,
                abs_tol=abs_tol,
                nulls=nulls,
                empties=empties,
                ignore_paths=ignore_paths,
                by_path=by_path,
            )

        return summarize_extracted(statistics, predictions, references, **answers)
