"""States what exchanges promise on points: the theorems of their pages, at one index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from sparring.errors import InputError, Undecided
from sparring.proofs.logic.values import whole
from sparring.proofs.reading import grid_sums, loops
from sparring.proofs.reading.grid_sums import Cut
from sparring.proofs.reading.points import Apart, Condition, Point, parts, point
from sparring.proofs.reading.summands import nonzero
from sparring.proofs.reading.symbols import Reading, exact, free, read
from sparring.spec.core.exchanges import served
from sparring.spec.core.origins import sparrings
from sparring.spec.core.wire_forms import PLAIN
from sparring.spec.library.lossy_links import Collected, Handed
from sparring.spec.library.thresholds import count

LOCAL = ("x", "one", "many", "carried", "given")
"""The fields that may differ between ranks: what a rank brings, and the parts of a loop, which its reader judges."""


def answer(self: Reading, exchange: Any) -> Any:
    """Return what an exchange gives, by the theorem of its page; raise Apart where ranks cannot have its result."""
    for one in fields(exchange):
        if one.name not in getattr(exchange, "brings", LOCAL):
            shared(type(exchange).__name__, one.name, getattr(exchange, one.name))
    if not sparrings(type(exchange)):
        raise Undecided(f"nothing is known of the exchange {type(exchange).__name__}: it is not sparring's own")
    carried(exchange)
    if getattr(exchange, "among", None):
        return grid_sums.answer(self, exchange)
    rule = RULES.get(type(exchange).__name__)
    if rule is None:
        raise Undecided(f"nothing is known of the exchange {type(exchange).__name__}")
    return rule(self, exchange)


def shared(what: str, term: str, value: Any) -> None:
    """Raise Apart where ranks have terms of their own."""
    for one in parts(value):
        if one.placement != "replicate":
            raise Apart(f"{what}({term}={one!r}): ranks yield exchanges with different terms")


def carried(exchange: Any) -> None:
    """Raise Apart where no page carries the exchange out, or one of another kind."""
    try:
        _ = exchange.page if getattr(exchange, "kinds", ()) else None
    except InputError as why:
        raise Apart(str(why)) from why


def own(name: str, x: Any) -> Any:
    """Return what a rank brings to a sum: its own value, or one that all have; raise Apart for any other."""
    if x.placement in ("shard", "arrived"):
        raise Apart(f"{name} of what only the owner of an index has")
    if isinstance(x, Point) and nonzero(x.each):
        raise Apart(f"{name} of {x!r}, which has been added up already")
    return x


def added_as_they_are(e: Any, decoded: Any) -> None:
    """Raise Apart for codes that would be added on their way: only where all are ``decoded`` first have they a sum."""
    if e.code != PLAIN and not decoded:
        raise Apart(f"{type(e).__name__} of codes through {e.through!r}, which adds what it has: codes are not added")


def of_one_owner(name: str, x: Any) -> None:
    """Raise Apart for chunks of groups, of which each group has all."""
    if isinstance(x.owner, Cut):
        raise Apart(f"{name} of chunks that were cut along an axis: each group has all of them")


def reduce_scatter(self: Reading, e: Any) -> Point:
    added_as_they_are(e, e.bucket != 0 or self.sure(served(e.through).steps(self.p) <= 1))
    owner = f"bounds {e.bounds!r}" if present(e.bounds) else "chunks"
    brought = point(self, own("reduce_scatter", lifted(self, e.x)))
    x = read(self, e.code, brought, chunks=True, whole=True, cut=owner)
    if present(e.bounds) and getattr(e.bounds, "cuts", "") != "bounds":
        raise Apart(f"reduce_scatter(bounds={e.bounds!r}): nothing says that these cut the vector")
    if not self.sure(point(self, e.bucket).rest >= 0):
        raise Apart(f"reduce_scatter(bucket={e.bucket!r}): nothing says that this is a number of messages")
    return Point(self, "shard", 0, x.rest, owner=owner, there=self.somewhere(x))


def balanced(self: Reading, e: Any) -> Point:
    x = point(self, lifted(self, e.x))
    of_one_owner("balance", x)
    if x.placement != "shard":
        raise Apart("balance of what ranks have more than once: only the owner of an index may have it")
    if not isinstance(e.sizes, Point) or repr(e.sizes.rest) != repr(sizes(self, x).rest):
        raise Apart(f"balance(sizes={e.sizes!r}): these are not the sizes of what is balanced")
    return replace(x, owner="shares", thinned=False)


def sizes(self: Reading, x: Point) -> Point:
    """Return how many entries of ``x`` each rank has, by rank, as all ranks know it."""
    return self.told(self.letter(count, (x,)))


def present(bounds: Any) -> bool:
    return not (isinstance(bounds, tuple) and not bounds)


def lifted(self: Reading, x: Any) -> Any:
    return x if isinstance(x, Condition) else point(self, x)


def allgather(self: Reading, e: Any) -> Any:
    x = lifted(self, e.x)
    of_one_owner("allgather", x)
    if x.placement != "shard":
        whose = "what every rank has itself" if x.placement == "partial" else "what all ranks have"
        raise Apart(f"allgather of {whose}: ranks' pieces do not make one vector")
    if isinstance(x, Condition):
        return replace(x, placement="replicate", owner="")
    return replace(read(self, e.code, x, chunks=True, whole=False), placement="replicate", owner="")


def allreduce(self: Reading, e: Any) -> Point:
    added_as_they_are(e, served(e.through).kind == "allgather")
    filled = point(self, e.filled).rest
    if all(map(whole, free(filled))) and not self.sure(filled >= 1):  # what a local function gives, runs show
        raise Apart(f"allreduce(filled={e.filled!r}): nothing says that this is 1 or more")
    x = read(self, e.code, own("allreduce", point(self, e.x)), chunks=False, whole=True)
    total = Point(self, "replicate", 0, x.rest)
    return total if e.at is None else lifted(self, e.at).chooses(total, 0)


def gathered(self: Reading, e: Any) -> Point:
    x = lifted(self, e.x)
    if x.placement in ("shard", "arrived"):
        raise Apart("gather of what only the owner of an index has: see allgather")
    return self.gathered(x if exact(e.code) else read(self, e.code, point(self, x), chunks=False, whole=True))


def of_apart(self: Reading, e: Any) -> Point:
    return self.told(e.x)


def collected(self: Reading, e: Any) -> Any:
    """Return a sender's entry of this call if its packet is of this call; else the entry may be anything."""
    x = own("collect", point(self, e.x))
    version = self.version("owner", e.links, e.packet, e.call, e.own)
    entry = (version == e.call).chooses(x, self.fresh(f"late_{len(self.given)}_copy", "partial"))
    of_sender: dict[str, Any] = {"placement": "arrived", "owner": ""}
    return Collected(replace(version, **of_sender), replace(self.owns(), **of_sender), replace(entry, **of_sender))


