"""MC1, MC2 and MC3 beside lm-evaluation-harness. Prints ratios of CPU time.

    python benchmarks/choices.py [QUESTIONS]

The peer is written here from its definition: for each question an argmax, the exponentials of the
scores as a numpy array, and two sums. It has no MC3. Its results are checked against ours on the
questions that it scores: 2 to 20 options, the first one true, the last one false, and with scores
like log-likelihoods of short answers.
"""

import sys

import numpy as np
from _measure import ROUNDS, cpu_seconds, peak_megabytes, ratio

from metric_commons import load
from metric_commons.outcomes.multiple_choice import Ragged, choice_scores


def lm_eval_mc1(scores):
    """Whether the first option, which is the true one, is the best."""
    return 1.0 if np.argmax(scores) == 0 else 0.0


def lm_eval_mc2(scores, labels):
    """The share of the true options in the sum of the exponentials."""
    probabilities = np.exp(np.array(scores))
    probabilities = probabilities / np.sum(probabilities)
    return np.sum(probabilities[np.array(labels) == 1])


def lm_eval(rows, labels):
    return [
        (lm_eval_mc1(scores), lm_eval_mc2(scores, truth))
        for scores, truth in zip(rows, labels, strict=True)
    ]


def questions(sizes, chance):
    """Flat scores and labels of questions with so many options."""
    scores = -chance.gamma(2.0, 12.0, sizes.sum())
    truth = (chance.random(scores.size) < 0.4).astype(np.int64)
    ends = np.cumsum(sizes)
    truth[ends - sizes], truth[ends - 1] = 1, 0
    return Ragged(scores, sizes), Ragged(truth, sizes)


def rows_of(flat):
    return [part.tolist() for part in np.split(flat.values, np.cumsum(flat.sizes)[:-1])]


def main(n=100_000):
    chance = np.random.default_rng(3)
    flat = questions(chance.integers(2, 21, n), chance)
    lists = tuple(map(rows_of, flat))
    square = tuple(part.values.reshape(n, 8) for part in questions(np.full(n, 8), chance))
    of_eight = tuple(part.tolist() for part in square)
    few = slice(0, max(1, n // 10))  # the peer costs the same for every tenth of the questions
    share = len(lists[0][few]) / n
    truthful_mc = load("truthful_mc")

    ours = choice_scores(*lists)
    peer = np.array(lm_eval(lists[0][few], lists[1][few]))
    assert np.allclose(ours.mc2[few], peer[:, 1], rtol=1e-12, atol=0)
    # The peer calls an option right if it is the first one; ours has to be any true one.
    assert (ours.mc1[few] >= peer[:, 0]).all()

    def peer_of(rows, labels):
        return lambda: lm_eval(rows[few], labels[few])

    print(f"{n:,} questions; CPU time")
    peer = peer_of(*lists)
    ratio("lists of 2 to 20 options", lambda: choice_scores(*lists), peer, share)
    ratio("flat arrays of 2 to 20 options", lambda: choice_scores(*flat), peer, share)
    peer = peer_of(*of_eight)
    ratio("lists of 8 options", lambda: choice_scores(*of_eight), peer, share)
    ratio("arrays of 8 options", lambda: choice_scores(*square), peer, share)
    predictions, references = lists
    ratio(
        "compute() of lists of 2 to 20 options",
        lambda: truthful_mc.compute(predictions=predictions, references=references),
        peer_of(*lists),
        share,
    )
    wide = questions(np.full(n // 1000 + 1, 10_000), chance)
    seconds = min(cpu_seconds(lambda: choice_scores(*wide)) for _ in range(ROUNDS))
    print(f"of 10,000 options each: {seconds / wide[0].values.size * 1e9:.1f} ns an option")
    print(
        f"peak memory, results included: {peak_megabytes(lambda: choice_scores(*flat)):.0f} MB "
        f"(arrays), {peak_megabytes(lambda: choice_scores(*lists)):.0f} MB (lists)"
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
