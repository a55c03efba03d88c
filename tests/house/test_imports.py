"""Importing sparring is light: what is heavy loads when it is used."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
HEAVY = ("cvc5", "hypothesis", "matplotlib", "mpi4py", "numpy", "sympy", "torch", "z3")


def loaded(script: str) -> list[str]:
    """The heavy packages that a new process has loaded after ``script``, run in the checkout."""
    script += f"\nimport json, sys; print(json.dumps(sorted(set({HEAVY!r}) & set(sys.modules))))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    heavy: list[str] = json.loads(done.stdout.splitlines()[-1])
    return heavy


def test_importing_sparring_is_light():
    """``import sparring`` and a look at its names load no solver, no numpy, no MPI and no plotting."""
    assert loaded("import sparring; dir(sparring)") == []


def test_a_heavy_import_is_seen():
    """The measure sees what is loaded."""
    assert loaded("import sympy") == ["sympy"]
