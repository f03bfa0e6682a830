"""Results as a command printed or saved them."""

from metric_commons.evaluation.results.results import Results


def systems_of(text):
    """The fields of each result of a text in JSON, by system and module."""
    return {
        system: {module: _of(result) for module, result in modules.items()}
        for system, modules in Results.from_json(text).systems.items()
    }


def _of(result):
    about = ("scores", "groups", "confidence_interval", "standard_error")
    return result.values | vars(result) | {name: getattr(result, name) for name in about}
