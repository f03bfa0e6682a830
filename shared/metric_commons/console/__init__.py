"""What commands read and print: options, sources of rows, tables, configuration files."""
