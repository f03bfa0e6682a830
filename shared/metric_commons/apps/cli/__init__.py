"""The commands of `metric-commons`, except those defined by the other applications."""
