"""Proves what DropCompute's rules do, for every number of micro-batches, all times and every tau.

By induction over micro-batches: a rank's state is a few numbers, one rule is one formula of it, and each
theorem is an invariant that holds at the start, is kept by the formula of the page, and implies what
is claimed.  Times are whole numbers of some unit, so any fractions; none is below 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from sparring.proofs.logic.obligations import Obligation, every, implies
from sparring.proofs.logic.queries import Answer, answered
from sparring.spec.core.numbers import Bool, Int, Sym, both, either, negate, where
from sparring.spec.core.schedule import number
from sparring.spec.core.selectors import high, low
from sparring.spec.training.drop_compute import RULES, Micro, Rule, Work, counted

Rules = Mapping[str, Rule]
A, B, C = "analytic", "after_backward", "between_passes"


class State(NamedTuple):
    """A rank after ``m`` micro-batches: what each rule has made of them, and what the formulas count."""

    m: Int
    end: Int
    """When all of them would be over."""
    longest: Int
    """The time of the longest micro-batch."""
    longest_pass: Int
    below: Int
    """Micro-batches that end before tau."""
    upto: Int
    """Micro-batches that end at tau or before."""
    upto_before: Int
    """The value of ``upto`` without the last micro-batch."""
    half: Int
    """Micro-batches whose forward pass ends at tau or before."""
    by: Mapping[str, Work]
    """The work, by rule."""
    tau: Int


def start(tau: Int) -> State:
    """Return the state before all micro-batches."""
    return State(0, 0, 0, 0, 0, 0, 0, 0, dict.fromkeys(RULES, Work()), tau)


def some_state(label: str = "") -> State:
    """Return an arbitrary state: each number is a variable of its own."""

    def some_work(name: str) -> Work:
        completed, now, going = (Sym.var(f"{what}_{name}{label}") for what in Work._fields)
        return Work(completed, now, going == 1)

    by = {name: some_work(name) for name in RULES}
    m, end, longest, longest_pass, below, upto, before, half, tau = (
        Sym.var(f"{name}{label}") for name in State._fields if name != "by"
    )
    return State(m, end, longest, longest_pass, below, upto, before, half, by, tau)


def some_micro() -> Micro:
    """Return an arbitrary micro-batch."""
    return Micro(Sym.var("forward"), Sym.var("backward"))


def after(at: State, micro: Micro, rules: Rules) -> State:
    """Return the state after one micro-batch more."""
    tau = at.tau
    whole = micro.forward + micro.backward
    end, middle = at.end + whole, at.end + micro.forward
    return State(
        at.m + 1, end, high(at.longest, whole), high(at.longest_pass, high(micro.forward, micro.backward)),
        at.below + where(end < tau, 1, 0), at.upto + where(end <= tau, 1, 0), at.upto,
        at.half + where(middle <= tau, 1, 0), {name: rules[name](at.by[name], micro, tau) for name in RULES}, tau,
    )  # fmt: skip


Says = Callable[[State], Bool]


def invariant(at: State) -> Bool:
    """Return the invariant of every state that a rank can be in."""
    a, b, c = (at.by[name] for name in (A, B, C))
    tau = at.tau
    return every(
        tau >= 0, at.m >= 0, at.end >= 0, at.longest >= 0, at.longest_pass >= 0,
        where(at.m == 0, both(at.end == 0, at.upto == 0), at.upto == at.upto_before + where(at.end <= tau, 1, 0)),
        # analytic
        a.completed == at.below, a.completed >= 0, a.completed <= at.m,
        where(a.going, every(a.now == at.end, a.completed == at.m, either(at.end < tau, at.m == 0)),
              every(a.now == tau, at.end >= tau, at.m >= 1, a.completed < at.m)),
        # after_backward
        b.completed <= at.m,
        where(b.going, every(b.now == at.end, b.completed == at.m, at.end <= tau, at.upto == at.m),
              every(tau < b.now, b.now <= at.end, b.completed == at.upto + 1, b.now <= tau + at.longest)),
        at.upto >= 0,
        # between_passes
        c.completed == at.half, c.completed >= 0, c.completed <= at.m,
        where(c.going, every(c.now == at.end, c.completed == at.m, at.end <= tau + at.longest_pass),
              every(tau < c.now, c.now <= at.end, c.now <= tau + at.longest_pass, c.completed < at.m)),
    )  # fmt: skip


def ordered(at: State) -> Bool:
    """Return the invariant that relates the rules to each other."""
    a, b, c = (at.by[name] for name in (A, B, C))
    return every(
        a.completed <= c.completed, c.completed <= b.completed, b.completed <= c.completed + 1,
        a.now <= c.now, c.now <= b.now, implies(a.going, c.going), implies(b.going, c.going),
        implies(c.going, b.completed == at.m),
    )  # fmt: skip


def formulas(at: State) -> Bool:
    """State that each rule counts what its formula counts."""
    a, b, c = (at.by[name].completed for name in (A, B, C))
    return every(a == at.below, implies(at.m >= 1, b == low(at.m, 1 + at.upto_before)), c == at.half)


def within(at: State) -> Bool:
    """State that every rule counts between none and all; ``after_backward`` counts one at least."""
    bounds = every(*(both(work.completed >= 0, work.completed <= at.m) for work in at.by.values()))
    return both(bounds, implies(at.m >= 1, at.by[B].completed >= 1))


def ends(at: State) -> Bool:
    """State that computing ends at tau, or at most a micro-batch or a pass later; never later than without a rule."""
    a, b, c = (at.by[name].now for name in (A, B, C))
    late = every(a == low(at.tau, at.end), b <= at.tau + at.longest, c <= at.tau + at.longest_pass)
    return both(late, every(*(now <= at.end for now in (a, b, c))))


def nothing_dropped(at: State) -> Bool:
    """State that a tau that no rank reaches drops nothing; the analytic rule takes tau itself as too late."""

    def all_of(name: str) -> Bool:
        return both(at.by[name].completed == at.m, at.by[name].now == at.end)

    loses = implies(both(at.end == at.tau, at.m >= 1), at.by[A].completed < at.m)
    return every(implies(at.end <= at.tau, both(all_of(B), all_of(C))), implies(at.end < at.tau, all_of(A)), loses)


def order(at: State) -> Bool:
    """State that the analytic rule counts least and ends first, ``after_backward`` counts most and ends last."""
    a, b, c = (at.by[name] for name in (A, B, C))
    counts = every(a.completed <= c.completed, c.completed <= b.completed, b.completed <= c.completed + 1)
    return every(counts, a.now <= c.now, c.now <= b.now)


def at_most_one_more(at: State) -> Bool:
    """State that ``after_backward`` counts at most one more than the analytic rule.

    It is claimed where no micro-batch ends at tau itself.
    """
    return at.by[B].completed <= at.by[A].completed + 1


def at_most_two_more(at: State) -> Bool:
    """State that ``between_passes`` counts at most one more than the analytic rule, ``after_backward`` at most two.

    It is claimed where every forward pass takes time.
    """
    a, b, c = (at.by[name].completed for name in (A, B, C))
    return both(c <= a + 1, b <= a + 2)


def passed(at: State) -> Bool:
    """Return the invariant that holds where no micro-batch ends at tau itself."""
    return both(implies(negate(at.by[A].going), at.end > at.tau), at_most_one_more(at))


def moved(at: State) -> Bool:
    """Return the invariant that holds where every forward pass takes time."""
    late = implies(both(negate(at.by[A].going), at.by[C].going), at.end >= at.tau)
    return both(late, at_most_two_more(at))


class Theorem(NamedTuple):
    """A statement that is proved for every number of micro-batches."""

    name: str
    claim: Says
    known: Sequence[Says] = (invariant,)
    """The invariant, in parts."""
    given: Callable[[State, Micro], Bool] = lambda at, micro: True
    """A hypothesis on each micro-batch, besides that its passes take no less than 0."""
    hypothesis: str = ""
    """The hypothesis in words."""


THEOREMS = (
    Theorem("each rule counts what its formula says", formulas),
    Theorem("between none and all are counted", within),
    Theorem("when computing ends", ends),
    Theorem("a tau that nobody reaches drops nothing", nothing_dropped),
    Theorem("analytic <= between_passes <= after_backward", order, (invariant, ordered)),
    Theorem("after_backward <= analytic + 1", at_most_one_more, (invariant, ordered, passed),
            lambda at, micro: at.end + micro.forward + micro.backward != at.tau,
            "no micro-batch ends at tau itself"),
    Theorem("between_passes <= analytic + 1, after_backward <= analytic + 2", at_most_two_more,
            (invariant, ordered, moved), lambda at, micro: micro.forward >= 1, "every forward pass takes time"),
)  # fmt: skip


def obligations(rules: Rules = RULES) -> Iterator[Obligation]:
    """Yield all obligations of these rules: each theorem's, and that each rule grows with tau."""
    for theorem in THEOREMS:
        yield from induction(theorem, rules)
    for name in RULES:
        yield from monotone(name, rules)


