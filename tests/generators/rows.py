"""Rows of each module, in each of the shapes that it takes.

A function takes a source of chance and a number of rows, and returns columns, and options that go
with them. Of a module that has none here rows of its samples are drawn.
"""

import json
import math

from tests.generators import values
from tests.json_values import mutant, random_value
from tests.spec import specs
from tests.squad import squad
from tests.tables import tabled


def texts(chance, rows):
    """Texts beside one or several references, some of them empty."""
    predictions = [values.text(chance) for _ in range(rows)]
    if chance.random() < 0.5:
        predictions = values.with_empty_ends(chance, predictions, chance.choice(("", "the")))
    references = [values.near_text(chance, text) for text in predictions]
    if chance.random() < 0.5:
        references = values.with_empty_ends(chance, references, "")
    if chance.random() < 0.6:
        references = [
            [reference, *(values.near_text(chance, reference) for _ in range(chance.randrange(3)))]
            if chance.random() < 0.8
            else reference
            for reference in references
        ]
    return {"predictions": predictions, "references": references}, {}


def single_texts(chance, rows):
    """Texts beside one reference each."""
    columns, options = texts(chance, rows)
    first = [text if isinstance(text, str) else text[0] for text in columns["references"]]
    return columns | {"references": first}, options


def reference_sets(chance, rows):
    """Texts beside several answers, each with several names."""
    columns, options = texts(chance, rows)
    sets = [
        [[values.near_text(chance, text) for _ in range(chance.randrange(1, 3))] for _ in "ab"]
        for text in columns["predictions"]
    ]
    return columns | {"references": sets}, options


def _listed(columns, *, may_be_empty=False):
    lists = [[text] if isinstance(text, str) else text for text in columns["references"]]
    if may_be_empty:
        lists = [[] if row % 3 == 0 else texts for row, texts in enumerate(lists)]
    return columns["predictions"], lists


def squad_answers(chance, rows):
    """The dictionaries of SQuAD."""
    columns, options = texts(chance, rows)
    return squad(*_listed(columns)), options


def maybe_unanswerable(chance, rows):
    """Answers to questions of which some have none."""
    columns, options = texts(chance, rows)
    predictions, references = _listed(columns, may_be_empty=chance.random() < 0.7)
    return {"predictions": predictions, "references": references}, options


def squad_v2_answers(chance, rows):
    """The same as dictionaries, with probabilities that there is no answer."""
    columns, options = maybe_unanswerable(chance, rows)
    columns = squad(columns["predictions"], columns["references"])
    probabilities = values.scores(chance, rows)
    for row, probability in zip(columns["predictions"], probabilities, strict=True):
        row["no_answer_probability"] = probability
    return columns, options


MATHEMATICS = (
    *("0.5", r"\frac12", r"\sqrt{12}", r"2\sqrt{3}", "x = 3", "3", "50\\%", "1,000", "(1, 2)"),
    *("x^2+1", "1+x^2", "", "the answer is 7", r"\boxed{7}", "-0", "1e3", "[0,1)", "i^2", "7."),
)


def mathematics(chance, rows):
    predictions = chance.choices(MATHEMATICS, k=rows)
    references = [
        chance.choice(MATHEMATICS)
        if chance.random() < 0.6
        else chance.choices(MATHEMATICS, k=chance.randrange(1, 3))
        for _ in range(rows)
    ]
    return {"predictions": predictions, "references": references}, {}


TAGS = ("O", "O", "B-A", "I-A", "B-B", "I-B", "E-A", "S-B")


def tags(chance, rows):
    """Tags of sentences, some of them without words."""
    sizes = [chance.choice((0, 1, 1, 2, 4, 7)) for _ in range(rows)]
    kinds = TAGS if chance.random() < 0.5 else TAGS[:6]
    references = [chance.choices(kinds, k=size) for size in sizes]
    predictions = [
        [tag if chance.random() < 0.7 else chance.choice(kinds) for tag in row]
        for row in references
    ]
    return {"predictions": predictions, "references": references}, {}


