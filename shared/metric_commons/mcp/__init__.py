"""A server of the Model Context Protocol: the evaluations as tools for agents, and for UltraRAG."""
