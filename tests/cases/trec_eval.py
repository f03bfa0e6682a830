"""Derives the cases of `trec_eval`: the files of its own test, one a case, and its notice."""

from tests.spec import GIVEN

FOLDER = GIVEN / "data" / "ir" / "treceval"
NAMES = (
    *("LICENSE.trec_eval.md", "qrels.test", "qrels.rel_level", "results.test", "results.trunc"),
    *("out.test", "out.test.a", "out.test.aq", "out.test.aqc", "out.test.aqcM", "out.test.aql"),
    "out.test.meas_params",
)


def trec_eval() -> list[dict]:
    """The files by name; latin-1 stands for any bytes."""
    return [{"id": name, "text": (FOLDER / name).read_text("latin-1")} for name in NAMES]
