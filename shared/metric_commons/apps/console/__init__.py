"""Input and output of commands: options, sources of rows, tables, configuration files."""
