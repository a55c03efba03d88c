"""Proves a page: the kernel's theorems, each confirmed by a planted fault, and what the page claims of contention."""

from __future__ import annotations

from collections.abc import Iterator

from sparring.proofs.kernel import kernel
from sparring.proofs.kernel.kernel import Attempt
from sparring.proofs.logic.queries import Memory
from sparring.proofs.mutants.faults import Faults
from sparring.proofs.proving.timing import under_any_timing
from sparring.proofs.reading.annotations import subject
from sparring.spec.core.model import Page


def prove(page: Page, *, planted: bool = True, memory: Memory | None = None) -> Iterator[Attempt]:
    """Try every conjecture about ``page``; what holds comes as a Theorem, as soon as it is judged.

    ``planted``: a theorem needs a fault that the same road refutes; without one what holds is an Attempt.
    ``memory``: the answers so far, for pages that share obligations; by default none.

    Raises InputError where a formula cannot be run on symbols, naming its line.
    """
    whole, memory = subject(page), memory or Memory()
    yield from kernel.attempts(whole, memory, Faults(whole, memory).evidence if planted else None)
    if whole.contention:
        yield under_any_timing(whole)