def spans(chance, rows):
    """Spans as dictionaries; those of a row may touch, overlap and repeat."""

    def row():
        size = chance.choice((0, 0, 1, 2, 4))
        starts = [chance.randrange(6) for _ in range(size)]
        return {
            "type": [chance.choice("AB") for _ in range(size)],
            "start": starts,
            "end": [start + chance.randrange(1, 4) for start in starts],
        }

    references = [row() for _ in range(rows)]
    predictions = [each if chance.random() < 0.4 else row() for each in references]
    return {"predictions": predictions, "references": references}, {}


def labels(chance, rows):
    names = chance.choice(([0, 1], [0, 1, 2, 7], [False, True], ["no", "yes", "maybe"], [-1, 1]))
    references = values.classes(chance, rows, names)
    predictions = [label if chance.random() < 0.5 else chance.choice(names) for label in references]
    return {"predictions": predictions, "references": references}, {}


def positive_scores(chance, rows):
    names = chance.choice(([0, 1], [False, True], ["no", "yes"]))
    options = {"pos_label": "yes"} if "yes" in names else {}
    columns = {
        "predictions": values.scores(chance, rows),
        "references": values.classes(chance, rows, names),
    }
    if chance.random() < 0.2:
        columns["predictions"] = values.numbers(chance, rows)
        options["threshold"] = chance.choice((0.0, 1.0, 10**9 + 1.0))
    return columns, options


def probabilities(chance, rows):
    """Rows of probabilities of all labels, some of them equal."""
    names = [0, 1, 2][: chance.choice((2, 3))]
    predictions = []
    for _ in range(rows):
        parts = [chance.choice((0, 1, 1, 2, 4)) for _ in names]
        parts[chance.randrange(len(names))] += 1
        predictions.append([part / sum(parts) for part in parts])
    references = values.classes(chance, rows, names)
    options = {"labels": names} if chance.random() < 0.5 else {}
    return {"predictions": predictions, "references": references}, options


def indicators(chance, rows):
    """Rows of 0 and 1, some of them only zeros; as predictions sometimes scores."""
    size = chance.choice((2, 3))
    references = [[chance.randrange(2) for _ in range(size)] for _ in range(rows)]
    if chance.random() < 0.4:
        references = values.with_empty_ends(chance, references, [0] * size)
    if chance.random() < 0.3:
        predictions = [values.scores(chance, size) for _ in range(rows)]
    else:
        predictions = [[chance.randrange(2) for _ in row] for row in references]
    return {"predictions": predictions, "references": references}, {}


def predicted_numbers(chance, rows):
    kind = chance.random()
    if kind < 0.15:
        columns = [values.numbers(chance, rows, whole=True) for _ in "pr"]
    elif kind < 0.4:  # all of the same size, as a model predicts them
        offset = chance.choice((1.0, 1e6, 1e9))
        columns = [[offset + chance.choice((0, 1, 1.5, 2, 3.5)) for _ in range(rows)] for _ in "pr"]
    else:
        columns = [values.numbers(chance, rows) for _ in "pr"]
    return dict(zip(("predictions", "references"), columns, strict=True)), {}


POSITIVE_MEASURES = (
    *("msle", "rmsle", "pinball(alpha=0.9)", "poisson_deviance", "gamma_deviance"),
    *("tweedie(power=1.5)", "tweedie(power=3)", "d2_absolute_error", "d2_pinball(alpha=0.1)"),
    *("d2_tweedie(power=1)", "d2_tweedie(power=2)"),
)


def positive_numbers(chance, rows):
    columns, options = predicted_numbers(chance, rows)
    columns = {name: [abs(x) + 0.5 for x in column] for name, column in columns.items()}
    measures = chance.sample(POSITIVE_MEASURES, chance.randrange(1, 5))
    return columns, options | {"measures": measures}


def several_numbers(chance, rows):
    outputs = chance.choice((1, 2, 3))

    def table():
        columns = [values.numbers(chance, rows) for _ in range(outputs)]
        return list(map(list, zip(*columns, strict=True)))

    return {"predictions": table(), "references": table()}, {}


