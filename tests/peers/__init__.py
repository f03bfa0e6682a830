"""The test suites of peers, run with our functions in place of theirs."""
