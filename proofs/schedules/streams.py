"""Schedule files of pages, written rank by rank: of all messages one rank's are in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from msgspec import json
from msgspec.structs import replace

from sparring.errors import InputError
from sparring.proofs.schedules import chakra, goal, msccl, pages
from sparring.proofs.schedules.messages import Act, Sized, acts, octets
from sparring.proofs.schedules.program import Program, Rank
from sparring.proofs.schedules.rows import Rows
from sparring.proofs.schedules.turning import PEER, Filler, hole, holed, turns
from sparring.spec.core.model import Page

Pieces = Iterator[tuple[str, bytes]]
"""What a file's name ends in, and the next bytes of it."""


class Whole(NamedTuple):
    """A format of which one file holds all ranks."""

    ending: str
    text: Callable[[Any, Rank], str]
    """A rank with this number, with holes."""
    around: Callable[[Program, int], tuple[bytes, bytes]]
    """What comes before the ranks of a program, and after them."""
    between: bytes = b""


def goal_text(r: Any, rank: Rank) -> str:
    """A rank in GOAL."""
    own = acts(rank.blocks, hole)
    return goal.rank(r, [act if act.kind == "calc" else replace(act, peer=hole(act.peer, PEER)) for act in own])


def json_text(_: Any, rank: Rank) -> str:
    """A rank in JSON, where no number has quotes."""
    return json.encode(holed(rank)).decode().replace('"@', "@").replace('@"', "@")


def json_around(program: Program, _: int) -> tuple[bytes, bytes]:
    """All but the ranks."""
    begin, ranks, end = json.encode(program).partition(b'"ranks":[')
    return begin + ranks, end


WHOLE: Mapping[str, Whole] = {
    "msccl": Whole(".xml", lambda r, rank: msccl.gpu(r, holed(rank)),
                   lambda program, p: (msccl.head(program, p).encode(), msccl.TAIL.encode())),
    "json": Whole(".json", json_text, json_around, b","),
    "goal": Whole(".goal", goal_text, lambda program, p: (goal.head(p), b"")),
}  # fmt: skip


def written(page: Page, p: int, form: str, size: int) -> Pieces:
    """The files of the page's schedule at ``p`` ranks, of a vector of ``size`` bytes, a piece for each rank.

    Raises InputError where a file could not say what the page does, ScheduleFault where it makes no schedule.
    """
    if form not in (*WHOLE, "chakra"):
        raise InputError(f"no format {form!r}; there are msccl, json, goal and chakra")
    if size < 1:
        raise InputError(f"size = {size}; right: the bytes of the vector, 1 or more")
    rows, program = pages.begun(page, p)
    sized = octets(rows.chunks, size)
    return traces(rows, sized) if form == "chakra" else whole(rows, program, WHOLE[form], sized)


def whole(rows: Rows, program: Program, form: Whole, sized: Sized) -> Pieces:
    """The pieces of one file."""
    filler = Filler(rows.p, rows.chunks, sized)
    begin, end = form.around(program, rows.p)
    for r, base, row in turns(rows):
        if row is not None:
            filler.take(form.text(hole(r, PEER), pages.rank(rows.page, rows.chunks, row)))
        before, after = begin if r == 0 else form.between, end if r == rows.p - 1 else b""
        yield form.ending, before + filler.filled(r - base) + after


def traces(rows: Rows, sized: Sized) -> Pieces:
    """Chakra's files, one a rank."""
    own: list[tuple[bytes, Any]] = []
    for r, base, row in turns(rows):
        if row is not None:
            found = acts(pages.rank(rows.page, rows.chunks, row).blocks, lambda first, count: (first, count))
            own = [(chakra.begun(i, act), act) for i, act in enumerate(found)]
        yield f".{r}.et", chakra.head() + b"".join(nodes(own, r, r - base, rows, sized))


def nodes(own: list[tuple[bytes, Any]], r: int, by: int, rows: Rows, sized: Sized) -> Iterator[bytes]:
    """The nodes of rank ``r``, whose number is so much larger than that of the rank that has these operations."""
    ends: dict[tuple[str, int, int], bytes] = {}
    for begun, act in own:
        if act.kind == "calc":
            yield chakra.prefixed(begun + chakra.ended(r, act))
            continue
        first, count = act.size
        key = act.kind, sized((first + by) % rows.chunks, count), (act.peer + by) % rows.p
        if key not in ends:
            ends[key] = chakra.ended(r, Act(*key))
        yield chakra.prefixed(begun + ends[key])
