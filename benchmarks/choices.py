"""MC1, MC2 and MC3 beside lm-evaluation-harness. Prints ratios of CPU time.

    python benchmarks/choices.py [QUESTIONS]

The peer is written here from its definition: for each question an argmax, the exponentials of the
scores as a numpy array, and two sums. It has no MC3. Its results are checked against ours.
Questions have 2 to 20 options, of which the first is true and the last false, with scores like the
log-likelihoods of short answers.
"""

import sys

import numpy as np
from _measure import ROUNDS, cpu_seconds, peak_megabytes, ratio

from metric_commons import load
from metric_commons.judging.sampling.multiple_choice import choice_scores


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
    """The scores and labels of all options of questions with so many options each."""
    scores = -chance.gamma(2.0, 12.0, sizes.sum())
    truth = (chance.random(scores.size) < 0.4).astype(np.int64)
    ends = np.cumsum(sizes)
    truth[ends - sizes], truth[ends - 1] = 1, 0
    return scores, truth


def split(values, sizes):
    """Lists of so many values each."""
    return [row.tolist() for row in np.split(values, np.cumsum(sizes)[:-1])]


def main(n=100_000):
    chance = np.random.default_rng(3)
    sizes = chance.integers(2, 21, n)
    lists = tuple(split(values, sizes) for values in questions(sizes, chance))
    arrays = tuple(values.reshape(n, 8) for values in questions(np.full(n, 8), chance))
    lists_of_eight = tuple(values.tolist() for values in arrays)
    sample = slice(0, max(1, n // 10))  # the peer costs the same for every tenth of the questions
    share = len(lists[0][sample]) / n
    truthful_mc = load("truthful_mc")

    result = choice_scores(*lists)
    peer = np.array(lm_eval(lists[0][sample], lists[1][sample]))
    assert np.allclose(result.mc2[sample], peer[:, 1], rtol=1e-12, atol=0)
    # For the peer only the first option is right; for us any true one.
    assert (result.mc1[sample] >= peer[:, 0]).all()

    def run_peer(rows, labels):
        return lambda: lm_eval(rows[sample], labels[sample])

    print(f"{n:,} questions; CPU time")
    peer = run_peer(*lists)
    ratio("lists of 2 to 20 options", lambda: choice_scores(*lists), peer, share)
    peer = run_peer(*lists_of_eight)
    ratio("lists of 8 options", lambda: choice_scores(*lists_of_eight), peer, share)
    ratio("arrays of 8 options", lambda: choice_scores(*arrays), peer, share)
    predictions, references = lists
    ratio(
        "compute() of lists of 2 to 20 options",
        lambda: truthful_mc.compute(predictions=predictions, references=references),
        run_peer(*lists),
        share,
    )
    options = questions(np.full(n // 1000 + 1, 10_000), chance)
    wide = tuple(values.reshape(-1, 10_000) for values in options)
    seconds = min(cpu_seconds(lambda: choice_scores(*wide)) for _ in range(ROUNDS))
    print(f"of 10,000 options each: {seconds / wide[0].size * 1e9:.1f} ns an option")
    print(
        f"peak memory, results included: {peak_megabytes(lambda: choice_scores(*arrays)):.0f} MB "
        f"(arrays), {peak_megabytes(lambda: choice_scores(*lists)):.0f} MB (lists)"
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
