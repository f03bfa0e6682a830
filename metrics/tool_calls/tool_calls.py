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
from metric_commons.statistics.arguments.domains import Names, NonNegative
from metric_commons.statistics.intervals.sums import summarize_sums
from metric_commons.structured.call_scores import ArgumentMatch, CallMatch, Dots, call_statistics
from metric_commons.structured.call_texts import OBJECT_MARK, CallFormat, Turns
from metric_commons.structured.json_equality import ListOrder, Types, ValueNormalizer
from metric_commons.structured.tool_declarations import Tools

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
        match: which rows are right: "any_order" and "same_order" need equal calls; "in_order" has
            the expected calls among others; "superset" and "subset" have more or fewer calls.
        arguments: which arguments fit: "equal" ones; a "superset" or "subset" of the expected ones;
            "ignore" compares names alone; "bfcl" is BFCL's AST checker, which needs `tools`.
        alternatives: whether each expected argument is the list of its accepted values, "" among
            them if it may be left out; "bfcl" implies it.
        tools: declarations of tools in OpenAI's or BFCL's form: for all rows, or a list per row.
        defaults: whether both sides get the defaults that `tools` declare.
        ignore_arguments: names of arguments that are left out.
        normalizer: of texts in arguments: a name, "bfcl" among them, or a function.
        types: "json": 1 equals 1.0; "strict": it does not; "loose": "1" equals 1 too. True is never
            1.
        rel_tol: how far a number may be from the expected one, as a proportion of that one.
        abs_tol: the same, as a number.
        list_order: whether lists in arguments are equal in "any" order of their items.
        format: the form of texts: "hermes", "qwen3_coder", "llama", "deepseek", "mistral" and
            "gemma" are those of models; "json", "python"; "auto" finds it.
        turns: the calls of "all" messages of the assistant in a prediction, or of its "last".
        dots: "underscore" takes a.b and a_b for one name.

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
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=datasets.Features(
                {
                    "predictions": datasets.Value("string"),
                    "references": datasets.Value("string"),
                }
            ),
            license="Apache-2.0",
            reference_urls=["https://gorilla.cs.berkeley.edu/leaderboard.html"],
        )

    def _compute(
        self,
        *,
        predictions,
        references,
        match: CallMatch = "any_order",
        arguments: ArgumentMatch = "equal",
        alternatives: bool = False,
        tools: Tools | None = None,
        defaults: bool = False,
        ignore_arguments: Names = (),
        normalizer: ValueNormalizer = "none",
        types: Types = "json",
        rel_tol: NonNegative = 0.0,
        abs_tol: NonNegative = 0.0,
        list_order: ListOrder = "ordered",
        format: CallFormat = "auto",  # noqa: A002 # the name of the option
        turns: Turns = "all",
        dots: Dots = "keep",
        **summary,
    ):
        rows = call_statistics(
            predictions,
            references,
            match=match,
            arguments=arguments,
            alternatives=alternatives,
            tools=tools,
            defaults=defaults,
            ignore_arguments=ignore_arguments,
            normalizer=normalizer,
            types=types,
            rel_tol=rel_tol,
            abs_tol=abs_tol,
            list_order=list_order,
            format=format,
            turns=turns,
            dots=dots,
        )
        return summarize_sums(rows, **summary)
