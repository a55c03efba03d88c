"""What is proved of the sparse ring's messages, and that planted faults in their sizes are refuted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparring.proofs.core.conjectures import conjectures
from sparring.proofs.core.kernel import judge
from sparring.proofs.core.supplement import subject
from sparring.proofs.core.verdicts import PROVED, REFUTED
from sparring.spec import ring_sparse
from sparring.spec.core import pages
from sparring.spec.core.numbers import where

PAGE = pages.find("ring_sparse")
FAULTS = {
    "dense forgotten": lambda m, size, w: ring_sparse.HEADER + ring_sparse.sparse(m, size, w),
    "pairs alone": lambda m, size, w: ring_sparse.HEADER + ring_sparse.pairs(m, size, w),
    "a longer header": lambda m, size, w: ring_sparse.octets(m, size, w) + 8,
    "a bit map too many": lambda m, size, w: ring_sparse.octets(m, size, w) + where(m == size, (size + 7) // 8, 0),
}


def judged(page, name):
    """What comes of the conjecture of that name."""
    whole = subject(page)
    return judge(whole, next(c for c in conjectures(whole) if c.name == name), second_opinion=True)


def test_sizes():
    """Never above dense, full stays full, and what has all is full: for values of 4 and of 8 bytes."""
    attempt = judged(PAGE, "sizes")
    named = [a.obligation.name for a in attempt.answers]
    assert attempt.verdict == PROVED
    assert len([name for name in named if name.endswith("-byte values")]) == 6 < len(named)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_the_sizes_is_refuted(fault):
    """With the number of entries at which a message is too long."""
    attempt = judged(replace(PAGE, octets=FAULTS[fault]), "sizes")
    assert attempt.verdict == REFUTED
    m, size = attempt.witness.get("m", 0), attempt.witness["size"]
    assert any(FAULTS[fault](m, size, w) > ring_sparse.HEADER + size * w for w in (4, 8))


def test_a_page_without_sizes_claims_none():
    """The dense ring's messages are as long as their chunks."""
    assert "sizes" not in [c.name for c in conjectures(subject(pages.find("ring")))]
