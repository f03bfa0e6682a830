"""Leaderboards of saved results, systems over time, and exports."""
