"""Rows drawn again, and rows weighted at random: what intervals without a formula rest on."""
