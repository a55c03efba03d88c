"""Check the Coq files of this folder: ``python proofs/coq/check.py``.

A file holds when ``coqc`` accepts it without a warning, its text leaves nothing unproved, and
every theorem in it is printed at its end as resting on no assumption.  A plain script, without
imports from sparring, so that it runs wherever Coq does.

Exit codes: 0 every file holds, 1 some file does not, 2 there is no ``coqc``.
"""

from __future__ import annotations

import graphlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
TIMEOUT = 120  # seconds a file
NO_COQ = "coqc is not installed: apt-get install coq (8.16 or later) brings it."
CLOSED = "Closed under the global context"
UNPROVED = re.compile(r"\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjectures?)\b")
THEOREM = re.compile(r"^\s*(?:Theorem|Corollary)\s+(\w+)", re.MULTILINE)
REQUIRED = re.compile(r"^Require Import (.*)\.$", re.MULTILINE)
PRINTED = re.compile(r"^Print Assumptions (\w+)\.$", re.MULTILINE)


class Checked(NamedTuple):
    """One file: its theorems, how long ``coqc`` took, and what is wrong with it (None: it holds)."""

    file: str
    theorems: list[str]
    seconds: float
    fault: str | None


class NoCoq(Exception):
    """There is no ``coqc``."""


def check(files: Iterable[Path]) -> list[Checked]:
    """Check each file, after those that it requires; raises NoCoq where ``coqc`` is absent."""
    coqc = shutil.which("coqc")
    if coqc is None:
        raise NoCoq(NO_COQ)
    with tempfile.TemporaryDirectory() as folder:
        return [check_file(coqc, Path(folder), file) for file in in_order(files)]


def in_order(files: Iterable[Path]) -> list[Path]:
    """The files, each after those that it requires; raises graphlib.CycleError if none can be first."""
    by_name = {file.stem: file for file in files}
    required = {name: " ".join(REQUIRED.findall(read(file))).split() for name, file in by_name.items()}
    return [by_name[name] for name in graphlib.TopologicalSorter(required).static_order() if name in by_name]


def read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def check_file(coqc: str, folder: Path, file: Path) -> Checked:
    """Read the file, then compile it in ``folder``, where the files that it requires are compiled already."""
    text, begun = read(file), time.perf_counter()
    fault = fault_in_text(text) or fault_in_output(*compiled(coqc, folder, file), THEOREM.findall(text))
    return Checked(file.name, THEOREM.findall(text), time.perf_counter() - begun, fault)


def fault_in_text(text: str) -> str | None:
    """A word that leaves something unproved, or a theorem whose assumptions are not printed."""
    if found := UNPROVED.search(text):
        return f"line {text.count(chr(10), 0, found.start()) + 1}: {found[0]} leaves something unproved"
    theorems, printed = THEOREM.findall(text), PRINTED.findall(text)
    if not theorems:
        return "no theorem in it"
    if theorems != printed:
        missing = sorted(set(theorems) ^ set(printed)) or theorems
        return f"Print Assumptions must stand once for each theorem, in their order: see {', '.join(missing)}"
    return None


def compiled(coqc: str, folder: Path, file: Path) -> tuple[int | None, str]:
    """What ``coqc`` returned (None: it took too long), and what it printed or, if it failed, complained."""
    shutil.copy(file, folder)
    return run(coqc, folder, file.name)


def run(coqc: str, folder: Path, name: str, timeout: float | None = None) -> tuple[int | None, str]:
    """The same of a file that lies in ``folder``; after ``timeout`` seconds it is killed with all that it started."""
    command = [coqc, "-q", "-w", "+default", name]  # no user's settings; every warning is an error
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as job:
        try:
            out, err = job.communicate(timeout=timeout or TIMEOUT)
        except BaseException as stopped:  # Ctrl-C does not reach a session of its own
            os.killpg(job.pid, signal.SIGKILL)
            if isinstance(stopped, subprocess.TimeoutExpired):
                return None, ""
            raise
    return job.returncode, err if job.returncode else out


def fault_in_output(code: int | None, output: str, theorems: list[str]) -> str | None:
    """A timeout, an error, or a theorem that rests on something."""
    if code is None:
        return f"coqc took more than {TIMEOUT} s"
    if code:
        return output.strip()
    if output.splitlines() != [CLOSED] * len(theorems):
        return f"a theorem rests on assumptions:\n{output.strip()}"
    return None


def main() -> int:
    """Print a table; return the exit code."""
    try:
        rows = check(sorted(HERE.glob("*.v")))
    except NoCoq as absent:
        sys.stderr.write(f"{absent}\n")
        return 2
    sys.stdout.write("file          theorems  seconds  verdict\n")
    for row in rows:
        verdict = f"refused: {row.fault}" if row.fault else "holds"
        sys.stdout.write(f"{row.file:<14}{len(row.theorems):>8}{row.seconds:>9.1f}  {verdict}\n")
    return 1 if any(row.fault for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
