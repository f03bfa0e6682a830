"""Other packages that define a score, run on the same rows as ours."""
