"""What the launching tests share."""

from __future__ import annotations

import time

import pytest

from sparring.checks import engine, launch


@pytest.fixture
def launcher():
    """The launcher, for tests that start real ranks."""
    if launch.find() is None:
        pytest.skip("no mpiexec installed")
    return launch.launcher()


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
