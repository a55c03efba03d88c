"""What a rank does to run tests of mpi4py's own suite."""

import importlib
import sys
import unittest
from typing import Any


def names(comm, module):
    """The tests in a module; imports it."""
    modules: Any = sys.modules
    modules["dlpackimpl"] = None  # its deleters, in C, would outlive the rank's modules that they call
    importlib.import_module("arrayimpl")
    tests: Any = unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(module))
    return [test.id() for suite in tests for test in suite]


def judged(comm, module, test):
    """How one test ends on this rank: "ok", "skipped", or the last line of its failure."""
    names(comm, module)
    backends = sys.modules["arrayimpl"].ArrayBackends
    backends[:] = [backend for backend in backends if "GPU" not in backend.__name__]
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromName(test).run(result)
    for _, traceback in result.errors + result.failures:
        return traceback.strip().splitlines()[-1]
    return "skipped" if result.skipped else "ok"
