"""Whether hypotheses can be so at all: found by trying small numbers."""

from __future__ import annotations

from itertools import product

import pytest

from sparring.proofs.core.obligations import p, q, r, within
from sparring.proofs.core.questions import SMALL, instance
from sparring.spec.core.numbers import Bool, both, evaluate, variables

CASES: dict[str, tuple[list[Bool], list[int]]] = {
    "nothing is asked": ([], [1, 2, 3]),
    "a rank": ([p >= 1, within(r)], [1, 2, 3]),
    "two different ranks": ([within(q), within(r), q < r], [2, 3]),
    "a rank beyond a third": ([within(r), r > 1], [3]),
    "two that contradict each other": ([r < q, q < r], []),
    "what is never so": ([within(r), both(r < 0, p >= 1)], []),
    "a truth that speaks of nothing": ([False, within(r)], []),
    "a shift by what may be negative": ([within(r), (1 << (r - 1)) >= p - 2], [2, 3]),
}


@pytest.mark.parametrize("case", CASES)
def test_hypotheses_are_satisfied_where_numbers_are_found(case: str) -> None:
    """As trying all numbers one by one finds out."""
    hypotheses, satisfied = CASES[case]
    assert [ranks for ranks in (1, 2, 3) if instance(hypotheses, ranks)] == satisfied
    assert [ranks for ranks in (1, 2, 3) if any_of_all(hypotheses, ranks)] == satisfied


def any_of_all(hypotheses: list[Bool], ranks: int) -> bool:
    """The slow way."""
    for values in product(SMALL, repeat=2):
        at = {"p": ranks, **dict(zip("qr", values))}
        try:
            if all(evaluate(h, **{v: at[v] for v in variables(h)}) for h in hypotheses):
                return True
        except ValueError:
            continue
    return False
