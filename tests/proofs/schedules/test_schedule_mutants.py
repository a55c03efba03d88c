"""Every small fault in a stranger's file is found, but for those that a second interpreter finds harmless."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from sparring import InputError
from sparring.proofs.schedules import msccl
from tests.proofs.schedules.programs import Interpreter, changed, judge

FIELDS = ("op", "src", "dst", "count", "after", "awaited")
OTHER = {"rrc": "r", "rrcs": "rcs", "r": "rrc", "rcs": "rrcs"}
"""What adds puts instead, and the other way round."""


def changes(step):
    """One fault each: nothing done, no wait, one place further, added or not."""
    if step.op != "nop":
        yield {"op": "nop", "src": None, "dst": None, "count": 0}
    if step.after:
        yield {"after": None}
    yield from ({end: (place[0], place[1] + 1)} for end in ("src", "dst") if (place := getattr(step, end)))
    if step.op in OTHER:
        yield {"op": OTHER[step.op], "src": step.dst if "rr" in OTHER[step.op] else None}


def mutants(whole):
    """The program with one fault each: those, and two neighbours swapped; what is no program is left out."""
    for r, rank in enumerate(whole.ranks):
        for block in rank.blocks:
            for s, step in enumerate(block.steps):
                for new in changes(step):
                    with suppress(InputError):
                        yield changed(whole, r, block.id, s, **new)
                if s + 1 < len(block.steps):
                    first, second = ({k: getattr(x, k) for k in FIELDS} for x in (step, block.steps[s + 1]))
                    yield changed(changed(whole, r, block.id, s, **second), r, block.id, s + 1, **first)


def test_mutants_are_found_or_harmless():
    """Of an allgather: what is not found has the right result in every order tried; most are found."""
    whole = msccl.read((Path(__file__).parent / "samples" / "allgather_recursive_doubling_8.xml").read_bytes())
    found, harmless = 0, 0
    for mutant in mutants(whole):
        if mutant == whole:
            continue
        try:
            one = judge(mutant)
        except InputError:
            found += 1
            continue
        bad = one.wrong != [] or one.races != [] or one.depth is None or [*one.unmatched] != []
        found += bad
        if not bad:
            harmless += 1
            for seed in range(2):
                interpreter = Interpreter(mutant)
                assert interpreter.run(seed)
                assert all(
                    interpreter.cells[one.places.cell(r, "o", c)] == {(c, c): 1} for r in range(8) for c in range(8)
                )
    assert found > 3 * harmless > 0
