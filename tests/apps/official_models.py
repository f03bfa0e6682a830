"""Tiny models with random weights, and a few rows of data, made on the spot.

A vocabulary of some thirty words makes that even the answers of such models are right at times, so
that scores are not all 0.
"""

import random
from pathlib import Path
from typing import Any

from tests.tables import tabled

WORDS = "the a cat dog sat on in mat house red blue big small it he she is was not and".split()
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
LABELS = ["bird", "cat", "dog"]
ROWS = 24
DICE = random.Random(31)
SEED = 3  # of the weights: with these, classifiers of texts choose either class half of the time


def sentence(fewest: int = 4, most: int = 9) -> str:
    return " ".join(DICE.choices(WORDS, k=DICE.randint(fewest, most)))


# ---- models -------------------------------------------------------------------------------------


def save_tokenizer(folder: Path) -> int:
    """Save a tokenizer of whole words; returns the size of its vocabulary."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = {word: number for number, word in enumerate([*SPECIAL, *WORDS, ".", "?"])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(word, vocabulary[word]) for word in ("[CLS]", "[SEP]")],
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=64,
        **{f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")},
        bos_token="[CLS]",
        eos_token="[SEP]",
    ).save_pretrained(folder)
    return len(vocabulary)


def save_model(kind: str, folder: Path, **settings: Any) -> Path:
    """Save a model: "bert" with some head, "bart" or "gpt2", with its tokenizer."""
    import torch
    import transformers

    torch.manual_seed(SEED)
    size = save_tokenizer(folder)
    if kind == "bart":
        config = transformers.BartConfig(
            vocab_size=size,
            d_model=16,
            **dict.fromkeys(("encoder_layers", "decoder_layers"), 1),
            **dict.fromkeys(("encoder_ffn_dim", "decoder_ffn_dim"), 16),
            **dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads"), 2),
            max_position_embeddings=80,
            pad_token_id=0,
            bos_token_id=2,
            eos_token_id=3,
            decoder_start_token_id=3,
            forced_eos_token_id=3,
            init_std=1.0,
        )
        model: Any = transformers.BartForConditionalGeneration(config)
    elif kind == "gpt2":
        config = transformers.GPT2Config(
            vocab_size=size, n_embd=16, n_layer=1, n_head=2, n_positions=80, initializer_range=1.0
        )
        model = transformers.GPT2LMHeadModel(config)
    else:
        config = transformers.BertConfig(
            vocab_size=size,
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=16,
            max_position_embeddings=80,
            initializer_range=1.0,
            **settings,
        )
        model = getattr(transformers, f"BertFor{kind}")(config)
    model.save_pretrained(folder)
    return folder


# ---- data ---------------------------------------------------------------------------------------

GLUE_COLUMNS = tabled(__file__, "GLUE_COLUMNS")


def glue(task: str) -> Any:
    """The data of a task of GLUE, as its data set on the Hub has them."""
    from datasets import ClassLabel, Dataset, DatasetDict, Features, Value

    columns = GLUE_COLUMNS[task]
    names = ["no", "yes", "perhaps"] if task == "mnli" else ["no", "yes"]
    label = Value("float32") if task == "stsb" else ClassLabel(names=names)
    features = Features({**dict.fromkeys(columns, Value("string")), "label": label})
    splits = ["train", "validation", "test"]
    if task == "mnli":
        kinds = ("matched", "mismatched")
        splits = ["train", *(f"{split}_{kind}" for split in splits[1:] for kind in kinds)]

    def rows() -> Any:
        data: dict[str, list[Any]] = {name: [sentence() for _ in range(ROWS)] for name in columns}
        data["label"] = [
            round(DICE.random() * 5, 2) if task == "stsb" else DICE.randrange(len(names))
            for _ in range(ROWS)
        ]
        return Dataset.from_dict(data, features=features)

    return DatasetDict({split: rows() for split in splits})


def labelled(kind: str) -> list[dict[str, Any]]:
    """Rows of `run_classification`: with one label, several, or a number."""

    def label() -> Any:
        if kind == "number":
            return round(DICE.gauss(0, 2), 2)
        if kind == "single":
            return DICE.choice(LABELS)
        return DICE.sample(LABELS, DICE.randint(1, 3))

    return [{"sentence": sentence(), "label": label()} for _ in range(ROWS)]


def questions(*, unanswerable: bool) -> list[dict[str, Any]]:
    """Rows of SQuAD."""
    rows = []
    for number in range(ROWS):
        context = sentence(12, 20)
        words = context.split()
        first = DICE.randrange(len(words) - 3)
        text = " ".join(words[first : first + DICE.randint(1, 3)])
        start = len(" ".join(words[:first])) + (first > 0)
        answers: dict[str, list[Any]] = {"text": [text], "answer_start": [start]}
        if unanswerable and DICE.random() < 0.4:
            answers = {"text": [], "answer_start": []}
        rows.append(
            {
                "id": str(number),
                "title": "",
                "context": context,
                "question": f"{sentence(3, 5)} ?",
                "answers": answers,
            }
        )
    return rows


def tagged() -> list[dict[str, Any]]:
    """Rows of words with the names of their tags."""
    rows = []
    for _ in range(ROWS):
        words = sentence().split()
        tags = DICE.choices(["O", "B-PER", "I-PER", "B-LOC", "I-LOC"], k=len(words))
        rows.append({"tokens": words, "ner_tags": tags})
    return rows


def pairs(first: str, second: str) -> list[dict[str, str]]:
    """Rows of two texts, the second of several sentences."""
    return [{first: sentence(8, 15), second: f"{sentence()} . {sentence()} ."} for _ in range(ROWS)]


def translations() -> list[dict[str, Any]]:
    return [{"translation": row} for row in pairs("en", "ro")]


def lines() -> list[dict[str, str]]:
    return [{"text": sentence(20, 30)} for _ in range(ROWS)]
