"""What earlier proofs found is kept and tried first; what is proved does not depend on it."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

import sparring
from sparring.proofs.kernel.kernel import PROOFS
from sparring.proofs.logic import hints, solvers
from sparring.proofs.logic.hints import Hints
from sparring.proofs.logic.queries import Memory
from sparring.proofs.mutants.sites import Planted
from sparring.proofs.proving import proving
from sparring.spec.core import pages
from sparring.spec.core.numbers import Sym

question = solvers.question
x, y = Sym.var("x"), Sym.var("y")


def test_a_file_belongs_to_a_page():
    """A page that is renamed or gone leaves none behind."""
    files = {file.stem for file in hints.FOLDER.glob("*.json")}
    assert len(files) > 30
    for name in files - {*pages.names()}:
        assert sparring.page(f"sparring.spec.collectives.{name}")


def proved(name):
    """Return the verdicts on a page, by theorem, the facts on which they rest, and how many facts z3 was asked with."""
    asked, memory = Counter[int](), Memory()

    def counted(facts, *rest, plain=False):
        asked.update([len(facts)] if plain else [])
        return question(facts, *rest, plain=plain)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(solvers, "question", counted)
        found = {one.name: one.verdict for one in proving.prove(sparring.page(name), planted=False, memory=memory)}
    return found, memory.rested, asked


with_hints = cache(proved)


@pytest.mark.parametrize("name", ["recursive_doubling", "recursive_multiplying"])
def test_hints_are_todays(name):
    """Of a page of bits and one of digits; docs/hints.py keeps them anew."""
    found, rested, asked = with_hints(name)
    assert found["deadlock"] in PROOFS and rested == hints.read(hints.FOLDER / f"{name}.json").facts
    assert asked >= Counter(map(len, rested.values()))


def test_no_verdict_rests_on_a_hint(monkeypatch):
    """Without hints z3 is asked with all facts, and says the same."""
    found, rested, _ = with_hints("recursive_doubling")
    monkeypatch.setattr(hints, "kept", Hints)
    again, _, asked = proved("recursive_doubling")
    assert again == found and not asked >= Counter(map(len, rested.values()))


def confirmed(name, kept, memory):
    """Return which planted faults confirm the theorems of a page, and how many faults were read on symbols for that.

    ``memory``: what solvers have said so far; it does not depend on what is planted first.
    """
    read = Counter[str]()
    memory.hints = kept
    with pytest.MonkeyPatch.context() as patched:
        conjecture = Planted.conjecture
        patched.setattr(Planted, "conjecture", lambda self, name: read.update([name]) or conjecture(self, name))
        found = {hints.theorem(name, one.name): one.mutant for one in proving.prove(sparring.page(name), memory=memory)}
    return {theorem: mutant for theorem, mutant in found.items() if mutant}, read.total()


@pytest.mark.parametrize("name", ["arc_top_k", "ring_sparse"])
def test_the_fault_that_was_refuted_is_planted_first(name):
    """Of a composition and a page of formulas: the same faults are told, and next to no others are tried."""
    kept, memory = hints.read(hints.FOLDER / f"{name}.json"), Memory()
    (first, few), (searched, many) = (confirmed(name, known, memory) for known in (kept, Hints()))
    assert first == searched == kept.faults and few < many / 3
    theorem, other = f"{name} result", f"{name} deadlock"
    for wrong in ("line 1, program: no such fault", kept.faults[other]):
        found, _ = confirmed(name, Hints(faults=kept.faults | {theorem: wrong}), memory)
        assert {**found, theorem: ""} == {**searched, theorem: ""} and found[theorem]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ((x < y, x + 1 <= y), (x < y, x + 1 <= y), True),
        ((x < y, x + 1 <= y), (y < x, x + 1 <= y), False),
        ((x < y, x + 1 <= y), (x < y, x + 2 <= y), False),
        ((x < y, x + 1 <= y), (x + 1 <= y, x < y), False),
        ((x - 1 < y,), (x - y < 1,), False),
    ],
)
def test_a_digest_is_of_what_is_written(one, other, same):
    """In another order or with another number it is another obligation."""
    assert (hints.Digests().of(one, "bits") == hints.Digests().of(other, "bits")) is same
    assert hints.Digests().of(one, "bits") != hints.Digests().of(one, "digits")
