"""Faults where code has another path than usual: ``verify`` as a user runs it finds each of them."""

from __future__ import annotations

import pytest

from sparring.verification.simulated_runs import flaws
from tests.algorithms import ALGORITHMS
from tests.impl.algorithms import PAGES, TARGETS, planted
from tests.sweeps import sweep

AIMED = [(name, fault) for name, one in ALGORITHMS.items() for fault in one.aimed]


def found(name):
    """What is wrong, from the cheapest look on."""
    return flaws(PAGES[name], TARGETS[name])


@pytest.mark.parametrize(
    "i", sweep(range(len(AIMED)), few=range(0, len(AIMED), 6)), ids=lambda i: f"{AIMED[i][0]}: {AIMED[i][1].name}, {i}"
)
def test_an_aimed_fault_is_found(i):
    """In the first run that goes there."""
    name, fault = AIMED[i]
    with planted(fault.module or name, *fault.texts):
        assert next(found(name), None) is not None


def test_messages_that_nobody_can_read_are_found():
    """Both sides agree on another form: results and lengths are right, and no entry of a message is seen."""
    changes = (
        ("view(width(x.n))[:] = x.indices", "view(width(x.n))[:] = x.indices ^ 1"),
        ("return buffer[cut:].view(width(n)),", "return buffer[cut:].view(width(n)) ^ 1,"),
    )
    with planted("core.wire", *changes):
        wrong = [*found("ring_allgather")]
    assert {flaw.property for flaw in wrong} == {"steps"}
    assert any("in any form that is known" in flaw.detail for flaw in wrong)
