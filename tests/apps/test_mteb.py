"""Results of MTEB: means without rows, shown and ranked without intervals that nothing supports."""

import csv
import io
import json
from pathlib import Path

import pytest

REVISION = "13f00a0e36500c80ce12870ea513846a066004af"


def write(model, task, splits, version="1.12.41"):
    """A file as mteb writes it: of each split the scores of subsets."""
    folder = Path("results", model.replace("/", "__"), REVISION)
    folder.mkdir(parents=True, exist_ok=True)
    content = {
        "dataset_revision": "e4428e39",
        "evaluation_time": 12.6,
        "kg_co2_emissions": None,
        "mteb_version": version,
        "scores": {
            split: [
                {"hf_subset": subset, "languages": [f"{subset}-Latn"], "main_score": score}
                | {"spearman": score, "accuracy_std": 0.01}
                for subset, score in subsets.items()
            ]
            for split, subsets in splits.items()
        },
        "task_name": task,
    }
    path = folder / f"{task}.json"
    path.write_text(json.dumps(content, indent=2))
    return str(path)


@pytest.fixture
def files(run):
    paths = []
    for model, score in (("org/large", 0.5), ("org/small", 0.25)):
        paths.append(write(model, "STS", {"test": {"fin": score, "swe": score + 0.25}}))
        paths.append(write(model, "Ret", {"test": {"default": 1 - score}}, "1.14.0"))
    return paths


def records(out):
    return list(csv.DictReader(io.StringIO(out)))


def by_system(out, column):
    return {each["system"]: each[column] for each in records(out)}


def test_a_file_is_summarised_as_it_is(run, files):
    status, out, err = run("score", "logged", files[0], files[2], "--format", "json")
    systems = json.loads(out)["systems"]

    assert (status, err) == (0, "")
    large = systems["org/large"]["logged"]
    assert large["scores"] == {"main_score": 0.625, "spearman": 0.625, "accuracy_std": 0.01}
    assert (large["rows"], large["confidence_interval"]) == (0, {})
    assert large["groups"]["swe"]["main_score"] == 0.75
    assert large["signature"].startswith(
        "logged|from=mteb|task=STS|split=test|dataset_revision=e4428e39|subsets=fin,swe|"
        "mteb_version=1.12.41|"
    )
    assert list(systems["org/small"]["logged"]["scores"]) == list(large["scores"])
    chosen = run("score", "logged", files[0], "--metric", "spearman", "--format", "json")[1]
    assert json.loads(chosen)["systems"]["org/large"]["logged"]["scores"] == {"spearman": 0.625}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["logged", "--confidence", "0.95"], "--confidence needs scores of rows, but results/"),
        (["logged", "--compare"], "--compare needs scores of rows"),
        (["qa_em"], "qa_em scores rows, but results/"),
    ],
)
def test_what_needs_rows_is_refused(run, files, options, message):
    status, out, err = run("score", *options, files[0])

    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(message)
    assert "it contains means without scores of rows" in err


def test_a_split_is_chosen(run):
    path = write("org/large", "STS", {"test": {"a": 0.5}, "validation": {"a": 0.75}})

    assert run("score", "logged", path)[2].endswith(
        "scores of several splits, test, validation; choose with --where split=test\n"
    )
    out = run("score", "logged", path, "--where", "split=validation", "--format", "json")[1]
    assert json.loads(out)["systems"]["org/large"]["logged"]["scores"]["main_score"] == 0.75
    assert "there is no split 'dev'" in run("score", "logged", path, "--where", "split=dev")[2]


def test_splits_for_development_are_no_tasks_beside_a_test_split(run):
    splits = {"train": {"a": 0.25}, "dev": {"a": 0.5}, "validation": {"a": 0.125}}
    paths = [
        write("org/large", "Both", {**splits, "test": {"a": 0.75}}),
        write("org/large", "Dev", {"dev": {"a": 0.5}}),
        write("org/large", "Further", {"test": {"a": 0.5}, "standard": {"a": 0.25}}),
    ]
    for command in (paths, ["results"]):
        (board,) = json.loads(run("leaderboard", *command, "--format", "json")[1])["boards"]

        assert board["tasks"] == ["Both", "Dev", "Further"]
        assert [each["value"] for each in board["systems"]] == [(0.75 + 0.5 + 0.5) / 3]
    write("org/small", "Both", {"dev": {"a": 0.5}})
    err = run("leaderboard", "results")[2]
    assert "Both: the split dev does not count, but test does" in err
    assert "org/small has no score of any task" in err


def test_the_order_of_subsets_does_not_matter(run):
    write("org/large", "STS", {"test": {"fin": 0.5, "swe": 0.75}})
    write("org/small", "STS", {"test": {"swe": 0.25, "fin": 0.5}})
    status, out, err = run("leaderboard", "results", "--format", "csv")

    assert (status, err) == (0, "")
    assert by_system(out, "value") == {"org/large": "0.625", "org/small": "0.375"}


