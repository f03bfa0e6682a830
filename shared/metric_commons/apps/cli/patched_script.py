"""`metric-commons patch-evaluate`: a script with our modules in place of evaluate's own."""

import gc
import runpy
import sys
import traceback
from pathlib import Path
from typing import Annotated

import typer


def patch_evaluate(
    script: Annotated[Path, typer.Argument()],
    arguments: Annotated[list[str] | None, typer.Argument(metavar="ARGS...")] = None,
) -> None:
    """Run a script in which evaluate.load returns our modules in place of evaluate's own.

    For all names of the table of stock modules, such as glue, f1, squad, rouge, sacrebleu and wer,
    with the same inputs, options and results; nothing is downloaded, and no file is changed.

    Args:
        script: A Python script, such as run_glue.py.
        arguments: Its arguments, as they are.
    """
    from ...frameworks.harnesses.stock_evaluate import patch_evaluate

    if not script.is_file():
        raise FileNotFoundError(2, "no such file", str(script))
    gc.set_threshold(700)  # the default, which the commands raise for their short lives
    sys.argv = [str(script), *(arguments or ())]
    sys.path.insert(0, str(script.resolve().parent))  # as Python does with a script
    with patch_evaluate():
        try:
            runpy.run_path(str(script), run_name="__main__")
        except Exception as error:  # of the script, for whose author the traceback is
            traceback.print_exc()
            raise typer.Exit(1) from error
