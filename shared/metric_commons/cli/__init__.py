"""The commands of `metric-commons`, but for those that the applications bring themselves."""
