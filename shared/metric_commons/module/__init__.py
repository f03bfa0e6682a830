"""What a metric script derives from, and which modules there are."""