def prediction_intervals(chance, rows):
    lows = values.numbers(chance, rows)
    columns = {
        "predictions": [[low, low + chance.choice((0.0, 1.0, chance.random()))] for low in lows],
        "references": [low + chance.choice((-0.5, 0.0, 0.5, 2.0)) for low in lows],
    }
    return columns, {"measures": ["coverage", "interval_width", "winkler(alpha=0.1)"]}


def points(chance, rows):
    """Points of clusters that may coincide, far from the origin or not."""
    rows = max(rows, 3)
    offset = chance.choice((0.0, 0.0, 1e6))
    codes = [row % 2 for row in range(rows)] if chance.random() < 0.5 else []
    codes = codes or [0, 1, *(chance.randrange(3) for _ in range(rows - 2))]
    spread = chance.choice((0.0, 0.5, 5.0))
    references = [
        [offset + 3 * code + spread * chance.random(), spread * chance.random()] for code in codes
    ]
    return {"predictions": codes, "references": references}, {}


PARTITION_MEASURES = (
    *("ari", "nmi", "v_measure", "homogeneity", "completeness", "ami", "rand"),
    *("fowlkes_mallows", "purity"),
)


def partitions(chance, rows):
    columns = {
        "predictions": values.classes(chance, rows, [0, 1, 2, 3]),
        "references": values.classes(chance, rows, chance.choice((["x", "y"], [5, 6, 7]))),
    }
    return columns, {"measures": chance.sample(PARTITION_MEASURES, chance.randrange(1, 5))}


def rankings(chance, rows):
    """Rankings with ties, without documents, without relevant ones, and judged beyond them."""
    documents = [f"d{number}" for number in range(9)]

    def column(name, kind):
        most = chance.choice((0, 1, 3, 9))
        ids = chance.sample(documents, chance.randrange(most + 1))
        return {"doc_id": ids, name: [float(chance.choice(kind)) for _ in ids]}

    scored = chance.choice(((0.0, 1.0, 2.0), (0.1, 0.2, 0.3, 0.4), (1e9, 1e9 + 1)))
    grades = chance.choice(((0, 1), (0, 1, 2, 3), (-1, 0, 1, 2)))
    columns = {
        "predictions": [column("score", scored) for _ in range(rows)],
        "references": [column("relevance", grades) for _ in range(rows)],
    }
    return columns, {}


def ranked_ids(chance, rows):
    columns, options = rankings(chance, rows)
    return {name: [row["doc_id"] for row in each] for name, each in columns.items()}, options


def candidates(chance, rows):
    sizes = [chance.randrange(1, 6) for _ in range(rows)]
    columns = {
        "predictions": [values.scores(chance, size) for size in sizes],
        "references": [[float(chance.choice((0, 0, 1, 2))) for _ in range(size)] for size in sizes],
    }
    return columns, {}


def outcomes(chance, rows):
    size = chance.choice((1, 4, 8))
    predictions = [[chance.randrange(2) for _ in range(size)] for _ in range(rows)]
    if chance.random() < 0.5:
        predictions = values.with_empty_ends(chance, predictions, [0] * size)
    return {"predictions": predictions}, {"k": chance.sample(range(1, size + 1), 1)}


