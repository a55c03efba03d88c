"""Bounds the error of a coded sum over the real numbers, by both solvers, for all numbers of codes.

Letters: a group has the range ``R``, its codes go up to ``L``, its step is ``s``; ``v`` is how far an entry
lies above the least, ``q`` its code, which rounding puts ``w`` of a step away from ``v / s``, and ``z`` by how
much of a step the zero is off.  ``S`` is what the ranges of the ranks that have been added come to, ``T`` the
range of the sum as it is read, ``A`` and ``B`` what an entry is off in the first and in the second step of
Flash Communication, ``d`` and ``e`` how far apart two entries are in the sum so far and in one rank's vector.

Each statement has a *fault*, hypotheses in the place of some of its own without which it must not hold: a
statement that no fault upsets says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import z3

from sparring.proofs.logic import solvers

R, L, L2, s, v, q, w, z, S, T, A, B, d, e = z3.Reals("R L L2 s v q w z S T A B d e")
half = z3.Q(1, 2)


class Statement(NamedTuple):
    """``claim`` follows from ``hypotheses``, but not if the planted fault replaces some of these."""

    name: str
    says: str
    hypotheses: Mapping[str, Any]
    claim: Any
    fault: str
    planted: Mapping[str, Any]


class Answered(NamedTuple):
    """The answers of z3 and cvc5: "unsat" where the statement holds; for the fault "sat", with a witness."""

    statement: Statement
    solvers: dict[str, str]
    faulty: str
    witness: dict[str, str]
    possible: str

    @property
    def holds(self) -> bool:
        """True if both solvers prove the statement, its hypotheses are satisfiable, and its fault refutes it."""
        return {*self.solvers.values()} == {"unsat"} and (self.faulty, self.possible) == ("sat", "sat")


def size(x: Any, most: Any) -> Any:
    """Return the condition that the magnitude of ``x`` is at most ``most``."""
    return z3.And(x <= most, -most <= x)


def statements() -> Iterator[Statement]:
    """Yield all statements; together they are the bound of the two steps."""
    group = {"step": z3.And(L >= 1, R >= 0, s * L == R), "code": q * s == v + w * s}
    rounded = {**group, "rounding": size(w, half)}
    yield Statement(
        "half a step",
        "|x - read| <= s / 2 = R / (2 L).",
        rounded,
        z3.And(size(q * s - v, s / 2), size(2 * L * (q * s - v), R)),
        "codes are cut off",
        {"rounding": z3.And(w <= 0, w > -1)},
    )
    yield Statement(
        "in range",
        "What is read lies between the group's least and greatest entry, which are exact.",
        {**group, "code": z3.And(q >= 0, q <= L)},
        z3.And(q * s >= 0, q * s <= R, L * s == R),
        "a code too many",
        {"code": z3.And(q >= 0, q <= L + 1)},
    )
    yield Statement(
        "the zero is exact",
        "With the least entry as it is an entry is off by half a step, not more.",
        {**rounded, "zero": z == 0},
        size(q * s + z * s - v, s / 2),
        "the zero is rounded to a whole step",
        {"zero": size(z, half)},
    )
    yield Statement(
        "ranges add up",
        "range(read[0] + ... + read[q]) <= R[0] + ... + R[q], from one rank to the next.",
        {"so far": size(d, S), "one more": size(e, R), "ranges": z3.And(S >= 0, R >= 0)},
        size(d + e, S + R),
        "groups that do not coincide",
        {"one more": size(e, 2 * R)},
    )
    yield Statement(
        "errors add up",
        "The sum as it is read is off by at most (R[0] + ... + R[q]) / (2 L).",
        {"so far": size(2 * L * A, S), "one more": size(2 * L * B, R), "ranges": z3.And(S >= 0, R >= 0, L >= 1)},
        size(2 * L * (A + B), S + R),
        "a rank's codes have fewer levels",
        {"one more": size(2 * (L - half) * B, R)},
    )
    yield Statement(
        "two steps", "|result - sum| <= S / 2 (1 / L + 1 / L2).",
        {"levels": z3.And(L >= 1, L2 >= 1), "first": size(2 * L * A, S), "second": size(2 * L2 * B, T),
         "range": z3.And(T >= 0, T <= S)}, size(2 * L * L2 * (A + B), S * (L + L2)),
        "a sum with a larger range", {"range": z3.And(S >= 0, T >= 0, T <= 2 * S)},
    )  # fmt: skip
    yield Statement(
        "spikes",
        "Without one least and one greatest entry the range R is at most S, the group's, and an entry is off "
        "by at most R / (2 L) <= S / (2 L).",
        {**rounded, "others": z3.And(d >= 0, e >= d, e <= S, e - d == R)},
        z3.And(R <= S, size(2 * L * (q * s - v), S)),
        "others beyond the spikes",
        {"others": z3.And(e >= d, e - d <= 2 * S, e - d == R)},
    )


def answered(one: Statement) -> Answered:
    """Ask both solvers about the statement, z3 about its fault and about whether its hypotheses are satisfiable."""
    solver = solvers.question([*one.hypotheses.values()], one.claim)
    said = {"z3": solvers.ask_z3(solver), "cvc5": solvers.ask_cvc5(solver.to_smt2())}
    planted = solvers.question([*{**one.hypotheses, **one.planted}.values()], one.claim)
    faulty = solvers.ask_z3(planted)
    model = planted.model() if faulty == "sat" else None
    witness = {str(name): str(model[name]) for name in model.decls()} if model else {}
    possible = solvers.ask_z3(solvers.question([*one.hypotheses.values()], z3.BoolVal(False)))
    return Answered(one, said, faulty, witness, possible)
