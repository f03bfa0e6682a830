"""Precision, recall and F1 of spans: entities, chunks and other tagged parts of texts."""
