"""Tiny models, not or hardly trained, in the real Trainer: scores equal those of plain loops."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="the group trainer, with torch, is not installed")
pytest.importorskip("accelerate", reason="the group trainer, with accelerate, is not installed")
pytest.importorskip("transformers", reason="the group trainer, with transformers, is not installed")

import numpy as np
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    BertConfig,
    BertForSequenceClassification,
    BertForTokenClassification,
    DataCollatorForSeq2Seq,
    DataCollatorForTokenClassification,
    DataCollatorWithPadding,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    Trainer,
    TrainerCallback,
    TrainingArguments,
    default_data_collator,
)
from transformers.modeling_outputs import CausalLMOutput

import metric_commons
from metric_commons.frameworks.trainers.trainer import trainer_hook
from tests.apps.test_trainer import Hits, Rows
from tests.spec import PATIENCE, ROOT
from tests.tables import tabled

pytestmark = pytest.mark.processes

WORDS = ["<pad>", "<s>", "</s>", "<unk>", *"the a cat dog sat on in Paris Eiffel Tower is".split()]
# Weights far from zero give logits far from each other, so that no rounding decides a class.
TINY = {
    "vocab_size": len(WORDS),
    "hidden_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 1,
    "intermediate_size": 8,
    "initializer_range": 1.0,
}
ROWS = 18

# Every way in which a Trainer may hand over what it has: arguments, and whether logits are reduced.
WAYS = tabled(__file__, "WAYS")


@pytest.fixture(params=WAYS)
def way(request):
    return request.param


@pytest.fixture(scope="module")
def tokenizer():
    return word_tokenizer()


def word_tokenizer():
    words = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, "<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    special = {"pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    return PreTrainedTokenizerFast(tokenizer_object=words, **special)


def sentences(generator, longest):
    """Rows of tokens of different lengths, none of them special."""
    return [
        generator.integers(4, len(WORDS), generator.integers(2, longest + 1)).tolist()
        for _ in range(ROWS)
    ]


def make(model, dataset, hook, collator, way, folder, trainer=Trainer, callbacks=None, **arguments):
    """A trainer that evaluates in the given way, in batches of four of which the last has two."""
    own, reduced = WAYS[way]
    kinds = {Trainer: TrainingArguments, Seq2SeqTrainer: Seq2SeqTrainingArguments}
    settings = {
        "output_dir": str(folder),
        "per_device_eval_batch_size": 4,
        "per_device_train_batch_size": 4,
        "report_to": "none",
        "use_cpu": True,
        "disable_tqdm": True,
        "seed": 0,
        "dataloader_pin_memory": False,
    }
    return trainer(
        model=model,
        args=kinds[trainer](**{**settings, **own, **arguments}),
        train_dataset=dataset,
        eval_dataset=dataset,
        data_collator=collator,
        callbacks=callbacks,
        compute_metrics=hook,
        preprocess_logits_for_metrics=hook.preprocess_logits_for_metrics if reduced else None,
    )


def scores(evaluated, *names):
    """The scores among what an evaluation returns; each is a float."""
    found = {name: evaluated[f"eval_{name}"] for name in names}
    assert {type(value) for value in found.values()} == {float}
    return found


def logits_of(model, **inputs):
    """The logits of one row, in a batch of its own."""
    with torch.no_grad():
        return model.eval()(**{name: torch.tensor([each]) for name, each in inputs.items()}).logits[
            0
        ]


# Evaluation, in every way


def labeled_tokens():
    generator = np.random.default_rng(1)
    return [
        {"input_ids": ids, "labels": generator.choice([0, 1, 2, -100], len(ids)).tolist()}
        for ids in sentences(generator, 9)
    ]


def hits(model, dataset):
    """The share of labels that are the most likely ones, token by token, and their number."""
    hits = [
        int(scores.argmax()) == label
        for row in dataset
        for scores, label in zip(
            logits_of(model, input_ids=row["input_ids"]), row["labels"], strict=True
        )
        if label != -100
    ]
    assert 0 < sum(hits) < len(hits)
    return {"hits": sum(hits) / len(hits), "rows": len(hits)}


def test_token_classification(way, tokenizer, tmp_path):
    torch.manual_seed(1)
    model = BertForTokenClassification(BertConfig(**TINY, num_labels=3))
    dataset = labeled_tokens()
    hook = trainer_hook(Hits(), task="token_classification")
    collator = DataCollatorForTokenClassification(tokenizer)

    result = scores(make(model, dataset, hook, collator, way, tmp_path).evaluate(), "hits", "rows")

    assert result == hits(model, dataset)


def seq2seq(tokenizer):
    """A tiny model that translates, and a dataset for it."""
    torch.manual_seed(4)
    generator = np.random.default_rng(4)
    sides = {
        f"{side}_{name}": value
        for side in ("encoder", "decoder")
        for name, value in {"layers": 1, "attention_heads": 1, "ffn_dim": 8}.items()
    }
    config = BartConfig(
        **sides,
        vocab_size=len(WORDS),
        d_model=8,
        init_std=1.0,
        max_position_embeddings=32,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=1,
        forced_bos_token_id=None,
        forced_eos_token_id=None,
    )
    model = BartForConditionalGeneration(config)
    rows = zip(sentences(generator, 9), sentences(generator, 6), strict=True)
    dataset = [{"input_ids": ids, "labels": [*labels, 2]} for ids, labels in rows]
    return model, dataset, DataCollatorForSeq2Seq(tokenizer, model)


def texts(tokenizer, tokens):
    return [tokenizer.decode(row, skip_special_tokens=True).strip() for row in tokens]


def test_generation(way, tokenizer, tmp_path):
    model, dataset, collator = seq2seq(tokenizer)
    asked = {"max_length": 7, "num_beams": 1, "do_sample": False}
    written = [
        model.eval().generate(torch.tensor([row["input_ids"]]), **asked)[0].tolist()
        for row in dataset
    ]
    module = metric_commons.load("qa_f1")
    expected = module.compute(
        predictions=texts(tokenizer, written),
        references=texts(tokenizer, [row["labels"] for row in dataset]),
    )
    hook = trainer_hook(module, task="generation", tokenizer=tokenizer)
    trainer = make(
        model, dataset, hook, collator, way, tmp_path, Seq2SeqTrainer, predict_with_generate=True
    )

    result = scores(trainer.evaluate(**asked), *expected)

    assert 0 < expected["qa_f1"] < 1
    assert result == expected


COUNTING = GPT2Config(vocab_size=len(WORDS), n_embd=8, n_layer=1, n_head=1, pad_token_id=0)


class Counting(GPT2LMHeadModel):
    """A decoder that goes on counting: after the word of index `i` comes that of `i + 1`."""

    def forward(self, input_ids, labels=None, **_):
        following = (input_ids + 1).clamp(max=len(WORDS) - 1)
        logits = torch.nn.functional.one_hot(following, len(WORDS)).float()
        loss = self.transformer.wte.weight.sum() * 0
        return CausalLMOutput(loss=loss, logits=logits)


def prompts_and_answers(features):
    """A batch of prompts, filled up on the left, and the labels beside them on the right."""
    width = max(len(row["input_ids"]) for row in features)
    prompts = [[0] * (width - len(row["input_ids"])) + row["input_ids"] for row in features]
    labels = [row["labels"] + [-100] * (width - len(row["labels"])) for row in features]
    return {
        "input_ids": torch.tensor(prompts),
        "attention_mask": (torch.tensor(prompts) != 0).long(),
        "labels": torch.tensor(labels),
    }


@pytest.mark.parametrize(
    "own", [{}, {"batch_eval_metrics": True}, {"eval_do_concat_batches": False}]
)
def test_a_perfect_decoder_scores_1(own, tokenizer, tmp_path):
    model = Counting(COUNTING)
    generator = np.random.default_rng(8)
    starts = generator.integers(4, 10, ROWS)
    dataset = [
        {
            "input_ids": [*generator.integers(4, 10, 3 + row % 4).tolist(), int(start)],
            "labels": list(range(start + 1, start + 4)),
        }
        for row, start in enumerate(starts)
    ]
    hook = trainer_hook(
        ["qa_em", "qa_f1"], task="generation", tokenizer=tokenizer, decoder_only=True
    )
    trainer = make(
        model,
        dataset,
        hook,
        prompts_and_answers,
        "whole",
        tmp_path,
        Seq2SeqTrainer,
        predict_with_generate=True,
        include_for_metrics=["inputs"],
        **own,
    )

    result = trainer.evaluate(max_new_tokens=3, do_sample=False)

    assert (result["eval_qa_em"], result["eval_qa_f1"]) == (1.0, 1.0)


def test_half_precision(tokenizer, tmp_path):
    """Logits of bfloat16, which numpy does not know, come as tensors; so they are widened."""
    torch.manual_seed(7)
    generator = np.random.default_rng(7)
    config = BertConfig(**TINY, num_labels=1, problem_type="regression")
    model = BertForSequenceClassification(config)
    dataset = [
        {"input_ids": ids, "labels": float(generator.normal())} for ids in sentences(generator, 9)
    ]
    module = Rows()
    trainer = make(
        model,
        dataset,
        trainer_hook(module, task="regression"),
        DataCollatorWithPadding(tokenizer),
        "logits batch by batch",
        tmp_path,
        bf16_full_eval=True,
    )

    predicted = trainer.predict(dataset)

    assert model.dtype == torch.bfloat16
    assert predicted.metrics["test_rows"] == ROWS
    assert module.seen[0].tolist() == predicted.predictions[:, 0].tolist()


# Of two processes each evaluates half of the rows, one of them a row twice; both get all.
PROCESS = """
import sys