def handed(self: Reading, e: Any) -> Any:
    """Return the owner's entry of this call if its packet is of this call; else the entry may be anything."""
    x = point(self, e.x)
    of_one_owner("hand", x)
    if x.placement != "shard":
        raise Apart("hand of what is not the owner's: ranks' pieces do not make one vector")
    version = self.version("rank", e.links, e.packet, e.call, own=True)
    entry = (version == e.call).chooses(x.owned(), self.fresh(f"late_{len(self.given)}_news", "partial"))
    return Handed(version, entry, self.versions_held(e.links, e.packet, e.call))


def of_rounds(self: Reading, e: Any) -> tuple[Point, Point]:
    """Return the mean of all vectors, if the page's invariant is proved; a rank alone keeps its own vector."""
    x, one = point(self, e.carried[0]), loops.loop(self, e)
    self.loops.append(one)
    mean = x if self.alone else Point(self, "partial", 0, x.rest, mean=True)
    return mean, self.fresh("cell", "partial")


def sparse_allreduce(self: Reading, e: Any) -> Point:
    """Return the sum of what each rank takes of its own vector."""
    x = own("sparse_allreduce", point(self, e.x))
    taken = own("sparse_allreduce", lifted(self, e.at))
    return Point(self, "replicate", 0, taken.chooses(x, 0).rest)


RULES: dict[str, Callable[[Reading, Any], Any]] = {
    "ReduceScatter": reduce_scatter,
    "Allgather": allgather,
    "Balance": balanced,
    "Allreduce": allreduce,
    "SparseAllreduce": sparse_allreduce,
    "Gather": gathered,
    "Apart": of_apart,
    "Collect": collected,
    "Hand": handed,
    "Rounds": of_rounds,
}
"""The promise of each exchange: the theorem of the page that carries it out, at an index."""
