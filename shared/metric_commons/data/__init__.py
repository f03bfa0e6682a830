"""Reading and writing files: tables, TREC files, logs of harnesses."""
