"""Tasks: how the outputs of models are judged, row by row, in training and by scorers.

A task is a value that has one method, `verdicts`. `verdicts` defines it, `model_outputs` reads what
trainers and frameworks pass, and the other files contain the kinds of tasks.
"""
