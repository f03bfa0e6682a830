"""Judges and human labels: how well raters agree, and rates that labels correct."""
