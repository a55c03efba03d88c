"""Generates what has to be shown of a loop over rounds, each an average among those with the same key.

The body is read once, on letters for what it begins with: its vector, its cell and its number.  Of the reading, and of
nothing else, are the key by which ranks meet and the cell to which a rank moves.  What the page says beside it, see
``spec/core/rounds.py``, is proved by induction: it is so at first, and if it is so before a round, after it, too.

Cells are places on a grid of as many as there are ranks.  At first, and after each round, no two ranks are in one, so
that all are taken.  Those who meet are ``m``, whose means have no vector in common; or all have all.  So each mean is
one of different vectors, all with the same weight.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sparring.errors import Undecided
from sparring.proofs.logic.obligations import Obligation, every, iff, implies, within
from sparring.proofs.reading.points import Apart, Point, point
from sparring.proofs.reading.summands import nonzero
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, Node, Reader, Sym, both, negate, variables
from sparring.spec.library.group_average import Averaging

t, q, cell, other, third, b, g = (Sym.var(name) for name in ("t", "q", "cell", "other", "third", "b", "g"))
RANK = "r"


class Round(NamedTuple):
    """The act of one round: the key by which ranks meet, the cell that a rank moves to, and checks by name."""

    key: Int
    after: Int
    faithful: Sequence[tuple[str, bool]]
    exchange: Averaging


class Loop(NamedTuple):
    """A loop: its body, its number of rounds, what all ranks share, and the cell in which a rank begins."""

    one: Any
    many: Int
    given: tuple[Any, ...]
    begins: Int

    def at(self, reading: Any, place: Int) -> Round:
        """Read the body once for a rank in this cell; raise Apart where it is no average of one vector."""
        x, mean = reading.fresh("before", "partial"), reading.fresh("mean", "partial")
        exchange, ended = played(self.one(t, x, place, *self.given), (mean, b))
        if not isinstance(ended, tuple) or len(ended) != 2:
            raise Apart("a round gives no vector and no cell to the next")
        faithful = (
            ("a round averages what it begins with", exchange.x is x),
            ("the next round begins with the mean", ended[0] is mean),
            ("a round asks for who meets in that round", exchange.t is t),
            ("what is given says who meets, and with which weights", any(exchange.params is one for one in self.given)),
        )
        return Round(number(exchange.key), number(ended[1]), faithful, exchange)


def played(text: Any, answer: Any) -> tuple[Averaging, Any]:
    """Return a round's exchange, and what the round ends with."""
    exchange = next(text, None)
    if not isinstance(exchange, Averaging):
        raise Apart("a round does not begin with an average among those with one key")
    try:
        text.send(answer)
    except StopIteration as end:
        return exchange, end.value
    raise Apart("a round has several exchanges")


def number(x: Any) -> Int:
    if isinstance(x, int | Sym) and not isinstance(x, bool):
        return x
    raise Undecided(f"{x!r} is no whole number")


def loop(self: Any, e: Any) -> Loop:
    """Return the loop of a text that is read; raise Apart where ranks would not have the same rounds."""
    x, begins = (point(self, one) for one in e.carried)
    if nonzero(x.each) or x.placement != "partial":
        raise Apart(f"rounds begin with {x!r}: each rank has to begin with a vector of its own")
    found = Loop(e.one, alike(e.many), tuple(map(alike, e.given)), begins.rest)
    found.at(self, cell)
    return found


def alike(x: Any) -> Any:
    """Return what all ranks share, as terms; raise Apart for what they do not share."""
    if isinstance(x, Point):
        if x.placement != "replicate" or nonzero(x.each):
            raise Apart(f"{x!r} is not the same on all ranks, which have to go the same rounds")
        return x.rest
    return type(x)(*map(alike, x)) if hasattr(x, "_fields") else x


class Renamed(Reader[Any]):
    """Reads a term as the same term of another rank."""

    def __init__(self, rank: Sym) -> None:
        super().__init__()
        self.rank = rank

    def constant(self, x: int | bool) -> Any:
        return x

    def variable(self, name: str) -> Any:
        return self.rank if name == RANK else Sym.var(name)

    def operator(self, x: Node, args: list[Any]) -> Any:
        return type(x)(x.op, *args)


def result(page: Page, path: Any, one: Loop) -> Iterator[Obligation]:
    """Yield the obligations that on a full grid, as the page requires, all ranks have all vectors after the rounds."""
    for claim in (*places(path, one), *groups(page, path, one), *influence(page, path, one)):
        hypotheses = (*about(claim, (*path.hypotheses, *path.required)), *claim.hypotheses)
        yield claim._replace(name=f"{path.name}: {claim.name}", hypotheses=hypotheses, encoding="digits")


def about(claim: Obligation, known: Sequence[Bool]) -> Iterator[Bool]:
    """Return the known facts about the letters of a claim alone.

    The fewer facts are given, the more paths share obligations.
    """
    spoken = frozenset(("p",)).union(*map(letters, (claim.claim, *claim.hypotheses)))
    return (one for fact in known for one in conjuncts(fact) if letters(one) <= spoken)


def letters(x: Bool) -> frozenset[str]:
    return variables(x) if isinstance(x, Node) else frozenset()


