"""Whatever a model writes has a verdict, with or without others, in time that is linear."""

import random
from time import process_time

import pytest

from metric_commons.scorers import task
from tests.generators.completions import PAIRS, completions
from tests.shared.frameworks.test_every_adapter import JUDGED, rows
from tests.spec import nightly

# At night, 100,000 completions of all modules together.
NUMBERS = (100, *nightly(100_000 // len(JUDGED) + 1))
STEPS = ("tagged_or_boxed", "final_answer", "boxed_all", ("strip_think", "final_answer"))
LINEAR = [("math", {"extract": steps}) for steps in STEPS]
LINEAR += [(module, {}) for module in ("choice", "tool_calls", "json_match")]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("module", JUDGED)
def test_each_has_a_verdict(module, number):
    judge, reference = task(module, explain=True), rows(module)[-1]
    chance = random.Random(f"{module} {number}")
    for _ in range(number // 100 + 1):
        written = completions(chance, 100)
        together = judge.verdicts(written, [reference] * 100)

        assert together == [judge.verdict(text, reference) for text in written]
        for verdict in together:
            assert "cannot be judged" not in verdict.reason  # no error that a boundary caught
            assert verdict.score is not None


@pytest.mark.slow
@pytest.mark.parametrize("ends", [True, False])
@pytest.mark.parametrize(("module", "options"), LINEAR)
def test_time_is_linear(module, options, ends):
    judge, reference = task(module, **options), rows(module)[-1]
    for before, after in PAIRS:
        level = len(before) + len(after) if ends else max(len(before), 1)

        def cost(size, core, pair=(before, after), level=level):
            levels = size // level
            text = pair[0] * levels + core + pair[1] * (levels if ends else 0)
            start = process_time()
            judge.verdict(text, reference)
            return process_time() - start

        # Eight times the text takes at most twice eight times as long, but for a hundredth; each
        # try has other texts, since answers that were read are kept.
        for core in ("7", "8", "9"):
            costs = [cost(size, core) for size in (8_000, 16_000, 32_000, 64_000)]
            if costs[3] <= 16 * costs[0] + 0.01:
                break
        else:
            pytest.fail(f"{before!r} {after!r}: {costs}")
