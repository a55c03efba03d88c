"""Points: one index of a vector, on any rank, for any number of ranks; what a composition's text is read on.

A point has a placement, in the words of sharded tensors:

=============  ===================================================
*partial*      every rank has a value of its own
*shard*        the index's owner has it, nobody else
*replicate*    all ranks have the same
*arrived*      the owner has one of each sender
=============  ===================================================

and a value ``(sum over ranks q of each(q)) + rest``: ``each`` in letters of rank ``q``; ``rest`` in letters of this
rank (partial) or in letters that all ranks share.  Of a ``mean`` the sum is over ``p``.  What is linear passes through
the sum; what is not is a letter of its own, the same one for the same arguments.  ``proofs/coq/points.v`` says why what
is so of points is so of all ranks.

Values are letters for numbers; solvers read them as real ones, since an entry may lie between two whole numbers.
Numbers of ranks and of calls, and parameters, are whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from sparring.errors import Refuted, Undecided
from sparring.proofs.reading.all_ranks import OfAllRanks
from sparring.proofs.reading.held_values import inside
from sparring.proofs.reading.summands import chosen, minus, nonzero, operation, plus, true
from sparring.spec.core.numbers import Bool, Int, Node, both, either, negate, where
from sparring.spec.core.vectors import AtPoint, Unset, of_single_entries, said_of_all

ORDER = ("replicate", "shard", "partial", "arrived")


class Apart(Refuted):
    """Raised where no rank can do what the text does; the message says why."""


def lowest(*things: Any) -> tuple[str, Any]:
    """Return the placement at which all of these are available, and their owner; raise Apart where no rank has all."""
    placed = [t for t in things if isinstance(t, Point | Condition)]
    found, owners = {t.placement for t in placed}, {t.owner for t in placed if t.owner}
    if {"arrived", "partial"} <= found:
        raise Apart("a rank combines what it has itself with what the owner of the index has of each sender")
    if {"shard", "partial"} <= found:
        raise Apart("a rank combines what it has itself with what only the owner of the index has")
    if len(owners) > 1:
        raise Apart(f"shards of two owners are combined: by {' and by '.join(sorted(map(str, owners)))}")
    return max(found, key=ORDER.index, default="replicate"), next(iter(owners), "")


def at_one_index(*things: Any) -> tuple[str, Any]:
    """Return the same of what is taken entry by entry; raise Undecided for a chunk with a whole vector."""
    placed = [t for t in things if isinstance(t, Point | Condition)]
    whole = [t for t in placed if t.placement == "replicate" and t.by_entry]
    if whole and any(t.placement == "shard" for t in placed):
        raise Undecided(f"{whole[0]!r}, of a whole vector, meets what only the owner of an index has: see own_chunk")
    return lowest(*things)


@dataclass(frozen=True, eq=False)
class Point(OfAllRanks):
    """A number at an index; see the module's docstring."""

    reading: Any
    placement: str
    rest: Int
    each: Int = 0
    mean: bool = False
    owner: Any = ""
    """How the owner of a shard is found, in words or as a ``Cut`` of a grid; empty for other points."""
    there: Bool | None = None
    """Whether an entry of a sparse vector is there, as explicit zeros are; None where nothing is known of it."""
    thinned: bool = False
    """Whether entries were taken out of a shard, so that one owner may have all that are left."""
    holds: str = ""
    """``"ranks"``: it is a list by rank; ``"fields"``: a function of whole vectors gives it, so it may be a record."""
    cuts: str = ""
    """``"bounds"`` where the point says where the parts that cut the vector begin; ``"proposals"``: a list of such."""

    def __repr__(self) -> str:
        whose = {"partial": "own ", "shard": "owner's ", "arrived": "sender's ", "replicate": ""}[self.placement]
        sums = f"{'mean' if self.mean else 'sum'} of {self.each!r}" if nonzero(self.each) else ""
        return whose + " + ".join(x for x in (sums, repr(self.rest) if nonzero(self.rest) or not sums else "") if x)

    def __add__(self, o: Any) -> Point:
        return combined(self, o, plus)

    def __radd__(self, o: Any) -> Point:
        return combined(o, self, plus)

    def __sub__(self, o: Any) -> Point:
        return combined(self, o, minus)

    def __rsub__(self, o: Any) -> Point:
        return combined(o, self, minus)

    def __neg__(self) -> Point:
        return combined(0, self, minus)

    def __mul__(self, o: Any) -> Point:
        return scaled(self, o)

    def __rmul__(self, o: Any) -> Point:
        return scaled(self, o)

    def __truediv__(self, o: Any) -> Any:
        return divided(self, o)

    def __floordiv__(self, o: Any) -> Point:
        return self.letter(operation("//"), (self, o))

    def __rfloordiv__(self, o: Any) -> Point:
        return self.letter(operation("//"), (o, self))

    def __mod__(self, o: Any) -> Point:
        return remainder(self, o)

    def __rmod__(self, o: Any) -> Point:
        return self.letter(operation("%"), (o, self))

    def __abs__(self) -> Point:
        return self.letter(operation("abs"), (self,))

    def __lt__(self, o: Any) -> Condition:
        return compared(self, o, "<", lambda a, b: a < b)

    def __le__(self, o: Any) -> Condition:
        return compared(self, o, "<=", lambda a, b: a <= b)

    def __gt__(self, o: Any) -> Condition:
        return compared(lifted(self, o), self, "<", lambda a, b: a < b)

    def __ge__(self, o: Any) -> Condition:
        return compared(lifted(self, o), self, "<=", lambda a, b: a <= b)

    def __eq__(self, o: object) -> Any:
        if not of_single_entries() and (self.by_entry or (isinstance(o, Point) and o.by_entry)):
            raise Undecided(f"{self!r} == {o!r}: of vectors that asks whether they are one object; right is each")
        return compared(self, o, "==", lambda a, b: a == b)

    def __ne__(self, o: object) -> Any:
        return ~(self == o)

    __hash__ = AtPoint.__hash__

    def __bool__(self) -> bool:
        return bool(self.truth)

    def __len__(self) -> int:
        raise Undecided(
            f"the length of {self!r} is asked for: a text that is read knows of no lengths; use local functions"
        )

    def __iter__(self) -> NoReturn:
        raise Undecided(f"the text goes through the entries of {self!r}: use local functions")

    def __getitem__(self, at: Any) -> Point:
        if self.holds != "ranks" or not isinstance(at, int | Point):
            raise Undecided(f"{self!r}[{at!r}]: where that is in a vector, or in a part of one, no point says")
        return self.letter(operation("[]"), (self, at))

    def __getattr__(self, field: str) -> Point:
        if field.startswith("_"):
            raise AttributeError(field)
        if self.holds != "fields":
            raise Undecided(f"{field} of {self!r}: that of a vector, or of a part of one, no point says")
        return self.letter(operation(f".{field}"), (self,))

    @property
    def by_entry(self) -> bool:
        """Whether this is known to be of each entry of a vector, and no number."""
        return any(map(self.reading.by_entry, (self.each, self.rest)))

    @property
    def truth(self) -> Condition:
        """The truth of a number that was meant as one: the result of a local function."""
        if nonzero(self.each):
            return Condition(
                self.reading, self.placement, true(self.letter(operation("truth"), (self,)).rest), self.owner
            )
        return Condition(self.reading, self.placement, true(self.rest), self.owner)

    def chooses(self, a: Any, b: Any) -> Any:
        return self.truth.chooses(a, b)

    def __and__(self, o: Any) -> Condition:
        return conditions(both, self.truth, o)

    def __rand__(self, o: Any) -> Condition:
        return conditions(both, self.truth, o)

    def __or__(self, o: Any) -> Condition:
        return conditions(either, self.truth, o)

    def __invert__(self) -> Condition:
        return replace(self.truth, value=negate(self.truth.value))

    def letter(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Point:
        found: Point = self.reading.letter(function, args)
        return found

    def formula(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Point:
        found: Point = self.reading.formula(function, args)
        return found

    def is_number(self) -> bool:
        return not self.reading.poisoned

    def total(self) -> Point:
        said_of_all("total")
        return over_ranks(self)

    def over_senders(self) -> Point:
        """Return the sum over all senders, which the owner has."""
        if self.placement != "arrived" or nonzero(self.each):
            raise Apart(f"{self!r} is summed over senders, of which it is not")
        return Point(self.reading, "shard", 0, self.rest, owner="chunks")

    def own_chunk(self, r: Any, p: Any) -> Point:
        """Return what the owner of the index has there, for a value that every rank has of its own.

        Raises Undecided for the chunk of another rank, or of a vector that is not cut for all ranks.
        """
        if not (isinstance(r, Point) and repr(r) == "own r" and point(self.reading, p).rest is self.reading.ranks):
            raise Undecided(f"own_chunk(x, {r!r}, {p!r}) is no rank's own chunk; right is own_chunk(x, r, p)")
        if self.placement == "shard":
            raise Apart("a rank's own chunk of what only the owner of an index has")
        if self.placement == "replicate":
            return replace(self, placement="shard", owner="chunks", holds="")
        found: Point = self.reading.named("own chunk", (self, r, p), entrywise=True, placement="shard")
        return replace(found, owner="chunks")

    def settled(self) -> Point:
        """Return the point with a letter for its sum over ranks, so that a rank's own condition may choose it."""
        if not nonzero(self.each):
            return self
        sums = replace(self, rest=0, placement="replicate", owner="")
        letter: Point = self.reading.named("sum over ranks", (sums,), entrywise=True)
        return replace(self, each=0, mean=False, rest=plus(letter.rest, self.rest))

    def only(self, mask: Any) -> Point:
        """Return the entries of a sparse vector where ``mask`` is true; absent entries are 0."""
        mask = mask.truth if isinstance(mask, Point) else mask
        there = None if self.there is None else both(self.there, mask.value)
        chosen: Point = mask.chooses(self, 0)
        return replace(chosen, there=there, thinned=self.placement == "shard")

    def support(self) -> Condition:
        """Return the condition that the entry is there; raise Undecided where nothing is known of it."""
        if self.there is None:
            raise Undecided(f"nothing is known of the support of {self!r}")
        return Condition(self.reading, self.placement, self.there, self.owner)


def over_ranks(x: Point) -> Point:
    """Return the sum over all ranks of what each has; for a value that all share, ``p`` times it.

    It is no method, so that no rank's text can have it of a point.
    """
    if nonzero(x.each) and not x.mean and not x.reading.alone:
        raise Undecided(f"{x!r} is a sum over all ranks already, of which the sum is asked for")
    return Point(x.reading, "replicate", 0, plus(x.rest, x.each))


@dataclass(frozen=True, eq=False)
class Condition(AtPoint):
    """A truth at an index."""

    reading: Any
    placement: str
    value: Bool
    owner: Any = ""

    def __repr__(self) -> str:
        return f"{'own ' if self.placement == 'partial' else ''}{self.value!r}"

    def __eq__(self, o: object) -> NoReturn:
        raise TypeError(
            f"{self!r} is a symbol, and == {o!r} asks which truth it is: write where(c, a, b) or ~c instead"
        )

    __hash__ = AtPoint.__hash__

    def __and__(self, o: Any) -> Condition:
        return conditions(both, self, o)

    def __rand__(self, o: Any) -> Condition:
        return conditions(both, self, o)

    def __or__(self, o: Any) -> Condition:
        return conditions(either, self, o)

    def __ror__(self, o: Any) -> Condition:
        return conditions(either, self, o)

    def __invert__(self) -> Condition:
        return replace(self, value=negate(self.value))

    def __bool__(self) -> bool:
        """Return the side of a branch that is read; all sides are read, one after the other."""
        if self.placement != "replicate" and not isinstance(self.value, bool):
            raise Apart(f"a rank's own condition, {self.value!r}, decides what it does next: ranks part ways")
        side: bool = self.reading.decides(self.value)
        return side

    @property
    def by_entry(self) -> bool:
        """Whether this is known to be of each entry of a vector, and no truth alone."""
        return bool(self.reading.by_entry(self.value))

    def chooses(self, a: Any, b: Any) -> Any:
        """Return ``where(self, a, b)``; a condition that all ranks share passes through sums."""
        if (known := self.reading.knows(self.value)) is not None:
            return a if known else b
        if isinstance(a, Condition | bool) and isinstance(b, Condition | bool):
            return (self & a) | (~self & b)
        if a is b:
            return a
        x, y = point(self.reading, a), point(self.reading, b)
        placement, owner = at_one_index(self, x, y)
        if self.placement == "partial":
            x, y = x.settled(), y.settled()
        x, y = alike(x, y)
        each, rest = chosen(self.value, x.each, y.each), chosen(self.value, x.rest, y.rest)
        return Point(self.reading, placement, rest, each, x.mean, owner, thinned=x.thinned or y.thinned)

    def letter(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Point:
        found: Point = self.reading.letter(function, args)
        return found


def point(reading: Any, x: Any) -> Point:
    """Return a number, or an absent value, as a point that all ranks have."""
    if isinstance(x, Point):
        return x
    if isinstance(x, Unset):
        x.used()
    if isinstance(x, Condition):
        return Point(reading, x.placement, where(x.value, 1, 0), owner=x.owner)
    if isinstance(x, Node) or (isinstance(x, int) and not isinstance(x, bool)):
        return Point(reading, "replicate", x)  # type: ignore[arg-type]  # a term
    if isinstance(x, float) and x == 0:
        return Point(reading, "replicate", 0)
    if type(x).__name__ == "Nothing":
        return Point(reading, "replicate", 0)
    raise Undecided(f"{x!r} cannot be read at a point; a local function can hold it")


def lifted(like: Point, x: Any) -> Point:
    return point(like.reading, x)


def of_both(a: Any, b: Any) -> tuple[Point, Point]:
    reading = (a if isinstance(a, Point) else b).reading
    return alone(point(reading, a)), alone(point(reading, b))


def alone(x: Point) -> Point:
    """Return a point to compute with; raise Undecided for a list by rank, of which a sum is a longer list."""
    if x.holds == "ranks":
        raise Undecided(f"a text computes with {x!r}, a list by rank: use local functions")
    return x


def alike(a: Point, b: Point) -> tuple[Point, Point]:
    """Return two points whose sums are both means, or both none; raise Undecided for one of each."""
    if nonzero(a.each) and nonzero(b.each) and a.mean != b.mean:
        raise Undecided(f"{a!r} and {b!r}: of a sum and a mean over ranks")
    mean = a.mean if nonzero(a.each) else b.mean
    return replace(a, mean=mean), replace(b, mean=mean)


def combined(a: Any, b: Any, op: Callable[[Int, Int], Int]) -> Point:
    """Return a linear operation of two points, applied to their sums and to the rest."""
    a, b = alike(*of_both(a, b))
    placement, owner = at_one_index(a, b)
    there = None if a.there is None or b.there is None else either(a.there, b.there)
    each, rest = op(a.each, b.each), op(a.rest, b.rest)
    return Point(a.reading, placement, rest, each, a.mean, owner, there, thinned=a.thinned or b.thinned)


def remainder(a: Point, o: Any) -> Point:
    """Return ``a % o``: 0 where ``a`` is 0, else a letter."""
    return a if not nonzero(a.each) and not nonzero(a.rest) else a.letter(operation("%"), (a, o))


def scaled(a: Point, o: Any) -> Point:
    """Return a product; a number in the text multiplies sums and the rest, else the product is a letter."""
    if isinstance(o, int) and not isinstance(o, bool):
        a = replace(alone(a), holds="", cuts="")
        return replace(a, rest=a.rest * o if nonzero(a.rest) else 0, each=a.each * o if nonzero(a.each) else 0)
    if isinstance(o, Point) and o.rest is a.reading.p and a.placement != "partial":
        return replace(over_ranks(a), placement=a.placement, owner=a.owner)
    if isinstance(a, Point) and a.rest is a.reading.p and isinstance(o, Point):
        return scaled(o, a)
    return a.letter(operation("*"), (a, o))


def divided(a: Point, o: Any) -> Point:
    """Return a quotient: a mean, where a sum over ranks alone is divided by their number; else a letter."""
    over = o.rest if isinstance(o, Point) else o
    if isinstance(over, int) and over == 1:
        return a
    if over is a.reading.p and nonzero(a.each) and not nonzero(a.rest) and not a.mean:
        return replace(a, mean=True)
    return a.letter(operation("/"), (a, o))


def compared(a: Any, b: Any, name: str, op: Callable[[Int, Int], Bool]) -> Condition:
    """Return the comparison of two numbers: a formula, or a letter where sums over ranks are compared."""
    if isinstance(b, str):
        return Condition(a.reading, "replicate", False)
    a, b = of_both(a, b)
    placement, owner = at_one_index(a, b)
    if nonzero(a.each) or nonzero(b.each):
        told = a.letter(operation(name), (a, b)).truth
        return Condition(a.reading, placement, told.value, owner)
    return Condition(a.reading, placement, op(a.rest, b.rest), owner)


def conditions(op: Callable[[Bool, Bool], Bool], a: Condition, b: Any) -> Condition:
    """Return the two truths combined by ``op``."""
    other: Condition
    other = b.truth if isinstance(b, Point) else Condition(a.reading, "replicate", b) if isinstance(b, bool) else b
    placement, owner = at_one_index(a, other)
    return Condition(a.reading, placement, op(a.value, other.value), owner)


def parts(x: Any) -> Iterable[Point | Condition]:
    """Yield the points in the arguments of a local function; raise Undecided where it is not known which there are."""
    if isinstance(x, Unset):
        x.used()
    if isinstance(x, Point | Condition):
        yield x
    else:
        for one in inside(x)[1]:
            yield from parts(one)
