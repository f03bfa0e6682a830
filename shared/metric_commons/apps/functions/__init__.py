"""The functions behind commands that are no functions of other rooms."""
