"""Resampled rows, and rows weighted at random: the basis of intervals without a formula."""
