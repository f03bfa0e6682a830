"""The formats of logs: one file for each harness, found by its place in this folder."""
