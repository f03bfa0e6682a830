"""Common processing of texts: normalizers, tokens, references, segments."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .normalizers import NORMALIZERS, Normalizer

__all__ = [
    "NORMALIZERS",
    "Normalizer",
]

__getattr__ = resolver(
    __name__,
    {
        "NORMALIZERS": "normalizers",
        "Normalizer": "normalizers",
    },
)