def induction(theorem: Theorem, rules: Rules) -> Iterator[Obligation]:
    """Yield the obligations that each invariant holds at the start and is kept, and that they imply the claim."""
    at, micro = some_state(), some_micro()
    passes = (micro.forward >= 0, micro.backward >= 0, theorem.given(at, micro))
    known = [says(at) for says in theorem.known]
    later = after(at, micro, rules)
    for says in theorem.known:
        yield Obligation(f"{theorem.name}: {says.__name__} at the start", (at.tau >= 0,), says(start(at.tau)))
        yield Obligation(f"{theorem.name}: {says.__name__} is kept", (*passes, *known), says(later))
    yield Obligation(theorem.name, tuple(known), theorem.claim(at))


def monotone(name: str, rules: Rules) -> Iterator[Obligation]:
    """Yield the obligations that with a larger tau no less is completed, and computing ends no earlier."""
    one, micro = some_state("_1"), some_micro()
    other = some_state("_2")._replace(m=one.m, end=one.end, longest=one.longest, longest_pass=one.longest_pass)
    passes = (one.tau >= 0, one.tau <= other.tau, micro.forward >= 0, micro.backward >= 0)

    def grows(first: State, second: State) -> Bool:
        x, y = first.by[name], second.by[name]
        return every(x.completed <= y.completed, x.now <= y.now, implies(x.going, y.going))

    def known(first: State, second: State) -> Bool:
        return every(invariant(first), invariant(second), grows(first, second))

    later = known(after(one, micro, rules), after(other, micro, rules))
    yield Obligation(f"{name} grows with tau: at the start", passes[:2], known(start(one.tau), start(other.tau)))
    yield Obligation(f"{name} grows with tau: is kept", (*passes, known(one, other)), later)
    yield Obligation(f"{name} grows with tau", (known(one, other),), grows(one, other))


def proved(rules: Rules = RULES, second_opinion: bool = True) -> Iterator[Answer]:
    """Yield the answers of z3 and cvc5 to each obligation."""
    return answered(obligations(rules), second_opinion)


def witness(apart: Callable[[Mapping[str, int]], bool], most: int = 3, longest: int = 3) -> tuple[Sequence[Micro], int]:
    """Return the first micro-batches and tau, of small whole times, whose counts by rule are ``apart``; fewest first.

    Passes take 1 or more.  Raises LookupError if there are none.
    """
    passes = [Micro(*times) for times in product(range(1, longest + 1), repeat=2)]
    for many in range(1, most + 1):
        for micros in product(passes, repeat=many):
            for tau in range(sum(map(total, micros)) + 1):
                if apart({name: counted(name, micros, tau) for name in RULES}):
                    return micros, tau
    raise LookupError(f"none of up to {most} micro-batches whose passes take up to {longest}")


def total(micro: Micro) -> int:
    """Return the micro-batch's whole time, as a number."""
    return number(micro.forward + micro.backward)
