"""Leaderboards of saved results, of tables and of votes, and model cards."""
