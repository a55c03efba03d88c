"""Every obligation of a page of formulas has a fault of its own, generated from the page's source."""

from collections.abc import Iterable

import pytest

import sparring
from sparring.proofs.core import kernel
from sparring.proofs.core.conjectures import conjectures
from sparring.proofs.core.questions import Memory
from sparring.proofs.core.supplement import subject
from sparring.proofs.core.verdicts import UNDECIDED
from sparring.proofs.mutants.faults import Faults

QUICK = {"ring_allgather": "", "ring_sparse": "sizes", "flash": "contention"}
"""A page of formulas, one of pieces and one of exchanges, and the theorem that is looked at alone; "": all are."""
SLOW = [pytest.mark.slow, pytest.mark.timeout(1200)]
BY_CONSTRUCTION = {
    "wanted somewhere": "what a standard kind wants is no formula of the page",
    "live": "where the page vouches for all of its cells",
    "chunk in range": "where there is one chunk",
    "live, each message": "the same, of several messages",
    "overwritten once": "where every step adds",
    "disjoint": "where no step adds",
    "port out: one message a step": "each rank has a port of its own",
    "port out: a rank in common": "the same",
    "port in: a rank in common": "the same",
    "link from a rank: one message a step": "and a link",
    "nothing else is sent": "where texts only fill a vector: what was not there is nothing then",
}
"""Obligations that no fault has to refute, and where."""
ARITHMETIC = {
    "volume": {"which is e entries long"},
    "claim: error": {"a code is within half a step", "errors add up", "ranges add up", "what is read is in range",
                     "both steps"},
}  # fmt: skip
"""By theorem, steps of an argument in which no formula of the page stands."""


@pytest.mark.parametrize(
    ("name", "theorem"),
    [*QUICK.items(), *(pytest.param(name, "", marks=SLOW) for name in sparring.pages() if QUICK.get(name, "all"))],
)
def test_each_obligation_is_refuted_for_some_fault(name, theorem):
    """By the solver, with one change of a source; what holds by construction, or is arithmetic, is on a short list."""
    whole = subject(sparring.page(name))
    faults = Faults(whole, Memory())
    left = {
        f"{conjecture.name}: {obligation}"
        for conjecture in conjectures(whole.general, theorem) if not conjecture.contended
        for obligation in {one.name for one in conjecture.obligations} - faults.refuting(conjecture)[0].keys()
        if not excepted(obligation, (*BY_CONSTRUCTION, *ARITHMETIC.get(conjecture.name, ())))
    }  # fmt: skip

    assert left == set()


def excepted(obligation: str, names: Iterable[str]) -> bool:
    """Whether it is one of these, maybe of an exchange's page, or another one of the same name."""
    plain = obligation.partition(" (")[0]
    return any(plain == name or plain.endswith(f": {name}") for name in names)


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
