"""The inputs of text modules, which many scripts declare."""

from typing import Any, NamedTuple


class TextInputs(NamedTuple):
    """Alternative declarations of the inputs, as features."""

    # One text per row, and its reference or references: the usual inputs of text modules.
    texts_and_references: list[Any]
    # The same, or sets of references, or dictionaries in SQuAD format, which
    # `answers.answer_texts` converts to texts.
    answers_and_references: list[Any]
    # Questions may be unanswerable: lists of references may be empty; SQuAD v2 has a probability.
    answers_or_none: list[Any]


def text_inputs(types: Any) -> TextInputs:
    """Return the inputs as types of `datasets`, or of a namespace with the same names."""
    text, number = types.Value("string"), types.Value("int64")
    probability = types.Value("float64")
    squad_answer = {"id": text, "prediction_text": text}
    squad_question = {
        "id": text,
        "answers": {"text": types.List(text), "answer_start": types.List(number)},
    }

    def features(predictions: Any, references: Any) -> Any:
        return types.Features({"predictions": predictions, "references": references})

    texts_and_references = [features(text, text), features(text, types.List(text))]
    return TextInputs(
        texts_and_references,
        [
            *texts_and_references,
            features(text, types.List(types.List(text))),
            features(squad_answer, squad_question),
        ],
        [
            texts_and_references[1],
            features(squad_answer | {"no_answer_probability": probability}, squad_question),
        ],
    )
