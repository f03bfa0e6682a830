"""A server of the Model Context Protocol with evaluations as tools, for agents and UltraRAG."""
