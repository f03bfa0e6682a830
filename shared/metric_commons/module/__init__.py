"""The base of metric scripts, and the catalog of modules."""
