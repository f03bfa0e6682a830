"""What results say, in the keys of `compute`."""

_REPORTED = (
    *("confidence_interval", "interval", "standard_error", "effective_n", "n_clusters"),
    *("design_effect", "groups"),
)


def as_computed(results):
    """What results say of their only system and module, as its `compute` returns it."""
    ((result,),) = (modules.values() for modules in results.systems.values())
    reported = {key: getattr(result, key) for key in _REPORTED}
    return {
        **result.scores,
        **{key: value for key, value in reported.items() if value not in ({}, None)},
    }
