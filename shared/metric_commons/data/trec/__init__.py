"""Reading and writing files: tables, TREC runs and judgments, results."""
