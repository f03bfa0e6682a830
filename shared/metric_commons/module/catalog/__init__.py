"""The list of modules, their declarations, and presets of their options."""
