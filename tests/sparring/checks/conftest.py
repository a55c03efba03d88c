"""What the tests of checks share."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from sparring.checks import engine
from sparring.checks.ranks import group, launch


@pytest.fixture
def launcher():
    """The launcher, for tests that start real ranks."""
    if launch.find() is None:
        pytest.skip("no mpiexec installed")
    return launch.launcher()


@pytest.fixture(scope="module")
def ranks():
    """Four real ranks that serve many examples."""
    with group.Group(4) as four:
        yield four


@pytest.fixture
def gone():
    """Waits up to five seconds for processes to end; returns those that live on."""

    def wait(pids):
        assert pids, "no process to wait for"
        end = time.monotonic() + 5
        while (alive := set(pids) & set(launch.processes())) and time.monotonic() < end:
            time.sleep(0.05)
        return alive

    return wait


@pytest.fixture
def unshrunk(monkeypatch):
    """For tests of what is found false, not of how small an example shows it."""
    monkeypatch.setattr(engine, "SHRINKING", 0.0)


@pytest.fixture
def target(tmp_path, monkeypatch):
    """Writes the source of a target; reproducers go to a folder that is thrown away."""
    monkeypatch.chdir(tmp_path)

    def written(source, name="allreduce"):
        (tmp_path / "mine.py").write_text(source, encoding="utf-8")
        return f"mine.py:{name}"

    return written


@pytest.fixture
def project(tmp_path):
    """A user's folder; runs pytest on a file of tests in it, under mpiexec where ``ranks`` are given."""

    def run(tests, *args, ranks=0):
        (tmp_path / "test_mine.py").write_text(tests, encoding="utf-8")
        plugin = [] if installed() else ["-p", "sparring.pytest_plugin"]
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", *plugin, *args, str(tmp_path)]
        if ranks:
            return launch.run(["env", f"--chdir={tmp_path}", *command], ranks, timeout=110)
        return subprocess.run(command, capture_output=True, text=True, timeout=110, check=False, cwd=tmp_path)

    return run


def installed() -> bool:
    """Whether an installed sparring brings the plugin by its entry point."""
    from importlib.metadata import entry_points

    return any(e.value == "sparring.pytest_plugin" for e in entry_points(group="pytest11"))
