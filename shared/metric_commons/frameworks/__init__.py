"""Where evaluation already runs: trainers, harnesses, rewards."""
