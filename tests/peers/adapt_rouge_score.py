"""rouge_score's scorer, by the function behind `rouge_n_l`.

Its tests read texts that its wheel does not have: `ROUGE_TESTDATA` names their folder.
"""

import os
from pathlib import Path

from rouge_score import rouge_scorer, scoring, test_util, tokenizers

from metric_commons.text.rouge_overlaps.rouge_scores import rouge
from tests.peers.plugin import counted

_init = rouge_scorer.RougeScorer.__init__


def _remember(self, rouge_types, use_stemmer=False, split_summaries=False, tokenizer=None):
    _init(self, rouge_types, use_stemmer, split_summaries, tokenizer)
    words = tokenizer.tokenize if tokenizer else "rouge_score"
    if isinstance(tokenizer, tokenizers.DefaultTokenizer):
        words, use_stemmer = "rouge_score", tokenizer._stemmer is not None
    self.options = {"use_stemmer": use_stemmer, "tokenizer": words}
    if split_summaries:
        self.options["split_summaries"] = rouge_scorer.nltk.sent_tokenize


def _scores(self, targets, prediction):
    found = rouge([prediction], [targets], rouge_types=self.rouge_types, **self.options)
    return {
        kind: scoring.Score(*(float(values[0]) for values in scores))
        for kind, scores in found.items()
    }


@counted
def score(self, target, prediction):
    return _scores(self, target, prediction)


@counted
def score_multi(self, targets, prediction):
    return _scores(self, list(targets), prediction)


rouge_scorer.RougeScorer.__init__ = _remember
rouge_scorer.RougeScorer.score = lambda self, *texts, **named: score(self, *texts, **named)
rouge_scorer.RougeScorer.score_multi = lambda self, *texts, **named: score_multi(
    self, *texts, **named
)

if "ROUGE_TESTDATA" in os.environ:
    for _name in [name for name in vars(test_util) if name.endswith(("_FILE", "_DIR"))]:
        _path = Path(getattr(test_util, _name))
        setattr(test_util, _name, str(Path(os.environ["ROUGE_TESTDATA"]) / _path.name))
