"""Everything but MPI: Python, sparring itself, its links, solvers and libraries, Coq."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from sparring.checks.doctor.checks import FAULT, OK, WARNING, Check, Done

LOWEST = (3, 11)
ROOMS = ("spec", "impl", "proofs")


class Part(NamedTuple):
    """A package that sparring needs: how it is installed, a small question, and the right answer."""

    distribution: str
    question: str
    answer: str


Z3 = """
import z3
x, solver = z3.Int("x"), z3.Solver()
solver.add(2 * x > 6, x < 5)
first = solver.check()
solver.add(x != 4)
print(first, solver.check())
"""
CVC5 = """
import cvc5
terms = cvc5.TermManager()
solver = cvc5.Solver(terms)
solver.setLogic("QF_LIA")
solver.setOption("incremental", "true")
x = terms.mkConst(terms.getIntegerSort(), "x")
two, four, five, six = map(terms.mkInteger, (2, 4, 5, 6))
solver.assertFormula(terms.mkTerm(cvc5.Kind.GT, terms.mkTerm(cvc5.Kind.MULT, two, x), six))
solver.assertFormula(terms.mkTerm(cvc5.Kind.LT, x, five))
first = solver.checkSat()
solver.assertFormula(terms.mkTerm(cvc5.Kind.DISTINCT, x, four))
print(first, solver.checkSat())
"""
PARTS: Mapping[str, Part] = {
    "z3": Part("z3-solver", Z3, "sat unsat"),
    "cvc5": Part("cvc5", CVC5, "sat unsat"),
    "numpy": Part("numpy", "import numpy as np; print((np.arange(3.0) + 1).tolist())", "[1.0, 2.0, 3.0]"),
    "sympy": Part("sympy", "import sympy; print(sympy.floor(sympy.Rational(7, 2)))", "3"),
    "greenlet": Part("greenlet", "import greenlet; print(greenlet.greenlet(lambda: 7).switch())", "7"),
    "mpi4py": Part("mpi4py", "import mpi4py; print(mpi4py.__name__)", "mpi4py"),
}
"""The parts that must answer.  Solvers are asked for an integer x with 2x > 6 and x < 5, then for one not 4."""


def python(version: tuple[int, ...], executable: str) -> Check:
    """Check that this Python is recent enough."""
    told = f"{'.'.join(map(str, version))}, {executable}"
    if version >= LOWEST:
        return Check("Python", OK, told)
    return Check("Python", FAULT, told, f"use Python {'.'.join(map(str, LOWEST))} or newer")


def package(version: str | None, folder: Path) -> Check:
    """Check that sparring is installed, and say which files run."""
    if version:
        return Check("sparring", OK, f"{version}, {folder}")
    return Check("sparring", WARNING, f"runs from {folder} without being installed", f"pip install -e {folder.parent}")


def links(folder: Path) -> Check:
    """Check that spec, impl and proofs are packages of sparring: links in a checkout, folders when installed."""
    lost = [room for room in ROOMS if not (folder / room / "__init__.py").is_file()]
    if not lost:
        kind = "links" if (folder / ROOMS[0]).is_symlink() else "folders"
        return Check("links", OK, f"spec, impl and proofs are {kind}")
    first = folder / lost[0]
    what = "a text file" if first.is_file() else "a folder without __init__.py" if first.is_dir() else "missing"
    return Check(
        "links",
        FAULT,
        f"{first} is {what}: this checkout lost its symbolic links",
        "git config core.symlinks true && git checkout -- sparring",
    )


def check_part(name: str, version: str | None, done: Done, timeout: float) -> Check:
    """Check that one of PARTS is installed and has given the right answer."""
    distribution, _, answer = PARTS[name]
    if version is None:
        return Check(name, FAULT, "not installed", f"pip install {distribution}")
    why = done.failure(timeout) or ("" if done.last == answer else f"answered {done.last!r}, not {answer!r}")
    if why:
        again = f"pip install --force-reinstall {distribution}=={version}"
        return Check(name, FAULT, f"{version}, {why}", again)
    return Check(name, OK, f"{version}, answers")


def coq(path: str | None) -> Check:
    """Say whether there is a Coq to check proofs with; nothing else needs it."""
    return Check("Coq", OK, path or "no coqc: only proofs/coq/check.py and prove --recheck would use it")
