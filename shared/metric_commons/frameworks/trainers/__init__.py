"""Integrations: Spark, `datasets`, the Trainer of transformers, UltraRAG."""
