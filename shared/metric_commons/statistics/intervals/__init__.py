"""From the scores of rows to statements: means, intervals and significance tests."""
