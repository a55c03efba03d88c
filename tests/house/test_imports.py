"""Importing sparring is light: what is heavy loads when it is used."""

from __future__ import annotations

import json

from tests.house.conftest import python

HEAVY = ("cvc5", "hypothesis", "matplotlib", "mpi4py", "numpy", "sympy", "torch", "z3")


def loaded(script: str) -> list[str]:
    """The heavy packages that a new process has loaded after ``script``, run in the checkout."""
    script += f"\nimport json, sys; print(json.dumps(sorted(set({HEAVY!r}) & set(sys.modules))))"
    done = python("-c", script)
    assert done.returncode == 0, done.stdout
    heavy: list[str] = json.loads(done.stdout.splitlines()[-1])
    return heavy


def test_importing_sparring_is_light():
    """``import sparring`` and a look at its names load no solver, no numpy, no MPI and no plotting."""
    assert loaded("import sparring; dir(sparring)") == []


def test_a_heavy_import_is_seen():
    """The measure sees what is loaded."""
    assert loaded("import sympy") == ["sympy"]
