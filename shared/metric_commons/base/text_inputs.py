"""The inputs of modules that compare texts, which several of them share."""

from typing import Any, NamedTuple


class TextInputs(NamedTuple):
    """Ways to give the inputs, each as features."""

    # One text per row, and its reference or references: what modules that compare texts take.
    texts_and_references: list[Any]
    # The same, or sets of references, or the dictionaries of SQuAD, of which `text.squad_answers`
    # makes texts.
    answers_and_references: list[Any]
    # Questions may have no answer: lists of references may be empty; SQuAD v2 has a probability.
    answers_or_none: list[Any]


def text_inputs(types: Any) -> TextInputs:
    """The inputs as types of `datasets`, or of another library that calls them so."""
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
