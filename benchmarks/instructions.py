"""Verifiable instructions beside IFEval's own program. Prints ratios of CPU time.

    python benchmarks/instructions.py [--ifeval FOLDER] [--responses FILE]

FOLDER contains google-research's folder `instruction_following_eval`; without it only sentences are
compared. FILE has prompts with their
instructions and a response each, by default GPT-4's published responses. NLTK splits sentences with
our parameters, and langdetect has read its profiles: neither is timed.
"""

import argparse
import gzip
import json
import logging
import re
import sys
from pathlib import Path

from _measure import ratio

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from metric_commons.text.instructions.instruction_checks import OF_LANGUAGE  # noqa: E402
from metric_commons.text.instructions.instruction_rows import instruction_statistics  # noqa: E402
from metric_commons.text.instructions.punkt import sentence_count  # noqa: E402
from tests.nltk_peer import nltk_tokenizer  # noqa: E402

RESPONSES = ROOT.parent / "shared" / "data" / "structured" / "ifeval_gpt4.jsonl.gz"


def reference_program(folder, sentences):
    """IFEval's verdicts on a row, strict and loose, as its `evaluation_lib` has them."""
    import langdetect
    import nltk

    sys.path.insert(0, str(folder))
    logging.disable(logging.CRITICAL)
    from instruction_following_eval import instructions_registry, instructions_util

    nltk.word_tokenize.__globals__["sent_tokenize"] = lambda text, _: sentences.tokenize(text)
    instructions_util._get_sentence_tokenizer = lambda: sentences
    langdetect.DetectorFactory.seed = 0
    langdetect.detect("This reads the profiles.")

    def variants(text):
        lines = text.split("\n")
        parts = [lines[1:], lines[:-1], lines[1:-1]]
        texts = [text, *("\n".join(part).strip() for part in parts)]
        return [*texts, *(variant.replace("*", "") for variant in texts)]

    def verdicts(row):
        texts = variants(row["response"])
        strict, loose = [], []
        for name, kwargs in zip(row["instruction_id_list"], row["kwargs"], strict=True):
            check = instructions_registry.INSTRUCTION_DICT[name](name)
            check.build_description(**kwargs)
            strict.append(bool(texts[0].strip()) and bool(check.check_following(texts[0])))
            loose.append(any(text.strip() and check.check_following(text) for text in texts))
        return strict, loose

    return verdicts


def compare_with_reference(folder, sentences, rows):
    verdicts = reference_program(folder, sentences)
    # A letter that is not one of a to z is replaced by a random one in versions before 2025.
    rows = [
        row
        for row in rows
        if all(re.fullmatch("[a-z]", kwargs.get("letter") or "a", re.I) for kwargs in row["kwargs"])
    ]
    without = [row for row in rows if not OF_LANGUAGE & set(row["instruction_id_list"])]

    def ours(rows):
        references = list(map(json.dumps, rows))
        return instruction_statistics([row["response"] for row in rows], references)

    counts = ours(rows).columns(["strict", "loose"]).tolist()
    differing = sum(
        ours != list(map(sum, theirs))
        for ours, theirs in zip(counts, map(verdicts, rows), strict=True)
    )
    print(f"{len(rows)} responses: the number of instructions followed differs in {differing}")
    ratio("all instructions", lambda: ours(rows), lambda: list(map(verdicts, rows)))
    ratio("without languages", lambda: ours(without), lambda: list(map(verdicts, without)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ifeval", type=Path)
    parser.add_argument("--responses", type=Path, default=RESPONSES)
    arguments = parser.parse_args()
    content = arguments.responses.read_bytes()
    content = gzip.decompress(content) if arguments.responses.suffix == ".gz" else content
    rows = list(map(json.loads, content.splitlines()))
    sentences = nltk_tokenizer()
    if arguments.ifeval:
        compare_with_reference(arguments.ifeval, sentences, rows)
    texts = [row["response"] for row in rows]
    ratio(
        "sentences, against NLTK",
        lambda: list(map(sentence_count, texts)),
        lambda: [len(sentences.tokenize(text)) for text in texts],
    )


if __name__ == "__main__":
    main()
