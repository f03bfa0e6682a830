"""Predicted tool calls compared with expected ones, without a judge model.

Calls are texts in Hermes' form, in JSON or in Python, lists of calls, or messages of OpenAI. Whole
rows, single calls and arguments are scored, in order or by a maximum matching; a call that cannot
be read is counted as such, and never as no call. The scores are those of the AST checker of the
Berkeley Function Calling Leaderboard, of agentevals and of google-adk, by option.
"""

import datasets
import evaluate

from metric_commons.module.declaration.declarations import VALUES, JsonInput
from metric_commons.module.declaration.module import BatchMetric
from metric_commons.structured.call_scores import tool_call_scores
from metric_commons.structured.call_texts import OBJECT_MARK

_CITATION = """\
@inproceedings{patil-etal-2025-bfcl,
    title = "The {B}erkeley {F}unction {C}alling {L}eaderboard ({BFCL}): From Tool Use to Agentic
        Evaluation of Large Language Models",
    author = "Patil, Shishir G. and Mao, Huanzhi and Cheng-Jie Ji, Charlie and Yan, Fanjia and
        Suresh, Vishnu and Stoica, Ion and Gonzalez, Joseph E.",
    booktitle = "Proceedings of the 42nd International Conference on Machine Learning",
    year = "2025",
}
"""


class ToolCalls(BatchMetric):
    """Tool calls of each row compared with the calls that are expected.

    Args:
        predictions (list of str, dict or list of dict): the text of a model, a message, or calls
            {"name", "arguments"}, for each row.
        references (list of list of dict): the expected calls of each row, or their JSON text; or
            {"tool_calls": calls, "tools": declarations}.

    Returns:
        exact_match (float): the proportion of right rows, from 0.0 to 1.0; higher is better, except
            for unparsed.
        name_match (float): the same, by the names of tools alone.
        f1, precision, recall (float): of calls, means over rows.
        partial_match (float): the proportion of right arguments, with the best pairing of calls.
        micro_f1, micro_precision, micro_recall (float): of the calls of all rows together.
        irrelevance_accuracy (float): of rows that expect no call, the proportion without one.
        relevance_accuracy (float): of rows that expect a call, the proportion with one.
        unparsed (float): the proportion of rows with a call that cannot be read.
        matched, predicted, expected (int): calls.
        per_example, confidence_interval, groups (dict): if requested.

    Examples:
        >>> tool_calls = evaluate.load("./metrics/tool_calls")
        >>> result = tool_calls.compute(
        ...     predictions=["[weather(city='Rome', days=2)]", "I cannot help with that."],
        ...     references=[[{"name": "weather", "arguments": {"city": "Rome", "days": 3}}], []],
        ... )
        >>> result["exact_match"], result["name_match"], result["partial_match"]
        (0.5, 1.0, 0.75)
        >>> tool_calls.compute(predictions=["[weather(city="], references=[[]])["unparsed"]
        1.0
    """

    score_kind = "sums"
    aggregation = {
        "micro_*": "sums",
        "*relevance_accuracy": "sums",
        "matched": "sum",
        "predicted": "sum",
        "expected": "sum",
    }
    score_ranges = {
        "matched": (0, None),
        "predicted": (0, None),
        "expected": (0, None),
        "*": (0, 1),
    }
    lower_is_better = frozenset({"unparsed"})
    json_inputs = {"predictions": JsonInput("values", OBJECT_MARK), "references": VALUES}
    log_columns = ("message", "reference")
    logged_names = (("exact_match", "exact_match", "valid", "ast_accuracy"),)

    def _info(self):
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=datasets.Features({"predictions": text, "references": text}),
            license="Apache-2.0",
            reference_urls=["https://gorilla.cs.berkeley.edu/leaderboard.html"],
        )

    def _compute(self, *, predictions, references, **options: tool_call_scores):
        return tool_call_scores(predictions, references, **options)
