"""Which statistics of HELM are metrics."""

from metric_commons.data.harness_logs import helm


def test_statistics_of_a_part_of_a_split_are_no_metrics():
    def statistic(name, total, count, **more):
        return {"name": {"name": name, "split": "test", **more}, "sum": total, "count": count}

    instance = {
        "instance_id": "id1",
        "train_trial_index": 0,
        "stats": [
            statistic("exact_match", 3.0, 4),
            statistic("exact_match", 1.0, 1, sub_split="train_set"),
            statistic("f1_score", 1.0, 1, sub_split="train_set"),
            statistic("num_output_tokens", 9.0, 1),
            statistic("quasi_exact_match", 0.0, 0),
        ],
    }
    (metrics,) = helm._metrics([instance]).values()
    assert metrics == {"exact_match": 0.75}
