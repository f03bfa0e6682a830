"""Rows drawn again, and rows weighed at random: what intervals without a formula rest on."""
