"""What the page of a Space asks for: scores of the arguments that are typed there.

This file runs in the browser, and does not import any of our other files.
"""

import json
from typing import Any


def answer(metric: Any, text: str) -> str:
    """Answer a page's request in JSON: `{"value": ...}`, or `{"problem": "..."}` for bad input.

    Args:
        metric: the module.
        text: the arguments of `compute`, as JSON.
    """
    try:
        arguments = json.loads(text)
        if not isinstance(arguments, dict):
            raise TypeError("the arguments must be a JSON object")
        result = metric.compute(**arguments)
    except json.JSONDecodeError as error:
        return json.dumps({"problem": f"the arguments are not JSON: {error}"})
    except (ValueError, TypeError) as error:
        return json.dumps({"problem": str(error)})
    if not isinstance(result, dict):  # as evaluate's `wer`
        result = {str(arguments["result_format"]): result}
    # NaN and infinities are null, since JSON cannot represent them.
    value = json.loads(json.dumps(result), parse_constant=lambda _: None)
    return json.dumps({"value": value})
