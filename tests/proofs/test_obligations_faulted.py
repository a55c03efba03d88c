"""Every obligation of a page of formulas has a fault of its own, generated from the page's source."""

import pytest

import sparring
from sparring.proofs.core import kernel
from sparring.proofs.core.conjectures import conjectures
from sparring.proofs.core.questions import Memory
from sparring.proofs.core.supplement import subject
from sparring.proofs.core.verdicts import UNDECIDED
from sparring.proofs.mutants.faults import Faults

QUICK = "ring_allgather"
SLOW = [pytest.mark.slow, pytest.mark.timeout(600)]
BY_CONSTRUCTION = {
    "wanted somewhere": "what a standard kind wants is no formula of the page",
    "live": "where the page vouches for all of its cells",
    "chunk in range": "where there is one chunk",
    "live, each message": "the same, of several messages",
    "overwritten once": "where every step adds",
    "disjoint": "where no step adds",
    "port out: one message a step": "each rank has a port of its own",
    "link from a rank: one message a step": "and a link",
}
"""Obligations that no fault has to refute, and where."""


@pytest.mark.parametrize("name", [QUICK, *(pytest.param(n, marks=SLOW) for n in ("ring", "two_shot"))])
def test_each_obligation_is_refuted_for_some_fault(name):
    """By the solver, on the page's own source with one change; what holds by construction is on a short list."""
    whole = subject(sparring.page(name))
    faults = Faults(whole, Memory())
    for conjecture in conjectures(whole.general):
        found, left = faults.refuting(conjecture) if not conjecture.contended else ({}, [])

        assert left == [], conjecture.name
        if not conjecture.contended:
            assert {one.name for one in conjecture.obligations} - found.keys() <= BY_CONSTRUCTION.keys()


PAGE = """\
from sparring.proofs.core.obligations import Obligation, p, r, t, during
from sparring.spec.ring import adds, chunk, dst, holds, src, steps


def peers(page):
    yield Obligation({told!r}, during(page), {claim})
"""
CLAIMS = {
    "page.dst(r, t, p) == (r + 1) % p": True,
    "True": False,
    "p * 1 == p": False,
    "page.dst(r, t, p) == page.dst(r, t, p)": False,
    "page.dst(r, t, p) < p": True,
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_what_a_page_states_itself_needs_faults(claim, tmp_path):
    """A trivial obligation borrows no sentence: nothing refutes it."""
    (tmp_path / "mine.py").write_text(PAGE.format(told="mine", claim=claim))
    page = sparring.page(f"{tmp_path}/mine.py")
    (attempt,) = (a for a in kernel.prove(page) if a.name == "peers")

    assert isinstance(attempt, kernel.Theorem) == CLAIMS[claim]
    assert CLAIMS[claim] or (attempt.verdict, attempt.detail) == (UNDECIDED, f"mine: {kernel.NO_FAULT}")
