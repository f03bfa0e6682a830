import doctest

from tests.spec import ROOT


def test_the_examples_of_the_main_page_run(monkeypatch):
    monkeypatch.chdir(ROOT)

    outcome = doctest.testfile(str(ROOT / "README.md"), module_relative=False)

    assert outcome.attempted > 5
    assert outcome.failed == 0
