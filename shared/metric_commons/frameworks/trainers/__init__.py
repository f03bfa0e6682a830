"""The Trainer of transformers."""
