"""What tests with Coq share: the files of ``proofs/coq``, compiled once in a run."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparring.proofs.coq.check import HERE, Checked, check_file, in_order
from sparring.proofs.kernel.instances import generic
from sparring.proofs.kernel.recompiling import Bench


@pytest.fixture(scope="session")
def compiled(once: Callable[..., tuple[Path, Any]]) -> tuple[Path, list[Checked]]:
    """A folder in which every file of ``proofs/coq`` is compiled, and what check.py said of each."""
    coqc, files = str(shutil.which("coqc")), in_order(sorted(HERE.glob("*.v")))
    folder, rows = once("coq", lambda folder: [check_file(coqc, folder, file) for file in files])
    return folder, [Checked(*row) for row in rows]


@pytest.fixture(scope="session")
def prepared(compiled: tuple[Path, list[Checked]]) -> Callable[[Bench], Bench]:
    """``prepared(bench)`` has what all instances need, compiled, so that the bench compiles what is theirs alone."""
    assert [row.fault for row in compiled[1]] == [None] * len(compiled[1])

    def given(bench: Bench) -> Bench:
        shutil.copytree(compiled[0], bench.room, dirs_exist_ok=True)
        bench.known |= dict.fromkeys(generic().values(), "")
        return bench

    return given
