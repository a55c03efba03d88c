"""Instances in Coq judged again, without the pages that they are about.

What is compiled is this version's own text with the formulas that stand in a certificate, and a
file made here asks on what the theorem rests: a stranger's file is data, and is never run.  Coq is
a third judge: what it does not prove is *not covered* by it, and no less proved by the solvers.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from sparring.errors import InputError
from sparring.proofs.coq.check import CLOSED, NO_COQ, UNPROVED, run
from sparring.proofs.kernel.coq import filled, instance, judgement, read_back
from sparring.proofs.kernel.instances import generic, paths
from sparring.proofs.kernel.manifest import unchanged
from sparring.proofs.logic.verdicts import NOT_COVERED, PROVED, REFUTED, UNDECIDED, Verdict
from sparring.proofs.reading.annotations import Subject

SECONDS = 600
"""For one file; on an idle machine the longest of sparring's own, rabenseifner's agreement, takes 90 s and 2 GB."""
Found = tuple[Verdict, str]
"""A verdict and its detail."""
Instance = tuple[str, Mapping[str, str]]
"""The tactic of a file, and its formulas."""


class Bench:
    """A bench that judges the instances in ``folder``; in the folder ``room`` each text is compiled once.

    ``files``: what the manifest says are the digests of the files that all instances need.
    """

    def __init__(self, files: Mapping[str, str], folder: Path, room: Path) -> None:
        self.folder, self.room, self.coqc = folder, room, shutil.which("coqc")
        self.names: dict[str, str] = {}  # of schedules, by what they say: ring and ring_sparse have one
        self.known: dict[str, str] = {}  # what is wrong, by text
        self.seconds = SECONDS
        self.strange = shared(files, folder)

    def judge(self, entry: Mapping[str, Any]) -> Found:
        """Return the verdict on one theorem's instance."""
        if not entry["files"]:
            return uncovered(entry["uncovered"])
        if self.strange:
            return self.strange
        theorem = entry["theorem"]
        read: list[Instance] = []
        for part, (name, digest) in zip(("schedule", theorem), entry["files"].items()):
            try:
                text = unchanged(self.folder, name, digest)
            except InputError as changed:
                return REFUTED, str(changed)
            if (found := read_back(text, part, entry["algorithm"], entry["kind"])) is None:
                return strange(name, text)
            read.append(found)
        return self.proved(theorem, entry["kind"], *read)

    def of_page(self, entry: Mapping[str, Any], whole: Subject) -> bool:
        """Return whether the files are those that this version writes for the page."""
        texts = instance(whole.page, whole.same)
        named = paths(whole.page.name, entry["theorem"])
        digests = {name: sha256(texts[part].encode()).hexdigest() for part, name in named.items() if part in texts}
        return bool(entry["kind"] == whole.page.kind and entry["files"] == digests)

    def proved(self, theorem: str, kind: str, schedule: Instance, rest: Instance) -> Found:
        """Return whether Coq proves the theorem of these formulas, which are said to be of this kind."""
        if self.coqc is None:
            return uncovered(NO_COQ.rstrip("."))
        name = self.names.setdefault(repr(schedule), f"page{len(self.names)}")
        texts = generic(schedule[0]) | {
            f"{name}_schedule": filled("schedule", name, *schedule, kind),
            f"{name}_{theorem}": filled(theorem, name, *rest, kind),
            f"{name}_{theorem}_judged": judgement(theorem, name, kind),
        }
        fault = next((fault for file, text in texts.items() if (fault := self.fault(file, text))), "")
        return uncovered(fault) if fault else (PROVED, f"Coq {version(self.coqc)}: {CLOSED}")

    def fault(self, name: str, text: str) -> str:
        """Tell what is wrong with the text of that name; empty if nothing is."""
        if text not in self.known:
            (self.room / f"{name}.v").write_text(text, encoding="utf-8")
            code, output = run(str(self.coqc), self.room, f"{name}.v", self.seconds)
            late = f"{name}.v takes more than {self.seconds} s"
            self.known[text] = late if code is None else complaint(name, text, code, output)
        return self.known[text]


def uncovered(why: str) -> Found:
    """Return the verdict where Coq says neither yes nor no."""
    return NOT_COVERED, f"not covered by Coq: {why}"


def shared(files: Mapping[str, str], folder: Path) -> Found | None:
    """Tell what is wrong with the files that every instance needs: they must be this version's own."""
    own = generic()
    for name, digest in files.items():
        try:
            text = unchanged(folder, name, digest)
        except InputError as changed:
            return REFUTED, str(changed)
        if text != own.pop(Path(name).stem, None):
            return strange(name, text)
    return (REFUTED, f"the manifest names no {min(own)}.v, which the instances need") if own else None


def strange(name: str, text: str) -> Found:
    """Return the verdict on a file that this version would not have written."""
    if found := UNPROVED.search(text):
        return REFUTED, f"{name}: {found[0]} leaves something unproved"
    return UNDECIDED, f"{name} is not as this version of sparring writes it; the version that wrote it can judge it"


def complaint(name: str, text: str, code: int, output: str) -> str:
    """Tell which obligation Coq does not prove, and what it says; empty where it proves all, from no assumption."""
    if code:
        line = re.search(r"line (\d+)", output)
        obligation = re.search(r"\(\* (.+) \*\)", text.splitlines()[int(line[1]) - 1]) if line else None
        return f"{obligation[1] if obligation else name}: {' '.join(output.partition('Error:')[2].split())}"
    if name.endswith("_judged") and output.splitlines() != [CLOSED]:
        return f"{name} rests on {' '.join(output.split())}"
    return ""


def version(coqc: str) -> str:
    """Return the version of that coqc."""
    done = subprocess.run([coqc, "--print-version"], timeout=60, text=True, capture_output=True, check=False)
    return done.stdout.partition(" ")[0]
