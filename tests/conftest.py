"""What all tests share: a machine that is busy, with fewer cores than ranks; and work that is done once for all."""

import atexit
import fcntl
import gc
import json
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from sparring.checks.ranks.runtimes import RUNTIMES
from tests import vector_files

settings.register_profile("busy", deadline=None)  # how long an example takes says how busy the machine is
settings.load_profile("busy")
for runtime in RUNTIMES:  # for the ranks that tests start themselves
    for variable, value in runtime.giving_way.items():
        os.environ.setdefault(variable, value)
ROOT = Path(__file__).parents[1]
COMPILED = ROOT / ".pytest_cache/compiled"


def forget_temporary():
    """Remove what was compiled of temporary files, which no later run finds again."""
    compiled = COMPILED.joinpath(*Path(tempfile.gettempdir()).resolve().parts[1:])
    for folder in compiled.iterdir() if compiled.exists() else ():
        if folder.name not in ROOT.parts:
            shutil.rmtree(folder, ignore_errors=True)


if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):  # then each worker, and all that tests start, would compile all anew
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(COMPILED)
    sys.dont_write_bytecode = False
    atexit.register(forget_temporary)
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as a shell's background jobs have it, and all that they start
    signal.signal(signal.SIGINT, signal.default_int_handler)
KNOWN = ROOT / ".hypothesis"  # what hypothesis knows of modules, else read anew by each process
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(KNOWN))
gc.disable()  # until all is collected, which makes many objects and lets go of none


def pytest_collection_finish():
    """Ten thousand tests and all modules stay to the end; nobody need look through them again and again.

    And seldom through what tests make: few of it is in cycles.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


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


@pytest.fixture(scope="session", autouse=True)
def vectors_once(once):
    """Files of test vectors, which take half a minute, are made once for all workers."""
    vector_files.shared[:] = [once]
