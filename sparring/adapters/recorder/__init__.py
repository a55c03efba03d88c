"""A recorder for MPI programs in any language: a small library in C, compiled where it is needed.

It is loaded before the program's own libraries and notes what is sent: ``docs/reference/trace.md`` has the form.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from sparring.errors import InputError, MissingExtra

SOURCE = Path(__file__).with_name("pmpi.c")
FOLDER = "SPARRING_TRACE"
"""The environment variable that says where ranks write their files."""


def built(folder: Path) -> Path:
    """Compile the library into ``folder``, with the ``mpicc`` on PATH, else with that beside this Python.

    Raises MissingExtra where there is none, InputError where it fails.
    """
    compiler = shutil.which("mpicc") or shutil.which("mpicc", path=Path(sys.executable).parent)
    if compiler is None:
        raise MissingExtra('no mpicc on PATH or beside this Python; to install one: pip install "sparring[mpich]"')
    library = folder / "recorder.so"
    command = [compiler, "-shared", "-fPIC", "-O2", "-o", str(library), str(SOURCE), "-ldl", "-lpthread"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        raise InputError(f"{' '.join(command)} ended with exit code {done.returncode}: {last}")
    return library


def environment(library: Path, folder: Path) -> dict[str, str]:
    """Return the variables with which a program's ranks write their traces to ``folder``."""
    others = os.environ.get("LD_PRELOAD", "")
    return {"LD_PRELOAD": f"{library}:{others}".rstrip(":"), FOLDER: str(folder)}
