"""Options for the tests that ``sparring.conformance`` makes.  Every pytest run loads this: it imports pytest alone."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

OPTIONS: dict[str, object] = {}
"""What was given on pytest's command line, by the name of ``check``'s argument."""

RUNNING: dict[str, pytest.Config] = {}
"""Under "config", the configuration of the run that this process is in."""

NAMES: dict[str, tuple[str, dict[str, Any], str]] = {
    "on": ("--sparring-on", {"choices": ["simulated", "mpi", "both"]}, "where conformance tests run their target"),
    "ranks": ("--sparring-ranks", {}, "numbers of ranks that conformance tests draw from: 8, 1-8 or 1-4,7"),
    "max_examples": ("--sparring-max-examples", {"type": int}, "examples a property"),
    "timeout": ("--sparring-timeout", {"type": float}, "seconds for one example on real ranks"),
    "seed": ("--sparring-seed", {"type": int}, "the same seed draws the same examples"),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options; their values on the command line outweigh those in a test file."""
    group = parser.getgroup("sparring", "conformance of allreduce implementations")
    for name, (option, kind, text) in NAMES.items():
        group.addoption(option, dest=f"sparring_{name}", default=None, help=text, **kind)


def pytest_configure(config: pytest.Config) -> None:
    """Keep the options that were given, for the checks to read."""
    given = {name: config.getoption(f"sparring_{name}") for name in NAMES}
    RUNNING["config"] = config
    OPTIONS.clear()
    OPTIONS.update({name: value for name, value in given.items() if value is not None})


def pytest_collection_finish(session: pytest.Session) -> None:
    """Tell the checks which of them are run, so that work they share is done once; not in a worker of xdist."""
    if hasattr(session.config, "workerinput"):
        return
    for item in session.items:
        if check := of(item):
            check.selected()


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Let a test fail that ends well without having called its check: nothing was judged, and it would pass."""
    if (check := of(pyfuncitem)) is None:
        return (yield)
    check.begins()
    done = yield
    check.ends()
    return done


def of(item: pytest.Item) -> Any:
    """Return the check of a test that ``sparring.conformance`` has made; None for any other test."""
    check = getattr(getattr(item, "callspec", None), "params", {}).get("check")
    return check if callable(getattr(check, "selected", None)) else None
