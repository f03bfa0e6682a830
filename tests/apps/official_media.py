"""Tiny models of images and sounds with random weights, and their data, made on the spot."""

from pathlib import Path
from typing import Any

import numpy as np

from tests.apps.official_models import DICE, LABELS, ROWS, SEED, WORDS, save_tokenizer, sentence

RATE = 16_000  # samples of a second of sound
LENGTH = RATE  # so that there are more frames than letters
KINDS = ("images", "sounds", "ctc", "speech")  # of models


def save_model(kind: str, folder: Path) -> Path:
    """Save a model: "images", "sounds", "ctc" or "speech", with its processor and tokenizer."""
    import torch
    import transformers

    torch.manual_seed(SEED)
    if kind == "images":
        size = {"height": 16, "width": 16}
        transformers.ViTImageProcessor(size=size).save_pretrained(folder)
        config = transformers.ViTConfig(
            **_SIZES, image_size=16, patch_size=8, num_labels=len(LABELS), initializer_range=1.0
        )
        transformers.ViTForImageClassification(config).save_pretrained(folder)
        return folder
    extractor = transformers.Wav2Vec2FeatureExtractor(sampling_rate=RATE)
    extractor.save_pretrained(folder)
    if kind == "sounds":
        config = _config_of_sounds(num_labels=len(LABELS))
        transformers.Wav2Vec2ForSequenceClassification(config).save_pretrained(folder)
    elif kind == "ctc":
        tokenizer = _letters(folder)
        config = _config_of_sounds(vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id)
        tokenizer.save_pretrained(folder)
        transformers.Wav2Vec2ForCTC(config).save_pretrained(folder)
    else:
        _save_transcriber(folder, extractor)
    return folder


_SIZES = {
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 16,
}


def _config_of_sounds(**settings: Any) -> Any:
    import transformers

    return transformers.Wav2Vec2Config(
        **_SIZES,
        conv_dim=(16, 16),
        conv_kernel=(32, 8),
        conv_stride=(25, 8),
        num_feat_extract_layers=2,
        num_conv_pos_embeddings=4,
        num_conv_pos_embedding_groups=2,
        classifier_proj_size=16,
        initializer_range=1.0,
        **settings,
    )


def _letters(folder: Path) -> Any:
    """A tokenizer of letters, as models of CTC have."""
    import json

    import transformers

    letters = sorted(set("".join(WORDS)))
    vocabulary = {token: number for number, token in enumerate(["[PAD]", "[UNK]", "|", *letters])}
    file = folder / "vocab.json"
    file.write_text(json.dumps(vocabulary))
    return transformers.Wav2Vec2CTCTokenizer(
        str(file), unk_token="[UNK]", pad_token="[PAD]", word_delimiter_token="|"
    )


def _save_transcriber(folder: Path, extractor: Any) -> None:
    """An encoder of sounds and a decoder of words."""
    import transformers

    size = save_tokenizer(folder)
    decoder = transformers.BertConfig(
        vocab_size=size,
        is_decoder=True,
        add_cross_attention=True,
        max_position_embeddings=80,
        initializer_range=1.0,
        **_SIZES,
    )
    config = transformers.SpeechEncoderDecoderConfig.from_encoder_decoder_configs(
        _config_of_sounds(), decoder
    )
    config.decoder_start_token_id = 2
    config.pad_token_id = 0
    config.eos_token_id = 3
    model = transformers.SpeechEncoderDecoderModel(config)
    generation = model.generation_config
    generation.decoder_start_token_id, generation.pad_token_id, generation.eos_token_id = 2, 0, 3
    model.save_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    transformers.Wav2Vec2Processor(extractor, tokenizer).save_pretrained(folder)


# ---- data ---------------------------------------------------------------------------------------


def read_sounds_as_numbers() -> None:
    """Let `datasets` store sounds as bytes of numbers, which need no library of codecs."""
    from datasets import Audio

    def decode_example(feature: Any, value: dict[str, Any], **_: Any) -> dict[str, Any]:
        array = np.frombuffer(value["bytes"], np.float32)
        return {"array": array, "sampling_rate": feature.sampling_rate}

    Audio.decode_example = decode_example
    Audio.encode_example = lambda _, value: value


def _splits(columns: dict[str, Any], features: dict[str, Any]) -> Any:
    from datasets import Dataset, DatasetDict, Features

    data = Dataset.from_dict(columns, features=Features(features))
    return DatasetDict(dict.fromkeys(("train", "validation"), data))


def images() -> Any:
    """Pictures with labels."""
    from datasets import ClassLabel, Image
    from PIL import Image as Picture

    noise = np.random.default_rng(31)
    pictures = [
        Picture.fromarray(noise.integers(0, 256, (16, 16, 3), np.uint8)) for _ in range(ROWS)
    ]
    columns = {"image": pictures, "label": [DICE.randrange(len(LABELS)) for _ in range(ROWS)]}
    return _splits(columns, {"image": Image(), "label": ClassLabel(names=LABELS)})


def sounds() -> Any:
    """Sounds with labels and transcripts."""
    from datasets import Audio, ClassLabel, Value

    noise = np.random.default_rng(31)
    columns = {
        "audio": [
            {"bytes": noise.normal(size=LENGTH).astype(np.float32).tobytes(), "path": None}
            for _ in range(ROWS)
        ],
        "label": [DICE.randrange(len(LABELS)) for _ in range(ROWS)],
        "text": [sentence() for _ in range(ROWS)],
    }
    features = {
        "audio": Audio(sampling_rate=RATE),
        "label": ClassLabel(names=LABELS),
        "text": Value("string"),
    }
    return _splits(columns, features)
