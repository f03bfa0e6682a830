"""Calls of modules: columns, options, and labels of rows."""

import random
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import metric_commons
from metric_commons.module.declaration.declarations import REPORTING
from metric_commons.statistics.arguments.domains import is_per_row
from tests.generators.options import draw_options
from tests.generators.rows import draw_rows
from tests.generators.values import ROW_COUNTS, clusters


@cache
def loaded(module):
    """The module with its default options."""
    return metric_commons.load(module)


@dataclass(frozen=True)
class Call:
    """A call of a module.

    Attributes:
        module: its name.
        columns: its inputs.
        options: those that scores depend on.
        reporting: those about intervals and what else is reported.
        labels: columns beside the inputs, such as `groups` and `sample_weight`.
    """

    module: str
    columns: dict[str, list[Any]]
    options: dict[str, Any] = field(default_factory=dict)
    reporting: dict[str, Any] = field(default_factory=dict)
    labels: dict[str, list[Any]] = field(default_factory=dict)

    @property
    def rows(self):
        return len(next(iter(self.columns.values())))

    def take(self, rows):
        """The call with some of its rows, in this order."""
        return replace(
            self,
            columns={name: [column[row] for row in rows] for name, column in self.columns.items()},
            labels={name: [column[row] for row in rows] for name, column in self.labels.items()},
        )

    def compute(self, **further):
        """What `compute` returns."""
        settings = {**self.options, **self.reporting, **self.labels, **further}
        return loaded(self.module).compute(**self.columns, **settings)

    def is_accepted(self):
        """Whether the module takes this call."""
        try:
            self.compute()
        except ValueError:
            return False
        return True


def draw_call(module, seed, *, costly=False):
    """A call of a module, which may refuse it.

    Args:
        module: its name.
        seed: of the call.
        costly: whether options may have values that take seconds.

    >>> draw_call("qa_em", 3) == draw_call("qa_em", 3)
    True
    """
    chance = random.Random(f"{module}:{seed}")
    metric = loaded(module)
    inputs = list(metric.feature_sets[0])
    columns, required = draw_rows(module, inputs, chance, chance.choice(ROW_COUNTS))
    rows = len(columns[inputs[0]])
    declared = dict(metric.declared_options)
    if metric.stock_formats:  # which go without the other options; see `tests/stock`
        del declared["result_format"]
    drawn = draw_options(module, declared, chance, costly=costly) | required
    labels = {}
    if "groups" in declared and chance.random() < 0.2:
        labels["groups"] = chance.choices(("a", "b", "a|b=1"), k=rows)
    if "clusters" in declared and chance.random() < 0.2:
        labels["clusters"] = clusters(chance, rows)
    if "sample_weight" in declared and chance.random() < 0.2:
        labels["sample_weight"] = chance.choices((0.0, 0.5, 1.0, 3.0), k=rows)
    for name in required:
        if is_per_row(declared[name].annotation):
            labels[name] = drawn.pop(name)
    if "n_resamples" in declared:
        drawn.setdefault("n_resamples", 20)
    return Call(
        module,
        columns,
        {name: value for name, value in drawn.items() if name not in REPORTING},
        {name: value for name, value in drawn.items() if name in REPORTING},
        labels,
    )
