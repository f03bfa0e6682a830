"""Random values of JSON, and others that differ from them a little."""

import json

SCALARS = (0, 1, 2, 1.0, -1, 0.5, "", "a", "b", "A", "1", "true", None, True, False)


def scalars(*, booleans=True):
    return [value for value in SCALARS if booleans or not isinstance(value, bool)]


def random_value(chance, depth=3, *, booleans=True):
    """A value with objects and lists in up to `depth` levels."""
    kind = chance.random() if depth else 1.0
    if kind < 0.35:
        keys = chance.sample("abcd", chance.randrange(4))
        return {key: random_value(chance, depth - 1, booleans=booleans) for key in keys}
    if kind < 0.7:
        items = range(chance.randrange(4))
        return [random_value(chance, depth - 1, booleans=booleans) for _ in items]
    return chance.choice(scalars(booleans=booleans))


def mutant(chance, value, *, booleans=True):
    """A value that is equal, in another order, or differs in one place."""
    value = json.loads(json.dumps(value))
    kind = chance.random()
    if kind < 0.2:
        return value
    if isinstance(value, dict) and value:
        key = chance.choice([*value])
        if kind < 0.3:
            del value[key]
        else:
            value[key] = mutant(chance, value[key], booleans=booleans)
        return value
    if isinstance(value, list) and value:
        if kind < 0.4:
            chance.shuffle(value)
        elif kind < 0.5:
            value.append(chance.choice(value))
        elif kind < 0.6:
            value.pop()
        else:
            position = chance.randrange(len(value))
            value[position] = mutant(chance, value[position], booleans=booleans)
        return value
    return random_value(chance, 1, booleans=booleans)
