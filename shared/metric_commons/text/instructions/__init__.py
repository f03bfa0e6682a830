"""Verifiable instructions: whether responses follow them, checked by a program."""