def passed(chance, rows):
    counts = [chance.choice((4, 8, 100)) for _ in range(rows)]
    predictions = [{"n": n, "c": chance.choice((0, 1, n // 2, n))} for n in counts]
    return {"predictions": predictions}, {"k": chance.choice(([1], [1, 4], [2]))}


def votes(chance, rows):
    """Answers of several samples, of which some are empty or tie."""
    answers = ("12", "7", "", "Seven", "1/2", r"\boxed{7}", "The")
    size = chance.choice((1, 2, 4))
    columns = {
        "predictions": [chance.choices(answers, k=size) for _ in range(rows)],
        "references": [
            chance.choice(answers) if chance.random() < 0.5 else chance.choices(answers, k=2)
            for _ in range(rows)
        ],
    }
    measures = chance.choice((["maj@k"], ["self_consistency"], ["maj@k", "self_consistency"]))
    return columns, {"k": [size], "measures": measures}


def best_of(chance, rows):
    columns, options = outcomes(chance, rows)
    scores = [
        [chance.choice((0.0, 0.5, 0.5, -1.0, 2.0)) for _ in row] for row in columns["predictions"]
    ]
    return columns, options | {"measures": "best_of@k", "scores": scores}


def choice_scores(chance, rows):
    """Scores of options: ties, no right option but one, and options that are impossible."""
    sizes = [chance.choice((2, 3, 5)) for _ in range(rows)]
    predictions = [
        [chance.choice((-1.0, -1.5, -700.0, -1e9, float("-inf"))) for _ in range(size - 1)] + [-2.0]
        for size in sizes
    ]
    references = [[1, 0, *(chance.randrange(2) for _ in range(size - 2))] for size in sizes]
    for row in references:
        chance.shuffle(row)
    columns = {"predictions": predictions, "references": references}
    return columns, {"length_normalization": "none"}


def measured_choices(chance, rows):
    """The same with the length of each option, or its score without the question."""
    columns, options = choice_scores(chance, rows)
    kind = chance.choice(("length", "unconditional"))
    columns["predictions"] = [
        {
            "score": [max(score, -1e9) for score in row],
            kind: [chance.choice((1, 2, 2, 9)) for _ in row]
            if kind == "length"
            else [chance.choice((-1.0, -1.5, -3.0)) for _ in row],
        }
        for row in columns["predictions"]
    ]
    ways = ("character", "token", "byte") if kind == "length" else ("unconditional",)
    return columns, options | {"length_normalization": chance.choice(ways)}


def preferences(chance, rows):
    if chance.random() < 0.5:
        column = values.classes(chance, rows, ["tie", "win", "loss"])
    else:
        column = [chance.choice((0.0, 0.5, 0.5, 1.0, chance.random())) for _ in range(rows)]
    return {"predictions": column}, {}


RESPONSES = tabled(__file__, "RESPONSES")
INSTRUCTIONS = tabled(__file__, "INSTRUCTIONS")


def instructed(chance, rows):
    """Responses to prompts with one to three instructions."""
    references = []
    for _ in range(rows):
        names, kwargs = zip(*chance.sample(INSTRUCTIONS, k=chance.randrange(1, 4)), strict=True)
        references.append(json.dumps({"instruction_id_list": names, "kwargs": kwargs}))
    return {"predictions": chance.choices(RESPONSES, k=rows), "references": references}, {}


def grades(chance, rows):
    kinds = ["correct", "incorrect", "not_attempted"]
    return {"predictions": values.classes(chance, rows, kinds)}, {}


def confidences(chance, rows):
    columns = values.scores(chance, rows)
    predictions = [{"correct": chance.random() < 0.5, "confidence": score} for score in columns]
    if chance.random() < 0.5:
        for row in predictions:
            row["attempted"] = chance.random() < 0.7
            row["correct"] = row["correct"] and row["attempted"]
    return {"predictions": predictions}, {}


def paired_scores(chance, rows):
    first = values.scores(chance, rows)
    second = [score if chance.random() < 0.4 else chance.random() for score in first]
    return {"predictions1": first, "predictions2": second}, {}


def json_texts(chance, rows):
    """JSON values beside others that differ a little; some predictions are cut off."""
    references = [random_value(chance) for _ in range(rows)]
    predictions = [json.dumps(mutant(chance, value)) for value in references]
    predictions = [
        text[: chance.randrange(len(text))] if chance.random() < 0.1 else text
        for text in predictions
    ]
    if chance.random() < 0.5:
        references = list(map(json.dumps, references))
    return {"predictions": predictions, "references": references}, {}


TOOLS = [
    {"name": "f", "parameters": {"properties": {"a": {"type": "integer", "default": 1}}}},
    {"name": "g.h", "parameters": {"properties": {"b": {"type": "string"}}}},
]


def tool_calls(chance, rows):
    """Calls as texts and as objects; the expected ones as they are, or with accepted values."""
    has_alternatives = chance.random() < 0.4
    references, predictions = [], []
    for _ in range(rows):
        calls = [
            {"name": chance.choice(("f", "g.h")), "arguments": arguments(chance)}
            for _ in range(chance.choice((0, 1, 1, 2, 3)))
        ]
        predicted = [call for call in calls if chance.random() < 0.8]
        chance.shuffle(predicted)
        if chance.random() < 0.3:
            predicted.append({"name": "f", "arguments": arguments(chance)})
        predictions.append(_call_text(chance, predicted))
        if has_alternatives:
            calls = [
                call | {"arguments": {key: [value, ""] for key, value in call["arguments"].items()}}
                for call in calls
            ]
        with_tools = {"tool_calls": calls, "tools": TOOLS}
        references.append(json.dumps(with_tools if chance.random() < 0.5 else calls))
    options = {"alternatives": True} if has_alternatives else {}
    return {"predictions": predictions, "references": references}, options


def arguments(chance):
    """Draw the arguments of a call, by name."""
    names = chance.sample("abc", chance.randrange(3))
    return {name: random_value(chance, 1) for name in names}


def _call_text(chance, calls):
    kind = chance.random()
    if kind < 0.4:
        written = (
            f"{call['name']}({', '.join(f'{k}={v!r}' for k, v in call['arguments'].items())})"
            for call in calls
        )
        return f"[{', '.join(written)}]" if calls else "None of the tools will do."
    if kind < 0.8:
        bodies = (f"<tool_call>{json.dumps(call)}</tool_call>" for call in calls)
        return "\n".join(bodies)
    return json.dumps(calls)[: None if kind < 0.95 else -1]


def two_raters(chance, rows):
    """Labels of two raters who agree on most rows; one label alone at times."""
    kinds = chance.choice((["no", "yes"], [0, 1, 2], [1.0, 2.5, -1.0]))
    labels = values.classes(chance, rows, kinds)
    others = [label if chance.random() < 0.7 else chance.choice(kinds) for label in labels]
    numeric = ["cohen_kappa", "spearman", "pearson", "gwet_ac"]
    measures = chance.choice((None, "krippendorff_alpha", ["agreement", "fleiss_kappa"], numeric))
    is_text = isinstance(kinds[0], str)
    if measures is None or (is_text and measures is numeric):
        return {"predictions": labels, "references": others}, {}
    return {"predictions": labels, "references": others}, {"measures": measures}


def many_raters(chance, rows):
    """Ratings of units, some of which are missing."""
    kinds = chance.choice((["no", "yes"], [0, 1, 2], [1.0, 2.5, -1.0]))
    most = chance.randrange(1, 5)
    ratings = [
        [None if chance.random() < 0.2 else chance.choice(kinds) for _ in range(most)]
        for _ in range(rows)
    ]
    measures = chance.choice((None, ["gwet_ac", "brennan_prediger"], "krippendorff_alpha"))
    return {"predictions": ratings}, {} if measures is None else {"measures": measures}


def pairwise_votes(chance, rows):
    """Votes between systems, with verdicts or with shares of the points."""
    systems = ["ada", "bob", "eve", "Δ"][: chance.randrange(2, 5)]
    pairs = [chance.sample(systems, 2) for _ in range(rows)]
    verdicts = chance.choice(
        (["model_a", "model_b", "tie", "both_bad"], ["model_a", "tie"], [0.0, 0.25, 0.5, 1.0])
    )
    winners = [chance.choice(verdicts) for _ in range(rows)]
    first, second = map(list, zip(*pairs, strict=True))
    return {"model_a": first, "model_b": second, "winner": winners}, {}


def two_scores(chance, rows):
    """Scores of systems, some of them equal."""
    columns = [[chance.choice((0.1, 0.5, 0.7, 2.0, -1.0)) for _ in range(rows)] for _ in "ab"]
    measures = chance.choice((None, ["kendall_tau_a", "spearman", "tau_ap_a"], "pearson"))
    options = {} if measures is None else {"measures": measures}
    return dict(zip(("predictions", "references"), columns, strict=True)), options


def two_rankings(chance, rows):
    """Rankings with ties, of other items and other lengths."""

    def ranking():
        items = chance.sample("abcdefg", chance.randrange(1, 6))
        groups = []
        while items:
            size = chance.choice((1, 1, 2))
            groups.append(items[:size])
            items = items[size:]
        return groups

    columns = {name: [ranking() for _ in range(rows)] for name in ("predictions", "references")}
    return columns, {}


def panels(chance, rows):
    """Verdicts of several judges, and labels."""
    judges = chance.randrange(1, 5)
    labels = values.classes(chance, rows, [0, 1])
    verdicts = [
        [label if chance.random() < 0.7 else 1 - label for _ in range(judges)] for label in labels
    ]
    return {"predictions": verdicts, "references": labels}, {}


def swapped(chance, rows):
    """Verdicts about pairs of answers in both orders."""
    kinds = ["A", "B", "tie"]
    columns = {name: values.classes(chance, rows, kinds) for name in ("predictions", "references")}
    return columns, {"swapped": True}


def partly_labelled(chance, rows):
    """Verdicts of one judge or several, and labels of some rows."""
    rows = max(rows, 4)
    is_float = chance.random() < 0.3
    labels = [chance.random() if is_float else chance.choice((0.0, 1.0)) for _ in range(rows)]
    judges = chance.choice((1, 1, 3))
    verdicts = [
        [label if chance.random() < 0.8 else 1 - label for _ in range(judges)] for label in labels
    ]
    labelled = {0, rows - 1, *(row for row in range(rows) if chance.random() < 0.3)} - {1}
    references = [label if row in labelled else math.nan for row, label in enumerate(labels)]
    predictions = verdicts if judges > 1 else [row[0] for row in verdicts]
    return {"predictions": predictions, "references": references}, {}


FORMS = {
    "bleu": (texts,),
    "chrf": (texts,),
    "classification": (labels, labels, positive_scores, probabilities, indicators),
    "clustering": (points, partitions),
    "error_rate": (single_texts,),
    "instruction_following": (instructed,),
    "ir_ranking": (rankings, rankings, ranked_ids, candidates),
    "json_match": (json_texts,),
    "judge_agreement": (two_raters, two_raters, many_raters, panels, swapped),
    "judge_corrected": (partly_labelled,),
    "math_equivalence": (mathematics,),
    "paired_significance": (paired_scores,),
    "pass_at_k": (outcomes, passed),
    "qa_em": (texts, texts, reference_sets, squad_answers),
    "qa_f1": (texts, texts, reference_sets, squad_answers),
    "regression": (predicted_numbers, positive_numbers, several_numbers, prediction_intervals),
    "repeated_sampling": (votes, best_of),
    "rouge_n_l": (texts,),
    "selective_answering": (grades, confidences),
    "span_f1": (tags, spans),
    "squad_v2": (maybe_unanswerable, squad_v2_answers),
    "substring_recall": (texts, texts, reference_sets, squad_answers),
    "ter": (texts,),
    "tool_calls": (tool_calls,),
    "truthful_mc": (choice_scores, measured_choices),
    "pairwise_ranking": (pairwise_votes,),
    "ranking_agreement": (two_scores, two_rankings),
    "visual_qa": (texts,),
    "win_rate": (preferences,),
}


def draw_rows(name, inputs, chance, rows):
    """Columns of a module with some rows, and the options that they need.

    Args:
        name: of the module.
        inputs: the names of its columns.
        chance: a source of chance.
        rows: how many there shall be; a form may need more.
    """
    if name in FORMS:
        return chance.choice(FORMS[name])(chance, rows)
    sample = chance.choice(specs(name)).sample
    size = len(sample[inputs[0]])
    numbers = [chance.randrange(size) for _ in range(rows)]
    columns = {column: [sample[column][number] for number in numbers] for column in inputs}
    return columns, {key: value for key, value in sample.items() if key not in inputs}