import tests.conftest
import tests.apps.test_training as here

for way in here.WAYS:
    torch, tokenizer = here.torch, here.word_tokenizer()
    torch.manual_seed(1)
    model = here.BertForTokenClassification(here.BertConfig(**here.TINY, num_labels=3))
    dataset = here.labeled_tokens()[:17]
    hook = here.trainer_hook(here.Hits(), task="token_classification")
    collator = here.DataCollatorForTokenClassification(tokenizer)
    trainer = here.make(model, dataset, hook, collator, way, sys.argv[1])
    assert here.scores(trainer.evaluate(), "hits", "rows") == here.hits(model, dataset), way

# Each process sees one example alone, and so not the classes of the other.
for way in ("whole", "logits", "batch by batch"):
    for task, score, expected in (
        ("classification", "f1", (1.0 + 0.8 + 0.0) / 3),
        ("class_probabilities", "f1", (1.0 + 0.8 + 0.0) / 3),
    ):
        logits, labels = here.CLASSES
        model = here.Scripted(logits[1:2])
        dataset = [{"row": row, "labels": label} for row, label in enumerate(labels)]
        hook = here.trainer_hook("classification", task=task)
        collator = here.default_data_collator
        trainer = here.make(
            model, dataset, hook, collator, way, sys.argv[1], per_device_eval_batch_size=1
        )
        for _ in range(2):
            result = here.scores(trainer.evaluate(), score)[score]
            assert abs(result - expected) < 1e-12, (way, task, result)
