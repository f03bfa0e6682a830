"""Modules inside harnesses and other frameworks, and UltraRAG's evaluations."""
