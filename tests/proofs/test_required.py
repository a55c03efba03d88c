"""What a composition requires may be said of p alone; nothing follows from what cannot be."""

from __future__ import annotations

import pytest

import sparring
from sparring.proofs.logic.verdicts import PROVED, REFUTED
from sparring.proofs.proving import proving

TEXT = '''"""Adds up, but twice on an odd number of ranks."""

from sparring.spec.core.exchanges import allreduce
from sparring.spec.core.vectors import total

data = "dense"


def program(x, p):
    y = yield allreduce(x)
    return y if p % 2 == 0 or p == 1 else y + y


def ensures(x):
    return total(x)


def requires(p):
    """As said."""
    return REQUIRED
'''


@pytest.mark.parametrize(
    ("required", "verdict"),
    [("p % 2 == 0", PROVED), ("p >= 1", REFUTED), ("p < 1", REFUTED), ("p > 100000", REFUTED)],
)
def test_a_condition_on_the_number_of_ranks(tmp_path, required, verdict):
    """It is the theorem's; one that never holds makes no theorem of anything."""
    file = tmp_path / "twice.py"
    file.write_text(TEXT.replace("REQUIRED", required), encoding="utf-8")
    (found,) = (one for one in proving.prove(sparring.page(str(file))) if one.name == "result")
    assert found.verdict == verdict
