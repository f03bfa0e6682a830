"""Evaluate's own modules beside ours: calls of both, and what the stock modules returned."""
