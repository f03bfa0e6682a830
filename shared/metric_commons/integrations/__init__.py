"""Integrations: Spark, `datasets`, the Trainer of transformers, UltraRAG."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .trainer import TrainerHook, trainer_hook

__all__ = ["TrainerHook", "trainer_hook"]

__getattr__ = resolver(
    __name__,
    {
        "TrainerHook": "trainer",
        "trainer_hook": "trainer",
    },
)
