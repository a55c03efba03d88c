"""An exchange of the user's own has no theorem, whatever it is called."""

from __future__ import annotations

import pytest

import sparring
from sparring.proofs.logic.verdicts import PROVED, UNDECIDED
from sparring.proofs.proving import proving

TEXT = '''"""Adds up, by an exchange of its own or by sparring's."""

from dataclasses import dataclass

from sparring.spec.core import exchanges
from sparring.spec.core.exchange_runs import Carried
from sparring.spec.core.vectors import total

data = "dense"


@dataclass(frozen=True)
class Allreduce(exchanges.Allreduce):
    def carry(self, each):
        return Carried([each[0].x for _ in each], [])


def program(x):
    return (yield WHOSE(x))


def ensures(x):
    return total(x)
'''


@pytest.mark.parametrize(("whose", "verdict"), [("exchanges.Allreduce", PROVED), ("Allreduce", UNDECIDED)])
def test_an_exchange_of_the_users_own_promises_nothing(tmp_path, whose, verdict):
    """One that only has the name of sparring's is not known to add up."""
    file = tmp_path / "adding.py"
    file.write_text(TEXT.replace("WHOSE", whose))
    (found,) = (one for one in proving.prove(sparring.page(str(file))) if one.name == "result")
    assert found.verdict == verdict
