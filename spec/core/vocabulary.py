"""The words that pages are written in: kinds of collectives, of data and of formulas, and what each may ask for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import NamedTuple

from sparring.errors import InputError
from sparring.spec.core.numbers import Bool, Int, both


class Kind(NamedTuple):
    """What a collective starts from and must end with, cell by cell.

    ``start(q, r, c, p)``: rank ``r``'s copy of chunk ``c`` contains ``q``'s contribution before
    the first step; ``goal(q, r, c, p)``: it does after the last, where ``wanted(r, c, p)``.
    """

    start: Callable[[Int, Int, Int, Int], Bool]
    goal: Callable[[Int, Int, Int, Int], Bool]
    wanted: Callable[[Int, Int, Int], Bool] = lambda r, c, p: True


KINDS: Mapping[str, Kind] = {
    "allreduce": Kind(start=lambda q, r, c, p: q == r, goal=lambda q, r, c, p: True),
    "reduce_scatter": Kind(
        start=lambda q, r, c, p: q == r, goal=lambda q, r, c, p: True, wanted=lambda r, c, p: r == c
    ),
    "allgather": Kind(start=lambda q, r, c, p: both(q == r, r == c), goal=lambda q, r, c, p: q == c),
}

# What the p chunks are: pieces that a vector of one length on all ranks is cut into; whole sparse
# vectors, chunk c being rank c's, which are added in the order of ranks once all have come; pieces of
# sparse vectors; or pieces of vectors of which some entries are sent and the others stay behind.  Or
# vectors are whole and what is sent of them is a composition's own matter: coded, averaged, lost on the way.
DATA = ("vector", "lists", "sparse", "selected", "dense")
DTYPES = ("float32", "float64", "int32", "int64")

# How the proofs read a page's formulas: as integers; where they have ^, <<, >>, bit_length or reverse, as bits;
# where they are about digits to some base, by facts about these.
ENCODINGS = ("wrap", "bits", "digits")

# What each formula of a page may ask for, in the order in which sparring calls it.
LETTERS: Mapping[str, tuple[str, ...]] = {
    "steps": ("p",),
    "messages": ("t", "p"),
    "dst": ("r", "t", "p", "j"),
    "src": ("r", "t", "p", "j"),
    "chunk": ("r", "t", "p", "j"),
    "block": ("r", "t", "p"),
    "carries": ("r", "c", "t", "p"),
    "below": ("r", "c", "t", "p"),
    "adds": ("t", "p"),
    "active": ("r", "t", "p", "j"),
    "who": ("q", "r", "c", "t", "p"),
    "chunks": ("p",),
    "holds": ("q", "r", "c", "t", "p"),
    "live": ("r", "c", "t", "p"),
    "start": ("q", "r", "c", "p"),
    "goal": ("q", "r", "c", "p"),
    "wanted": ("r", "c", "p"),
    "words": ("r", "t", "c", "p", "n", "k"),
    "added": ("r", "t", "c", "p", "n", "k"),
    "selects": ("x", "c", "p", "n", "w"),
    "keeps": ("x", "c", "p", "n", "w"),
    "sends": ("x", "c", "t", "p", "n", "w"),
    "left": ("x", "cut", "y"),
    "octets": ("m", "size", "w"),
    "encoded": ("m", "size", "w"),
}


def kind_of(module: ModuleType, name: str) -> str:
    """The module's kind: one of ``KINDS``, or of its own where it says what that starts from and must end with.

    Raises InputError where it gives a kind of ``KINDS`` another promise: theorems name the kind alone.
    """
    said = getattr(module, "kind", "allreduce")
    stated = [f for f in Kind._fields if hasattr(module, f)]
    if said in KINDS and stated:
        raise InputError(
            f"page {name} defines {', '.join(stated)}, but what {said} promises is the same on every page: "
            'leave that out, or give the kind a name of its own, such as kind = "neighbours"'
        )
    if said not in KINDS and not (stated and isinstance(said, str) and re.fullmatch(OWN, said)):
        raise InputError(
            f"page {name}: no kind {said!r}; there are {', '.join(KINDS)}, and kinds of a page's own, whose names are "
            "small letters, digits and _, and which define start and goal"
        )
    return said


OWN = "[a-z][a-z0-9_]{0,39}"
"""How a page may call a kind of its own."""


def one_of(known: Iterable[str], module: ModuleType, name: str, what: str, default: str) -> str:
    """What the module says of this, one of the known words."""
    said: str = getattr(module, what, default)
    if said not in known:
        raise InputError(f"page {name}: no {what} {said!r}; there are {', '.join(known)}")
    return said