def conjuncts(x: Bool) -> Iterator[Bool]:
    """Yield the parts of a conjunction, or the truth itself."""
    if isinstance(x, Node) and x.op == "and":
        for one in x.args:
            yield from conjuncts(one)
    else:
        yield x


def faithful(path: Any, one: Loop) -> Iterator[Obligation]:
    """Yield the obligations that the body treats vectors as a round should."""
    for name, so in one.at(path.given["x"].reading, cell).faithful:
        yield Obligation(f"{path.name}: {name}", path.hypotheses, so)


HERE = (t >= 0, within(cell), within(other))


def places(path: Any, one: Loop) -> Iterator[Obligation]:
    """Yield the obligations that no two ranks are in one cell, and that none is outside of the grid."""
    if strange := [v for v in variables_of(one.begins) if v not in (RANK, "p") and not v.startswith("param_")]:
        raise Undecided(f"ranks begin in cells that depend on {strange[0]}")
    first, second = (Renamed(rank)(one.begins) for rank in (q, other))
    yield Obligation("a first cell is in the grid", (within(q),), within(first))
    yield Obligation("no two begin in one", (within(q), within(other)), implies(first == second, q == other))
    here, there = (one.at(path.given["x"].reading, place) for place in (cell, other))
    index = within(b, one_m(one))
    yield Obligation("a new cell is in the grid", (*HERE, index), within(here.after))
    apart = (*HERE, index, within(g, one_m(one)), negate(cell == other), implies(here.key == there.key, negate(b == g)))
    yield Obligation("no two move to one", apart, negate(here.after == with_index(there.after, g)))


def variables_of(x: Int) -> list[str]:
    return sorted(variables(x)) if isinstance(x, Node) else []


class WithIndex(Renamed):
    """Reads a term with another letter in place of the index ``b``."""

    def variable(self, name: str) -> Any:
        return self.rank if name == "b" else Sym.var(name)


def with_index(x: Int, index: Sym) -> Int:
    found: Int = WithIndex(index)(x)
    return found


def one_m(one: Loop) -> Int:
    """Return how many ranks meet at most."""
    found: Int = next(x for x in one.given if hasattr(x, "m")).m
    return found


def groups(page: Page, path: Any, one: Loop) -> Iterator[Obligation]:
    """Yield the obligations that the ranks that meet are the ``m`` that the page says."""
    f, m, reading = page.module, one_m(one), path.given["x"].reading
    here, there = one.at(reading, cell), one.at(reading, other)
    mate, another = f.mate(cell, b, t, *one.given), f.mate(cell, g, t, *one.given)
    two = (*HERE, within(b, m), within(g, m))
    yield Obligation("each of m is a cell", two, within(mate))
    yield Obligation("each of m meets it", two, one.at(reading, mate).key == here.key)
    yield Obligation("no two of m are one", two, implies(mate == another, b == g))
    known = here.key == f.mate(cell, 0, t, *one.given)
    yield Obligation("they are known by the first of them, on which draws depend", HERE, known)
    takes = here.after == f.mate(cell, b, t, *one.given)
    yield Obligation("who looked after a part takes that cell of them", (*HERE, within(b, m)), takes)
    at = f.place(other, t, *one.given)
    met = both(within(at, m), other == f.mate(cell, at, t, *one.given))
    yield Obligation("nobody else meets it", HERE, implies(here.key == there.key, met))


def influence(page: Page, path: Any, one: Loop) -> Iterator[Obligation]:
    """Yield the obligations that a rank's mean contains the contributions that the page says."""
    f, m, reading, more = page.module, one_m(one), path.given["x"].reading, one.given
    here, there, last = (one.at(reading, place) for place in (cell, other, third))

    def has(place: Int, time: Int = t) -> Bool:
        found: Bool = f.holds(q, place, time, *more)
        return found

    first = Renamed(other)(one.begins)
    yield Obligation("its own at first", (within(q), within(other)), iff(f.holds(q, first, 0, *more), q == other))
    whose, index = (*HERE, within(q)), within(b, m)
    then = has(here.after, t + 1)
    brings = every(here.key == there.key, has(other))
    yield Obligation("what one brings who meets it comes", (*whose, index), implies(brings, then))
    bringer = f.mate(cell, f.place(q, t, *more), t, *more)
    came = both(one.at(reading, bringer).key == here.key, has(bringer))
    yield Obligation("nothing else comes", (*whose, index), implies(then, came))
    two = every(brings, within(third), here.key == last.key, has(third))
    once = implies(both(two, negate(f.everyone(t, *more))), other == third)
    yield Obligation("each from one, before all have all", whose, once)
    yield Obligation("all have all then", whose, implies(f.everyone(t, *more), has(cell)))
    yield Obligation("after these rounds", (), both(one.many >= 0, f.everyone(one.many, *more)))


def conservation(path: Any) -> Iterator[Obligation]:
    """Yield the obligations that a text's result is that of its rounds, which begin with its vector.

    So what a round conserves, the text conserves.
    """
    (one, *others) = path.loops
    yield Obligation(f"{path.name}: there is one loop", path.hypotheses, not others)
    yield from faithful(path, one)
