"""What all tests share: a machine that is busy, with fewer cores than ranks; and work that is done once for all."""

import fcntl
import json
import os

import pytest
from hypothesis import settings

from sparring.checks.runtimes import MPICH

settings.register_profile("busy", deadline=None)  # how long an example takes says how busy the machine is
settings.load_profile("busy")
for variable, value in MPICH.giving_way.items():  # for the ranks that tests start themselves
    os.environ.setdefault(variable, value)


@pytest.fixture(scope="session")
def once(tmp_path_factory):
    """``once(name, make)``: a folder of that name and what ``make(folder)`` returned, something that JSON knows.

    It is called once in a run, however many workers of xdist there are: the others wait and take what it made.
    """
    own = tmp_path_factory.getbasetemp()
    top = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    def shared(name, make):
        folder, told = top / name, top / f"{name}.json"
        with (top / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not told.exists():
                folder.mkdir()
                told.write_text(json.dumps(make(folder)), encoding="utf-8")
        return folder, json.loads(told.read_text(encoding="utf-8"))

    return shared
