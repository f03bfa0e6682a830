"""Results as a command printed or saved them."""

from metric_commons.evaluation.results.results import Results

_MADE = ("scores", "confidence_interval", "standard_error", "groups")  # from values


def systems_of(text):
    """The fields of each result of a text in JSON, by system and module."""
    return {
        system: {
            module: vars(result) | result.values | {name: getattr(result, name) for name in _MADE}
            for module, result in modules.items()
        }
        for system, modules in Results.from_json(text).systems.items()
    }
