import random

import numpy as np
import pytest

from metric_commons.ranking import Ids, descending


@pytest.mark.parametrize("rows", [1, 5, 16, 17, 60, 500])
def test_ids_come_in_descending_order_of_their_bytes(rows):
    chance = random.Random(rows)
    ids = list({"".join(chance.choices("ab-19é", k=chance.randrange(1, 25))) for _ in range(rows)})
    ids = [chance.choice(["", "FR940812-"]) + each for each in ids]
    groups = sorted(chance.randrange(3) for _ in ids)

    order = descending(np.array(groups), Ids.of(ids)).tolist()

    by_bytes = sorted(range(len(ids)), key=lambda row: ids[row].encode(), reverse=True)
    assert order == sorted(by_bytes, key=groups.__getitem__)
