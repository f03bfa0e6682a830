"""Train a model that answers questions with the Seq2SeqTrainer, scored on what it generates.

The model is tiny, starts from nothing and learns 32 answers by heart. It needs torch, transformers
and accelerate, and no network.
"""

import json
import tempfile
from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    DataCollatorForSeq2Seq,
    PreTrainedTokenizerFast,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    set_seed,
)

import metric_commons

SPECIAL = {"pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}


def tokenizer_of(texts):
    words = Tokenizer(models.WordLevel(unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordLevelTrainer(special_tokens=list(SPECIAL.values()))
    words.train_from_iterator(texts, trainer)
    words.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", words.token_to_id("</s>"))]
    )
    return PreTrainedTokenizerFast(tokenizer_object=words, **SPECIAL)


def main():
    set_seed(0)
    lines = (Path(__file__).parent / "capitals.jsonl").read_text("utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    tokenizer = tokenizer_of(
        text for question in questions for text in (question["question"], question["answers"][0])
    )
    dataset = [
        {
            **tokenizer(question["question"], return_token_type_ids=False),
            "labels": tokenizer(question["answers"][0])["input_ids"],
        }
        for question in questions
    ]
    model = BartForConditionalGeneration(
        BartConfig(
            vocab_size=len(tokenizer),
            d_model=64,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
            encoder_ffn_dim=64,
            decoder_ffn_dim=64,
            pad_token_id=tokenizer.pad_token_id,
            bos_token_id=tokenizer.bos_token_id,
            eos_token_id=tokenizer.eos_token_id,
            decoder_start_token_id=tokenizer.bos_token_id,
            forced_eos_token_id=None,
            dropout=0.0,
        )
    )
    hook = metric_commons.trainer_hook(["qa_em", "qa_f1"], task="generation", tokenizer=tokenizer)

    with tempfile.TemporaryDirectory() as folder:
        trainer = Seq2SeqTrainer(
            model=model,
            args=Seq2SeqTrainingArguments(
                output_dir=folder,
                num_train_epochs=40,
                learning_rate=5e-3,
                eval_strategy="steps",
                eval_steps=40,  # ten epochs
                save_strategy="no",
                predict_with_generate=True,
                generation_max_length=16,
                dataloader_pin_memory=False,
                disable_tqdm=True,
                report_to="none",
            ),
            train_dataset=dataset,
            eval_dataset=dataset,
            data_collator=DataCollatorForSeq2Seq(tokenizer, model),
            compute_metrics=hook,
            preprocess_logits_for_metrics=hook.preprocess_logits_for_metrics,
        )
        trainer.train()
        result = trainer.evaluate()

    for score in ("qa_em", "qa_f1"):
        print(f"final {score}: {result[f'eval_{score}']:.4f}")


if __name__ == "__main__":
    main()