assert trainer.args.world_size == 2
"""


def test_two_processes_get_the_scores_of_all_rows(tmp_path):
    program = tmp_path / "process.py"
    program.write_text(PROCESS, "utf-8")
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]

    run = subprocess.run(
        [*launch, str(program), str(tmp_path)],
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'shared'}",
            "OMP_NUM_THREADS": "1",
        },
        timeout=PATIENCE,
    )

    assert run.returncode == 0, run.stderr


# Training


class Scripted(torch.nn.Module):
    """A model whose logits for each example and epoch are known."""

    def __init__(self, logits):
        super().__init__()
        self.register_buffer("epoch", torch.tensor(-1))
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.logits = [torch.tensor(rows, dtype=torch.float32) for rows in logits]

    def forward(self, row, labels):
        return {"loss": self.weight.sum() ** 2, "logits": self.logits[self.epoch][row]}


class Epochs(TrainerCallback):
    """Tells the model which epoch it is, and a checkpoint remembers it."""

    def on_epoch_begin(self, args, state, control, model, **_):
        model.epoch += 1


def one_hot(classes, count=3):
    return 4.0 * np.eye(count)[classes]


# For each task the logits of three epochs, of which the second is the best one, and the labels.
# Class 2 is in no row; in the second epoch it is predicted once, and the rest is right.
CLASSES = ([one_hot(epoch) for epoch in ([0, 1, 0, 1], [0, 1, 1, 2], [0, 0, 0, 1])], [0, 1, 1, 1])
BEST_IN_THE_SECOND = {
    "classification": ("classification", "f1", *CLASSES),
    "class_probabilities": ("classification", "f1", *CLASSES),
    "multilabel_classification": (
        "classification",
        "f1",
        [[[1, 1], [1, 1]], [[1, 1], [-1, 1]], [[-1, 1], [-1, -1]]],
        [[1.0, 1.0], [0.0, 1.0]],
    ),
    "token_classification": (
        "classification",
        "f1",
        [one_hot(epoch) for epoch in ([[0, 1], [0, 1]], [[0, 1], [1, 2]], [[0, 0], [0, 1]])],
        [[0, 1], [1, 1]],
    ),
    "causal_lm": (
        "classification",
        "accuracy",
        [one_hot([[*epoch, 2]]) for epoch in ([0, 1, 0, 1], [0, 1, 1, 2], [0, 0, 0, 1])],
        [[2, 0, 1, 1, 2]],
    ),
    "regression": ("regression", "rmse", [[[3.0], [4]], [[1], [4]], [[0], [9]]], [1.0, 5.0]),
}


@pytest.mark.parametrize("task", BEST_IN_THE_SECOND)
@pytest.mark.parametrize("way", ["whole", "logits", "batch by batch"])
def test_the_best_of_three_epochs_is_the_right_one(task, way, tmp_path):
    name, score, logits, labels = BEST_IN_THE_SECOND[task]
    hook = trainer_hook(name, task=task)
    trainer = make(
        Scripted(logits),
        [{"row": row, "labels": label} for row, label in enumerate(labels)],
        hook,
        default_data_collator,
        way,
        tmp_path,
        callbacks=[Epochs()],
        per_device_eval_batch_size=2,
        num_train_epochs=3,
        eval_strategy="epoch",
        save_strategy="epoch",
        load_best_model_at_end=True,
        metric_for_best_model=score,
        greater_is_better=hook.greater_is_better(score),
    )

    trainer.train()

    assert int(trainer.model.epoch) == 1
    log = [
        entry[f"eval_{score}"] for entry in trainer.state.log_history if f"eval_{score}" in entry
    ]
    assert len(set(log)) == 3
    assert trainer.state.best_metric == log[1]
    assert trainer.evaluate()[f"eval_{score}"] == pytest.approx(log[1])


def test_prediction_without_labels(tokenizer, tmp_path):
    model = BertForSequenceClassification(BertConfig(**TINY, num_labels=3))
    dataset = [{"input_ids": ids} for ids in sentences(np.random.default_rng(6), 9)]
    hook = trainer_hook(Hits(), task="classification")
    trainer = make(model, dataset, hook, DataCollatorWithPadding(tokenizer), "whole", tmp_path)

    assert trainer.predict(dataset).predictions.shape == (ROWS, 3)
