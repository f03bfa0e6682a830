"""The names of methods for intervals and corrections of p-values, without the computations.

A command line shows them in its help, which should not wait for numpy.
"""

from typing import Literal

Method = Literal[
    "auto",
    "korn_graubard",
    "wilson",
    "clopper_pearson",
    "mid_p",
    "jeffreys",
    "t",
    "log_t",
    "bootstrap",
]
Correction = Literal["holm", "max_t", "benjamini_hochberg", "none"]
