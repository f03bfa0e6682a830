"""Train a tiny model with TRL's GRPOTrainer and three rewards: answers, choices, and their form.

The model has random weights, so its answers are wrong; the run shows the calls and the logs.

To run it:

    pip install metric-commons trl
    python examples/clients/with_trl.py
"""

import tempfile

from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

from metric_commons import rewards

PROBLEMS = Dataset.from_list(
    [
        {"prompt": "1 + 1 =", "solution": "2", "answer": "B"},
        {"prompt": "1 / 2 =", "solution": r"\frac{1}{2}", "answer": "A"},
        {"prompt": "2 x 3 =", "solution": "6", "answer": "C"},
        {"prompt": "See the figure.", "solution": r"\left( see figure", "answer": "C"},
    ]
)


def tiny_model() -> tuple[LlamaForCausalLM, PreTrainedTokenizerFast]:
    """A model of some thousand weights, and a tokenizer whose tokens include whole answers."""
    texts = [r"\boxed{2}", r"\boxed{0.5}", r"\boxed{6}", r"\boxed{", "The answer is B."]
    words = [*"0123456789 +-=/x.", *texts, "<pad>", "<eos>", "<unk>"]
    vocabulary = {word: number for number, word in enumerate(dict.fromkeys(words))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    config = LlamaConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        pad_token_id=vocabulary["<pad>"],
        eos_token_id=vocabulary["<eos>"],
        bos_token_id=None,
    )
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>"
    )
    return LlamaForCausalLM(config), wrapped


def main() -> None:
    math = rewards.math(explain=True)
    print(math.check(PROBLEMS))
    model, tokenizer = tiny_model()
    with tempfile.TemporaryDirectory() as folder:
        trainer = GRPOTrainer(
            model=model,
            processing_class=tokenizer,
            train_dataset=PROBLEMS,
            reward_funcs=[math, rewards.choice(), rewards.found()],
            args=GRPOConfig(
                output_dir=folder,
                max_steps=2,
                per_device_train_batch_size=8,
                num_generations=4,
                max_completion_length=8,
                logging_steps=1,
                report_to="none",
                use_cpu=True,
                save_strategy="no",
            ),
        )
        trainer.train()
    steps = [step for step in trainer.state.log_history if "rewards/math/mean" in step]
    names = sorted(name for name in steps[-1] if "/" in name and "clip" not in name)
    for name in names:
        if name.split("/")[0] in ("rewards", "math", "choice", "found"):
            print(f"{name}: {steps[-1][name]:.3f}")


if __name__ == "__main__":
    main()
