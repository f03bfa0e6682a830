"""Verifiable instructions: the proportion of prompts and of instructions that responses follow.

The 25 kinds of instructions of IFEval, such as "write at least 300 words" or "do not use commas",
are checked by a program, not by a judge. Strict scores check the response as it is; loose scores
also accept it without its first or last line, or without asterisks. The verdicts are those of
IFEval's own program, or of corrected checks.
"""

import datasets
import evaluate

from metric_commons.module.declaration.declarations import OBJECTS
from metric_commons.module.declaration.module import BatchMetric
from metric_commons.text.extraction.extraction import summarize_extracted
from metric_commons.text.instructions.instruction_rows import Checks, instruction_statistics
from metric_commons.text.instructions.response_languages import Language

_CITATION = """\
@misc{zhou-etal-2023-instruction,
    title = "Instruction-Following Evaluation for Large Language Models",
    author = "Zhou, Jeffrey and Lu, Tianjian and Mishra, Swaroop and Brahma, Siddhartha and Basu,
        Sujoy and Luan, Yi and Zhou, Denny and Hou, Le",
    year = "2023",
    eprint = "2311.07911",
    archivePrefix = "arXiv",
    url = "https://arxiv.org/abs/2311.07911",
}
"""


class InstructionFollowing(BatchMetric):
    r"""The prompts, and the instructions, that responses follow.

    Args:
        predictions (list of str): the response to each prompt.
        references (list of dict, or of str): the instructions of each prompt, or their JSON text:
            {"instruction_id_list": list of str, "kwargs": list of dict}, as in IFEval's data.
        checks: "ifeval" gives the verdicts of IFEval's own program; "corrected" mends its faults,
            such as keywords that it finds inside other words.
        language: what detects the language of a response: "langdetect", with a fixed seed; or a
            function from a text to the code of its language, or None.
        by_instruction: also return the scores of each kind of instruction, and of each family of
            kinds.

    Returns:
        prompt_level_strict_acc, prompt_level_loose_acc (float): the proportion of prompts all of
            whose instructions are followed, from 0.0 to 1.0; higher is better.
        inst_level_strict_acc, inst_level_loose_acc (float): the proportion of instructions that are
            followed.
        instructions (int): the number of instructions.
        by_instruction (dict): if requested, by the id of each kind and family: strict_acc,
            loose_acc, and the number of instructions, n.
        unparsed (float): with `thoughts` or `extract`, the rate of predictions without an answer.
        per_example, confidence_interval, groups (dict): if requested.

    Examples:
        >>> instruction_following = evaluate.load("./metrics/instruction_following")
        >>> instructions = {
        ...     "instruction_id_list": ["punctuation:no_comma", "length_constraints:number_words"],
        ...     "kwargs": [{}, {"num_words": 5, "relation": "less than"}],
        ... }
        >>> result = instruction_following.compute(
        ...     predictions=["One, two", "Sure, here it is:\nOne two three"],
        ...     references=[instructions, instructions],
        ... )
        >>> result["prompt_level_strict_acc"], result["prompt_level_loose_acc"]
        (0.0, 0.5)
        >>> result["inst_level_strict_acc"], result["inst_level_loose_acc"]
        (0.25, 0.75)
    """

    score_kind = "sums"
    score_ranges = {"instructions": (1, None), "*": (0, 1)}
    aggregation = {"inst_level_*": "sums", "instructions": "sum"}
    json_inputs = {"references": OBJECTS}
    log_columns = ("prediction", "instructions")
    logged_names = (
        ("prompt_level_strict_acc", "prompt_level_strict_acc", "prompt_level_strict"),
        ("prompt_level_loose_acc", "prompt_level_loose_acc", "prompt_level_loose"),
    )

    def _info(self):
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=datasets.Features({"predictions": text, "references": text}),
            license="Apache-2.0",
            reference_urls=["https://arxiv.org/abs/2311.07911"],
        )

    def _compute(
        self,
        *,
        predictions,
        references,
        checks: Checks = "ifeval",
        language: Language = "langdetect",
        by_instruction: bool = False,
        **answers: summarize_extracted,
    ):
        def statistics(predictions, references):
            return instruction_statistics(
                predictions,
                references,
                checks=checks,
                language=language,
                by_instruction=by_instruction,
            )

        return summarize_extracted(statistics, predictions, references, **answers)
