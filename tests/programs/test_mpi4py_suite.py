"""mpi4py's own tests in the simulated world, but for a strict list of those that cannot pass, each with its reason.

They come with mpi4py's source: ``SPARRING_MPI4PY_TESTS`` names the folder ``test`` of release 4.1.2, unpacked;
``nox -s mpi4py_suite`` fetches it.
"""

import os
import re
import warnings
from fnmatch import fnmatch
from pathlib import Path

import pytest

from sparring import world
from sparring.world import Kind

RELEASE = "4.1.2"
FOLDER = Path(os.environ.get("SPARRING_MPI4PY_TESTS", ""))
SUITE = Path(__file__).with_name("mpi4py_suite.py")
MODULES = sorted(path.stem for path in FOLDER.glob("test_*.py")) if FOLDER.name else []
ABSENT = {
    "windows, files, sessions": "attributes datatype exceptions file handle io objmodel win",
    "MPI.Info": "cffi ctypes info",
    "MPI.buffer": "buffer doc",
    "processes that are started": "dynproc spawn",
    "mpi4py.util, which sends pickles": "util_dtlib util_pkl5 util_pool util_sync",
    "graphs of ranks": "subclass",
    "threads": "threads",
    "attributes of the environment": "environ",
    "mpi4py's own files": "mpiapi package",
}
"""Modules that ask for these when they are imported, so that none of their tests can run."""
REASONS = {
    "addresses of memory": "test_address.* test_cco_*_vec.*Bottom test_cco_vec.*Bottom test_msgspec.*Bottom "
    "test_comm.*.testBuffering",
    "communicators between groups": "test_cco_*_inter.* test_comm_inter.*",
    "neighbours in graphs of ranks": "test_cco_ngh_*.* test_cco_pr_ngh_buf.*",
    "MPI.Info": "test_comm.*Info test_comm.*.testPyProps",
    "constructors of communicators from what is none": "test_comm.TestCommNull.testConstructor",
    "a null communicator's name": "test_comm.TestCommNull.testGetName",
    "what belongs to a rank is not pickled, nor are predefined handles copied": "test_comm.*.testPickle "
    "test_group.*.testPickle test_p2p_buf_matched.*.testPickle test_op.*.testPickle*",
    "topologies other than grids, and maps of grids": "test_comm_topo.*",
    "error handlers, which change nothing here": "test_errhandler.*",
    "error classes of one's own, and texts of errors": "test_errorcode.*",
    "generalized requests": "test_grequest.*",
    "the binary interface": "test_mpiabi.*",
    "memory of GPUs": "test_msgspec.*CAIBuf*",
    "windows of memory": "test_msgspec.TestMessageRMA.*",
    "MPI.buffer": "test_msgspec.*.testBuffer",
    "codes that only numpy knows are taken": "test_msgspec.*.testMessageBad",
    "memory given to an operation takes bytes alone": "test_op.TestOp.testCreate",
    "there may be any number of operations": "test_op.TestOp.testCreateMany",
    "handles as numbers": "test_p2p_buf.*.testConstructor",
    "messages from nobody are all the same": "test_p2p_*_matched.TestMessage.testMessageNoProc",
    "mpi4py's inner locks": "test_p2p_obj.*.testCommLock",
    "MPI.pickle: objects travel without pickle": "test_p2p_obj.*.testMixed test_pickle.*",
    "no warning for the old argument buf": "test_p2p_obj.*.testRecvObjArg",
    "packing": "test_pack.*",
    "a status as bytes": "test_status.TestStatus.testToMemory",
    "mpi4py's configuration": "test_toplevel.*",
    "faults of processes": "test_ulfm.*",
}
"""What the world does not have, and the tests that need it."""
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not MODULES, reason="SPARRING_MPI4PY_TESTS names no folder with mpi4py's tests"),
]


@pytest.fixture(autouse=True)
def suite(monkeypatch):
    """The suite can be imported, and is the release that the list was made for."""
    monkeypatch.syspath_prepend(str(FOLDER))
    assert f'__version__ = "{RELEASE}"' in (FOLDER.parent / "src" / "mpi4py" / "__init__.py").read_text()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def run(function, p, *arguments):
    own = ["mpiunittest", "mpitestutil", "arrayimpl", *MODULES]
    return world.run(f"{SUITE}:{function}", p, *([value] * p for value in arguments), modules=own, budget=200_000)


def absent(module):
    return any(module.removeprefix("test_") in names.split() for names in ABSENT.values())


def expected(test):
    return [pattern for patterns in REASONS.values() for pattern in patterns.split() if fnmatch(test, pattern)]


def passes(p, module, test):
    """Whether all ranks say so; requests that tests leave open do not count."""
    outcome = run("judged", p, module, test)
    flaws = [finding for finding in outcome.findings if finding.kind is not Kind.INCOMPLETE]
    return not flaws and all(said in ("ok", "skipped") for said in outcome.results)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize("module", [module for module in MODULES if not absent(module)])
def test_the_tests_of_a_module_pass_but_for_those_in_the_list(module, p):
    """And those in the list do not all pass: no entry is out of date."""
    tests = run("names", 1, module).raise_if_found().results[0]
    failed = {test for test in tests if not passes(p, module, test)}
    assert {test for test in failed if not expected(test)} == set()
    listed = {pattern for test in tests for pattern in expected(test)}
    assert p != 2 or {pattern for test in failed for pattern in expected(test)} == listed


@pytest.mark.parametrize("module", [module for module in MODULES if absent(module)])
def test_a_module_that_cannot_be_imported_is_refused_by_name(module):
    """Else it belongs to the others."""
    (finding,) = run("names", 1, module).findings
    assert finding.kind in (Kind.UNSUPPORTED, Kind.RAISED)
    assert finding.kind is Kind.RAISED or re.search(r"does not know \w+(\.\w+)*; .*--on mpi", finding.text)
