"""Keeps which facts the proofs of pages rest on, a file a page, in proofs/hints.  Nothing but speed rests on them.

Run:  python docs/hints.py NAME...     (of all pages: without a name)
"""

import sys
from pathlib import Path

from sparring.proofs.logic import hints
from sparring.proofs.logic.queries import Memory
from sparring.proofs.proving import proving
from sparring.spec.core import pages

ROOT = Path(__file__).parents[1]
COLLECTIVES = "sparring.spec.collectives."


def keep(name: str) -> None:
    """Prove a page anew and keep the facts that it rests on, if it needed any."""
    memory = Memory()
    for _ in proving.prove(pages.find(name), memory=memory):
        pass
    if memory.rested:
        hints.write(ROOT / "proofs" / "hints" / f"{name.removeprefix(COLLECTIVES)}.json", memory.rested)


if __name__ == "__main__":
    collectives = sorted(file.stem for file in (ROOT / "spec" / "collectives").glob("[a-z]*.py"))
    for name in sys.argv[1:] or [*pages.names(), *(COLLECTIVES + one for one in collectives)]:
        keep(name)
