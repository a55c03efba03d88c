"""The derivation proved for every p, by both solvers.

``B`` is an uninterpreted function with ``B(x + p) = B(x) + n``, and another one with ``k`` in the
place of ``n``, so that nothing rests on what a floor is.  Shown are: the spans follow each other
and are all steps; in each step the message has the words that were summed; each partial sum grows
by exactly these words, begins at 0 and ends at the span's total; the totals make the whole.  That
the largest of ``B(x + m) - B(x)`` over all ``x`` is the ceiling of ``m n / p`` needs the floor: it
takes no other values than floor and ceiling (shown here), and its mean over ``p`` consecutive ``x``
is ``m n / p`` (the sum telescopes).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import z3

from sparring.costs.derivation.closed_forms import Words, k
from sparring.costs.derivation.counted import format_point
from sparring.costs.derivation.step_ranges import Derivation, Piece, Span, total
from sparring.costs.formulas import symbols
from sparring.costs.formulas.symbols import B, Expr
from sparring.errors import Undecided
from sparring.proofs.logic import solvers
from sparring.proofs.logic.obligations import Obligation, during, n, p, r, t
from sparring.proofs.logic.queries import answered
from sparring.proofs.logic.symbolic import Z3Reader, Z3Term
from sparring.proofs.logic.verdicts import PROVED, PROVED_BELOW, REFUTED, UNDECIDED, Verdict
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Int, Node

PREFIXES = {m.name: z3.Function(name, z3.IntSort(), z3.IntSort()) for m, name in zip(symbols.LENGTHS, ("B", "B_k"))}


class Checked(NamedTuple):
    """How a derivation was checked: a name, a verdict, and what it rests on."""

    name: str
    verdict: Verdict
    detail: str


def put_to_solvers(name: str, claims: Iterable[Obligation], told: str, encoding: str = "wrap") -> Checked:
    """Return the verdict on obligations: ``told`` if both solvers confirm them, else what is wrong with the first.

    ``told`` has a place for how many there are.
    """
    done, verdict = 0, PROVED
    for answer in answered(claims, second_opinion=True, encoding=encoding):
        if not answer.holds:
            wrong = f"{answer.obligation.name}: {answer.problem or f'fails at {format_point(answer.witness)}'}"
            return Checked(name, UNDECIDED if answer.problem else REFUTED, wrong)
        done, verdict = done + 1, PROVED_BELOW if answer.below else verdict
    return Checked(name, verdict, told.format(done))


class PrefixReader(Z3Reader):
    """Reads ``x n // p`` and ``x k // p`` as uninterpreted functions of ``x``."""

    def operator(self, x: Node, args: list[Z3Term]) -> Z3Term:
        if x.op == "//" and x.args[1] is p and (top := x.args[0]).op == "*":
            for m, prefix in zip((n, k), PREFIXES.values()):
                if top.args[1] is m:
                    return prefix(self(top.args[0]))
        return super().operator(x, args)


def term(x: Expr) -> Z3Term:
    """Return a sympy polynomial in letters and ``B`` as a z3 term."""
    if x.is_Integer:
        return z3.IntVal(int(x))
    if x.is_Symbol:
        return z3.Int(x.name)
    args = [term(a) for a in x.args]
    if isinstance(x, B):
        return PREFIXES[x.args[1].name](args[0])
    if x.is_Add:
        return z3.Sum(args)
    if x.is_Mul:
        return z3.Product(args)
    if x.is_Pow and x.exp.is_Integer and x.exp > 0:
        return z3.Product([args[0]] * int(x.exp))
    raise Undecided(f"{x} cannot be put to the solvers")


Claim = tuple[str, Sequence[Z3Term], Z3Term]
"""A claim: its name, its hypotheses, and its conclusion."""


def claims(page: Page, derived: Derivation) -> Iterator[Claim]:
    """Yield all claims that must be shown of the derivation."""
    rank = [z3.Int("p") >= 1, z3.Int("n") >= 0, z3.Int("k") >= 0, z3.Int("r") >= 0, z3.Int("r") < z3.Int("p")]
    steps = PrefixReader([p >= 1], p)(page.steps(p))
    edges = [z3.IntVal(0), *(term(x) for piece in derived.pieces for x in piece.span), steps]
    yield "the spans are all steps", rank, z3.And([a == b for a, b in zip(edges[::2], edges[1::2])])
    yield "the spans go forward", rank, z3.And([a <= b for a, b in zip(edges[1::2], edges[2::2])])
    if derived.sent is not None:
        yield from summing(page, r, page.words, derived.pieces, derived.sent, rank)
    if derived.adding is not None and derived.received is not None:
        reader = PrefixReader(during(page), p)
        adds = z3.simplify(z3.Or([inside(piece) for piece in derived.adding]))
        yield "the spans that add are all steps that add", reader.hypotheses, reader(page.adds(t, p)) == adds
        yield from summing(page, page.src(r, t, p), page.added, derived.adding, derived.received, rank)
    yield between()


