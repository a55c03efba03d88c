"""check.py accepts Coq files that prove what they say, and refuses what leaves something unproved."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sparring.proofs.coq.check import HERE, Checked, check, check_file
from tests.proofs.test_coq import COQC, needs_coq, replaced

# A small file that holds; the planted faults below are changes to it.
SMALL = """\
Section Twin.
Variable n : nat.
Hypothesis n_is_zero : n = 0.
(* Section hypotheses become premises: nothing stays assumed, and admittance is another word. *)
Theorem n_plus_n : n + n = 0.
Proof. rewrite n_is_zero. reflexivity. Qed.
End Twin.
Print Assumptions n_plus_n.
"""


def planted(folder: Path, text: str) -> Checked:
    """What check.py says of a file with that text in ``folder``."""
    file = folder / "planted" / "planted.v"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return check_file(str(COQC), folder, file)


def script(folder: Path, **env: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of check.py, called as a script in ``folder``."""
    done = subprocess.run(
        [sys.executable, folder / "check.py"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={"PATH": os.environ["PATH"], **env},
    )
    return done.returncode, done.stdout, done.stderr


@needs_coq
def test_the_script_accepts_and_refuses(tmp_path):
    """Called as a script, check.py prints a table of the files beside it; its exit code is 0 if all hold, else 1."""
    shutil.copy(HERE / "check.py", tmp_path)
    (tmp_path / "small.v").write_text(SMALL, encoding="utf-8")
    code, out, err = script(tmp_path)
    assert (code, err) == (0, "")
    assert re.fullmatch(r"file +theorems  seconds  verdict\nsmall\.v +1 +\d\.\d  holds\n", out)

    (tmp_path / "bad.v").write_text(replaced(SMALL, "reflexivity. Qed.", "Admitted."), encoding="utf-8")
    code, out, err = script(tmp_path)
    assert (code, err) == (1, "")
    assert re.search(r"\nbad\.v +1 +0\.0  refused: line 6: Admitted leaves something unproved\n", out)
    assert re.search(r"\nsmall\.v +1 +\d\.\d  holds\n", out)


def test_without_coq_the_script_says_so(tmp_path):
    """Where there is no coqc, check.py gives one sentence and exits with 2."""
    said = "coqc is not installed: apt-get install coq (8.16 or later) brings it.\n"
    assert script(HERE, PATH=str(tmp_path)) == (2, "", said)


@needs_coq
def test_a_file_may_require_another(tmp_path):
    """A file is compiled after those that it requires, whatever its name; what it requires must be there."""
    first, second = tmp_path / "b.v", tmp_path / "a.v"
    first.write_text(SMALL, encoding="utf-8")
    second.write_text("Require Import b.\n" + SMALL.replace("n_plus_n", "again"), encoding="utf-8")
    assert [(row.file, row.fault) for row in check([second, first])] == [("b.v", None), ("a.v", None)]
    assert "Cannot find a physical path" in (check([second])[0].fault or "it holds")


@needs_coq
def test_a_proved_file_holds(tmp_path):
    """The correct twin of the planted faults passes."""
    row = planted(tmp_path, SMALL)
    assert (row.file, row.theorems, row.fault) == ("planted.v", ["n_plus_n"], None)


BORROWED = """\
Require Import FunctionalExtensionality.
Theorem same (f g : nat -> nat) : (forall n, f n = g n) -> f = g.
Proof. apply functional_extensionality. Qed.
Print Assumptions same.
"""
UNGUARDED = """\
Unset Guard Checking.
Fixpoint no (n : nat) : False := no n.
Set Guard Checking.
Theorem absurd : False.
Proof. exact (no 0). Qed.
Print Assumptions absurd.
"""
IN_A_COMMENT = "(*\nPrint Assumptions n_plus_n.\n*)"

# A change to SMALL, and what check.py says of it.
FAULTS = {
    "an admitted theorem": ("reflexivity. Qed.", "Admitted.", "line 6: Admitted leaves something unproved"),
    "an admitted step": ("reflexivity. Qed.", "admit. Qed.", "line 6: admit leaves something unproved"),
    "an axiom": ("Hypothesis n_is", "Axiom n_is", "line 3: Axiom leaves something unproved"),
    "a borrowed axiom": ("Section Twin.", f"{BORROWED}Section Twin.", "functional_extensionality_dep"),
    "an open hypothesis": ("Section Twin.", "Hypothesis no : False.\nSection Twin.", "local-declaration"),
    "an unguarded fixpoint": ("Section Twin.", f"{UNGUARDED}Section Twin.", "no is assumed to be guarded"),
    "a wrong proof": ("n + n = 0", "n + n = 1", "Unable to unify"),
    "a theorem that is not printed": ("Print Assumptions n_plus_n.", "", "Print Assumptions must stand once"),
    "printed in a comment": ("Print Assumptions n_plus_n.", IN_A_COMMENT, "a theorem rests on assumptions"),
    "no theorem": (SMALL, "", "no theorem in it"),
}


@needs_coq
@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_refused(fault, tmp_path):
    """Whatever leaves a theorem unproved or resting on an assumption is refused by name."""
    old, new, said = FAULTS[fault]
    assert said in (planted(tmp_path, replaced(SMALL, old, new)).fault or "the file holds")