def test_missing_tasks_and_subsets_are_named(run, files):
    write("org/tiny", "STS", {"test": {"fin": 0.5}})
    write("org/tiny", "Ret", {"test": {"default": 0.5}})
    status, out, err = run("leaderboard", "results", "--format", "csv")

    assert status == 0
    assert [each["system"] for each in records(out)] == ["org/large", "org/small"]
    assert err.splitlines() == [
        f"results/org__tiny/{REVISION}/STS.json: model org/tiny, task STS has no subset swe",
        "org/tiny has no score of task STS; it is left out",
    ]
    status, out, err = run("leaderboard", "results", "--missing-tasks", "worst", "--format", "json")
    (board,) = json.loads(out)["boards"]
    assert board["missing"] == {"org/tiny": ["STS"]}
    points = {"org/large": 2 + 0.5, "org/small": 1 + 2, "org/tiny": 0 + 0.5}
    assert {each["system"]: each["borda"] for each in board["systems"]} == points
    Path("tasks.csv").write_text("task,subsets\nSTS,fin\nRet,\n")
    out = run("leaderboard", "results", "--benchmark", "tasks.csv", "--format", "csv")[1]
    scores = {"org/large": "0.5", "org/small": "0.25", "org/tiny": "0.5"}
    assert by_system(out, "STS") == scores


def test_a_model_has_one_score_of_a_task_in_a_folder(run, files):
    other = Path("results/org__small/main/STS.json")
    other.parent.mkdir()
    document = json.loads(Path(files[2]).read_text())
    document["dataset_revision"] = "other"
    other.write_text(json.dumps(document))
    status, _, err = run("leaderboard", "results")

    assert (status, err) == (
        1,
        f"two scores of model org/small and task STS: {files[2]} and {other}\n",
    )
    out = run("leaderboard", *files, str(other), "--format", "csv", "--missing-tasks", "worst")[1]
    assert by_system(out, "system").keys() == {"org/large", "org/small", files[2], str(other)}
    Path(files[2]).unlink()
    err = run("leaderboard", "results")[2]
    assert err == (
        "task STS: scores are of different revisions of its data: e4428e39 (1 model, such as "
        "org/large), other (1 model, such as org/small)\n"
    )


def test_of_several_revisions_the_one_of_the_latest_mteb_is_used(run, files):
    """As mteb chooses, for each task, unless its registry names a revision."""
    for place, version, score in (
        ("org__small/main", "1.9.0", 0.0),
        ("org__small/abcdef0", "1.13.0.dev1", 0.75),
        ("org__small/external", "2.0.0", 0.0),
        ("org__large/no_revision_available", None, 0.0),
    ):
        other = Path("results", place, "STS.json")
        other.parent.mkdir()
        document = json.loads(Path(files[2]).read_text())
        for part in document["scores"]["test"]:
            part["main_score"] = score
        other.write_text(json.dumps(document | {"mteb_version": version}))
    status, out, err = run("leaderboard", "results", "--format", "csv")

    assert status == 0
    assert by_system(out, "STS") == {"org/large": "0.625", "org/small": "0.75"}
    assert err.splitlines() == [
        f"model {model} has several revisions of task STS; {revision} is used, with the latest "
        "version of mteb"
        for model, revision in (("org/large", REVISION), ("org/small", "abcdef0"))
    ]
    assert run("leaderboard", ".", "--format", "csv")[1] == out


def test_the_mean_over_tasks_is_that_of_mteb(run, files):
    Path(files[0]).with_name("model_meta.json").write_text('{"name": "org/large"}')
    Path("tasks.txt").write_text("Ret  # retrieval\n\nSTS\n")
    command = ("leaderboard", "results", "--benchmark", "tasks.txt")
    found = records(run(*command, "--format", "csv")[1])

    systems = [(each["system"], each["value"]) for each in found]
    assert systems == [("org/large", "0.5625"), ("org/small", "0.5625")]
    assert [found[0][task] for task in ("STS", "Ret")] == ["0.625", "0.5"]
    assert list(found[0])[-2:] == ["Ret", "STS"]
    told = " ".join(run(*command, "--mean", "borda")[1].split())
    assert "There are no intervals: there are neither rows nor standard errors" in told
    out = run("leaderboard", *files, "--by", "spearman", "--format", "csv")[1]
    assert [each["value"] for each in records(out)] == ["0.5625", "0.5625"]
    assert run("score", "logged", files[0], "--save", "saved.json")[0] == 0
    assert run("leaderboard", "saved.json", files[2], "--by", "spearman")[2] == (
        f"saved.json is a saved result, but {files[2]} is not; name files of one kind\n"
    )


def test_files_of_old_versions_have_names_inside_names(run):
    """A language is a subset, a similarity is not; a single score is the main one."""
    content = {"mteb_version": "1.6.1", "dataset_revision": None, "mteb_dataset_name": "Old"}
    scores = {"en": {"accuracy": 0.5}, "de": {"accuracy": 0.25}, "evaluation_time": 3.5}
    folder = Path("results/org__my-model/no_revision_available")
    folder.mkdir(parents=True)
    (folder / "Old.json").write_text(json.dumps(content | {"test": scores}))
    similar = {"test": {"cos_sim": {"spearman": 0.75}}, "mteb_dataset_name": "Similar"}
    (folder / "Similar.json").write_text(json.dumps(similar))
    out = run("score", "logged", str(folder / "Old.json"), "--format", "json")[1]
    result = json.loads(out)["systems"]["org/my-model"]["logged"]

    assert result["scores"] == {"accuracy": 0.375}
    groups = {part: each["accuracy"] for part, each in result["groups"].items()}
    assert groups == {"en": 0.5, "de": 0.25}
    out = run("score", "logged", str(folder / "Similar.json"), "--format", "json")[1]
    logged = json.loads(out)["systems"]["org/my-model"]["logged"]
    assert logged["scores"] == {"cos_sim.spearman": 0.75}
    Path("tasks.csv").write_text("task,subsets\nOld,en\nSimilar,\n")
    out = run("leaderboard", "results", "--benchmark", "tasks.csv", "--format", "csv")[1]
    assert [(each["Old"], each["Similar"]) for each in records(out)] == [("0.5", "0.75")]