def inside(piece: Piece) -> Z3Term:
    """Return the condition that step ``t`` is in the span."""
    return z3.And(term(piece.span.first) <= z3.Int("t"), z3.Int("t") < term(piece.span.end))


def summing(
    page: Page, sender: Int, words: Words, pieces: Sequence[Piece], whole: Expr, rank: Sequence[Z3Term]
) -> Iterator[Claim]:
    """Yield the claims that ``whole`` is what ``sender`` sends in all these spans, by the formula ``words``."""
    for piece in pieces:
        yield from piecewise(page, sender, words, piece, rank)
    totals = sum((term(piece.total) for piece in pieces), z3.IntVal(0))
    yield "the totals make the whole", rank, totals == term(whole)


def piecewise(page: Page, sender: Int, words: Words, piece: Piece, rank: Sequence[Z3Term]) -> Iterator[Claim]:
    """Yield the claims that must be shown of one span."""
    where = f"in steps {piece.span.first} .. {piece.span.end - 1}: "
    reader = PrefixReader((*during(page), n >= 0, k >= 0), p)
    step = [*reader.hypotheses, inside(piece)]
    sent = reader(words(sender, t, page.chunk(sender, t, p), p, n, k))
    laps = {-m for low, high in reader.wraps.values() for m in range(low, high)}
    yield where + "the words of a message", [*step, *periods(piece.words, laps)], sent == term(piece.words)
    so_far = total(piece.words, Span(piece.span.first, symbols.t))
    after = total(piece.words, Span(piece.span.first, symbols.t + 1))
    yield where + "partial sums grow by them", step, term(after) == term(so_far) + term(piece.words)
    nothing, everything = (so_far.subs(symbols.t, at) for at in piece.span)
    yield where + "partial sums begin at 0", rank, term(nothing) == 0
    yield where + "partial sums end at the total", rank, term(everything) == term(piece.total)


def periods(words: Expr, laps: Iterable[int]) -> list[Z3Term]:
    """Return ``B(x + m p) = B(x) + m n`` for each place of a ``B`` in ``words`` and each ``m`` in ``laps``."""
    found = []
    for b in words.atoms(B):
        x, length = map(term, b.args)
        prefix = PREFIXES[b.args[1].name]
        found += [prefix(x + m * z3.Int("p")) == prefix(x) + m * length for m in laps]
    return found


def between() -> Claim:
    """Return the claim that ``d = B(x + m) - B(x) - floor(m n / p)`` is 0, or 1 where ``p`` does not divide ``m n``.

    With ``a, b, c`` the remainders of ``x n``, ``(x + m) n`` and ``m n`` by ``p``, Euclid's division
    of the three gives ``p d = a + c - b``.
    """
    p, d, a, b, c = z3.Ints("p d a b c")
    remainders = [z3.And(x >= 0, x < p) for x in (a, b, c)]
    claim = z3.And(d >= 0, d <= z3.If(c > 0, 1, 0))
    return "a sum of neighbouring chunks is floor or ceiling", [p >= 1, *remainders, p * d == a + c - b], claim


def prove(page: Page, derived: Derivation) -> Checked:
    """Put every claim to z3 and cvc5; *refuted* or *undecided* at the first that they do not both confirm."""
    if derived.confirmed:
        proved = PROVED_BELOW if derived.below else PROVED
        return Checked(
            "derivation", proved, f"messages of a rank and of a step, {derived.confirmed} obligations, z3 and cvc5"
        )
    parts = derived.parts or ((page, derived),)
    done = 0
    for name, hypotheses, claim in chain.from_iterable(claims(*part) for part in parts):
        question = solvers.question(hypotheses, claim)
        said = {"z3": solvers.ask_z3(question), "cvc5": solvers.ask_cvc5(question.to_smt2())}
        if set(said.values()) != {"unsat"}:
            words = ", ".join(f"{solver} {word}" for solver, word in said.items())
            return Checked("derivation", REFUTED if set(said.values()) == {"sat"} else UNDECIDED, f"{name}: {words}")
        if vacuous := solvers.vacuous_at(hypotheses, z3.Int("p")):
            return Checked("derivation", UNDECIDED, f"{name}: hypotheses contradict each other at p={vacuous}")
        done += 1
    return Checked("derivation", PROVED, f"words sent and added: partial sums, {done} obligations, z3 and cvc5")
