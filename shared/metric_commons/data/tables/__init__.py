"""Tables: rows of files of any format, and which of them are meant."""
