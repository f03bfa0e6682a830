"""The list of modules, what they declare, and presets of their options."""
