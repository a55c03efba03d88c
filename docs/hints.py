"""Keeps what the proofs of pages found by searching, a file a page, in proofs/hints.  Nothing but speed rests on it.

Run:  python docs/hints.py NAME...     (of all pages: without a name)
"""

import sys
from pathlib import Path

from sparring.proofs.logic import hints
from sparring.proofs.logic.hints import Hints
from sparring.proofs.logic.queries import Memory
from sparring.proofs.proving import proving
from sparring.spec.core import pages

ROOT = Path(__file__).parents[1]
COLLECTIVES = "sparring.spec.collectives."


def keep(name: str) -> None:
    """Prove a page anew, and keep on which facts its proofs rest and which planted faults they refute."""
    memory = Memory()
    memory.hints = Hints(hints.kept().facts)  # which faults are refuted is looked for anew
    attempts = [*proving.prove(pages.find(name), memory=memory)]
    faults = {hints.theorem(one.algorithm, one.name): one.mutant for one in attempts if one.mutant}
    hints.write(hints.FOLDER / f"{name.removeprefix(COLLECTIVES)}.json", Hints(memory.rested, faults))


if __name__ == "__main__":
    collectives = sorted(file.stem for file in (ROOT / "spec" / "collectives").glob("[a-z]*.py"))
    for name in sys.argv[1:] or [*pages.names(), *(COLLECTIVES + one for one in collectives)]:
        keep(name)
