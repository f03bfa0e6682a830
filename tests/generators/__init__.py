"""Input on which kernels go wrong, drawn for every module, and what must hold of each call.

`values` and `rows` draw the columns of a call, `options` its options, `calls` both. `blocks` makes
the blocks of all kernels small. `properties` says what must hold, and makes a failing call smaller.
`python -m tests.generators SECONDS SEED` draws calls of all modules and prints how many.
"""
