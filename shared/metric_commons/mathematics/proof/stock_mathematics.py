"""The result of `evaluate`'s module `competition_math`."""

from typing import Annotated, Any

from ...statistics.arguments.shapes import Scalar
from .hendrycks import hendrycks_equal

_Texts = Annotated[Any, Scalar(str)]


def competition_math(*, predictions: _Texts, references: _Texts) -> dict[str, float]:
    r"""Return the proportion of answers that are equal as texts, after normalization of LaTeX.

    >>> competition_math(predictions=[r"\frac{1}{2}", "3"], references=["1/2", "4"])
    {'accuracy': 0.5}
    """
    right = sum(map(hendrycks_equal, predictions, references))
    return {"accuracy": right / len(predictions)}
