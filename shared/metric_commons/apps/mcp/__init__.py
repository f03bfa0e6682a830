"""A server of the Model CallContext Protocol with evaluations as tools, for agents and UltraRAG."""
