"""Train a classifier with the Trainer of transformers, scored after each epoch by `classification`.

The model is tiny, starts from nothing and learns to tell the continent of a capital city. It needs
torch, transformers and accelerate, and no network.
"""

import json
import tempfile
from pathlib import Path

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    DataCollatorWithPadding,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

import metric_commons


def tokenizer_of(texts):
    words = Tokenizer(models.WordLevel(unk_token="<unk>"))
    words.normalizer = normalizers.Lowercase()
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    special = ["<pad>", "<unk>"]
    words.train_from_iterator(texts, trainers.WordLevelTrainer(special_tokens=special))
    return PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", unk_token="<unk>")


def main():
    set_seed(0)
    lines = (Path(__file__).parent / "capitals.jsonl").read_text("utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    topics = sorted({question["topic"] for question in questions})
    tokenizer = tokenizer_of(question["question"] for question in questions)
    dataset = [
        {
            **tokenizer(question["question"], return_token_type_ids=False),
            "labels": topics.index(question["topic"]),
        }
        for question in questions
    ]
    model = BertForSequenceClassification(
        BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=64,
            num_labels=len(topics),
        )
    )
    hook = metric_commons.trainer_hook("classification", task="class_probabilities")

    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer(
            model=model,
            args=TrainingArguments(
                output_dir=folder,
                num_train_epochs=20,
                learning_rate=5e-3,
                eval_strategy="epoch",
                save_strategy="epoch",
                load_best_model_at_end=True,
                metric_for_best_model="f1",
                dataloader_pin_memory=False,
                disable_tqdm=True,
                report_to="none",
            ),
            train_dataset=dataset,
            eval_dataset=dataset,
            data_collator=DataCollatorWithPadding(tokenizer),
            compute_metrics=hook,
            preprocess_logits_for_metrics=hook.preprocess_logits_for_metrics,
        )
        trainer.train()
        result = trainer.evaluate()

    for score in ("accuracy", "f1", "roc_auc", "log_loss"):
        print(f"best {score}: {result[f'eval_{score}']:.4f}")


if __name__ == "__main__":
    main()
