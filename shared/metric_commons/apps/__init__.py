"""Applications: the command line, the server for agents, and Spaces."""
