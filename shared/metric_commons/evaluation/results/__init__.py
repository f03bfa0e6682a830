"""Results: scores of systems, their file, and the tables made from them."""
