"""Reads terms about values of vectors, which are any numbers: a half is below one and above nothing.

Numbers of ranks and calls, ranks and parameters are whole; all other letters stand for what vectors hold, for what is
computed of that, or for truths, which are letters other than 0.
"""

from __future__ import annotations

import z3

from sparring.errors import Undecided
from sparring.proofs.logic.symbolic import Z3Reader, Z3Term
from sparring.spec.core.numbers import Node

WHOLE = {"p", "r", "call"}
PARAMETER = "param_"
"""The prefix of the names of parameters' letters; one of a local function has a number after its name."""


class ValuesReader(Z3Reader):
    """Reads letters as real numbers, but for those that are whole."""

    def variable(self, name: str) -> Z3Term:
        return z3.Int(name) if whole(name) else z3.Real(name)

    def operator(self, x: Node, args: list[Z3Term]) -> Z3Term:
        if x.op in ("%", "//") and any(map(z3.is_real, args)):
            raise Undecided(f"{x!r}: only whole numbers have a whole quotient")
        return super().operator(x, args)


def whole(name: str) -> bool:
    """Return whether a letter stands for a whole number."""
    return name in WHOLE or (name.startswith(PARAMETER) and not name[len(PARAMETER) :][:1].isdigit())
