"""A plugin of pytest for the test suite of a peer, with our functions in place of its own.

    python -m pytest -p tests.peers.plugin --peer seqeval --outcomes FILE TESTS

Each test that calls such a function ends in one of four ways: *equal*, it passes; *differs*, it
fails, and `differences.toml` says why that is meant; *unsupported*, it asks for what ours does not
have, of which the adapter tells; or it fails. A difference that is none any more fails too. Tests
that call none of our functions do not count.
"""

import importlib
import json
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

DIFFERENCES = Path(__file__).with_name("differences.toml")


class Unsupported(pytest.skip.Exception):
    """What a test asks for that ours does not have."""


def unsupported(reason):
    raise Unsupported(f"not supported: {reason}", allow_module_level=True)


CALLS = []


def counted(function):
    """A function whose calls are counted, so that tests without any are told apart."""

    def call(*arguments, **options):
        CALLS.append(function.__name__)
        return function(*arguments, **options)

    call.__name__ = function.__name__
    call.__doc__ = function.__doc__
    return call


def substitute(module, **functions):
    """Put functions of ours where a module of a peer has its own."""
    for name, function in functions.items():
        assert hasattr(module, name), f"{module.__name__} has no {name}"
        setattr(module, name, counted(function))


def differences(peer):
    """For each pattern of the tests of a peer why ours differs."""
    return tomllib.loads(DIFFERENCES.read_text("utf-8")).get(peer, {})


class Outcomes:
    """How the tests of a peer ended."""

    def __init__(self, peer):
        self.by_test = {}
        self.reasons = differences(peer)
        self.calls = {}

    def reason(self, test):
        """Why a test differs, if it is listed."""
        return next((why for name, why in self.reasons.items() if fnmatchcase(test, name)), None)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        CALLS.clear()
        try:
            return (yield)
        finally:
            self.calls[item.nodeid] = len(CALLS)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if report.when != "call" or not self.calls.get(item.nodeid):
            return report
        path, _, name = item.nodeid.partition("::")
        test = f"{Path(path).name}::{name}"
        is_unsupported = call.excinfo is not None and call.excinfo.errisinstance(Unsupported)
        listed = self.reason(test)
        if is_unsupported:
            self.by_test[test] = "unsupported"
        elif listed is None:
            self.by_test[test] = "equal" if report.passed else "failed"
        elif report.failed:
            self.by_test[test] = "differs"
            report.outcome = "skipped"
            report.wasxfail = listed
        else:
            self.by_test[test] = "failed"
            report.outcome = "failed"
            report.longrepr = f"listed as a difference, but equal: {listed}"
        return report


def pytest_addoption(parser):
    parser.addoption("--peer", required=True)
    parser.addoption("--outcomes", required=True)


def pytest_configure(config):
    peer = config.getoption("--peer")
    importlib.import_module(f"tests.peers.adapt_{peer}")
    config.outcomes = Outcomes(peer)
    config.pluginmanager.register(config.outcomes)


def pytest_unconfigure(config):
    if hasattr(config, "outcomes"):
        text = json.dumps(config.outcomes.by_test, indent=1)
        Path(config.getoption("--outcomes")).write_text(text)
