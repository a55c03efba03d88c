"""Schedule files, written rank by rank, so that memory holds the messages of one rank at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec import json
from msgspec.structs import replace

from sparring.errors import InputError
from sparring.schedules import from_page, rotational_symmetry
from sparring.schedules.formats import chakra, goal, msccl
from sparring.schedules.messages import Sized, acts, octets
from sparring.schedules.program import Program, Rank
from sparring.spec.core.model import Page

Pieces = Iterator[tuple[str, bytes]]
"""Pairs of the ending of a file's name and the next bytes of that file."""


class Whole(NamedTuple):
    """A format in which one file holds all ranks."""

    ending: str
    text: Callable[[int, Rank, Sized], str]
    """Returns a rank's text, given its number and the bytes of chunks; the rank may have holes."""
    around: Callable[[Program, int], tuple[str, str]]
    """Returns the text before the ranks of a program, and after them."""
    between: bytes = b""


def json_text(_: int, rank: Rank, __: Sized) -> str:
    """Return a rank as JSON; holes have no quotes."""
    return json.encode(rank, enc_hook=str).decode().replace('"@', "@").replace('@"', "@")


def json_around(program: Program, _: int) -> tuple[str, str]:
    """Return the JSON before the ranks, and after them."""
    begin, ranks, end = json.encode(replace(program, ranks=())).decode().partition('"ranks":[')
    return begin + ranks, end


WHOLE: Mapping[str, Whole] = {
    "msccl": Whole(
        ".xml", lambda r, rank, _: msccl.gpu(r, rank), lambda program, p: (msccl.head(program, p), msccl.TAIL)
    ),
    "json": Whole(".json", json_text, json_around, b","),
    "goal": Whole(
        ".goal", lambda r, rank, sized: goal.rank(r, acts(rank.blocks, sized)), lambda _, p: (goal.head(p), "")
    ),
}


def write_schedule(page: Page, p: int, form: str, size: int) -> Pieces:
    """Yield the files of the page's schedule at ``p`` ranks, for a vector of ``size`` bytes, a piece for each rank.

    Raises InputError where a file could not say what the page does, ScheduleFault where it makes no schedule.
    """
    if form not in (*WHOLE, "chakra"):
        raise InputError(f"no format {form!r}; there are msccl, json, goal and chakra")
    if size < 1:
        raise InputError(f"size = {size}; right: the bytes of the vector, 1 or more")
    rows, program = from_page.begun(page, p)
    turned, sized = rows.turned(), octets(rows.chunks, size)
    if turned is None:
        return pieces(program, p, (from_page.rank(page, rows.chunks, row) for row in rows), form, size)
    one, spans = from_page.rank(page, rows.chunks, turned), rotational_symmetry.spans(sized)
    if form == "chakra":
        return name_pieces(program, p, chakra.filled(acts(one.blocks, spans), p, sized), form)
    return name_pieces(
        program,
        p,
        rotational_symmetry.filled(WHOLE[form].text(rotational_symmetry.Hole(0), one, spans), p, sized),
        form,
    )


def pieces(program: Program, p: int, ranks: Iterable[Rank], form: str, size: int) -> Pieces:
    """Yield the files of a program with these ``p`` ranks: one, or one for each rank of Chakra's traces."""
    sized = octets(program.chunks, size)
    if form == "chakra":
        return name_pieces(program, p, (chakra.trace(r, acts(one.blocks, sized)) for r, one in enumerate(ranks)), form)
    return name_pieces(program, p, (WHOLE[form].text(r, one, sized).encode() for r, one in enumerate(ranks)), form)


def name_pieces(program: Program, p: int, texts: Iterable[bytes], form: str) -> Pieces:
    """Yield the pieces of files, given each rank's text."""
    if form == "chakra":
        yield from ((f".{r}.et", data) for r, data in enumerate(texts))
        return
    begin, end = (side.encode() for side in WHOLE[form].around(program, p))
    for r, data in enumerate(texts):
        before, after = WHOLE[form].between if r else begin, b"" if r < p - 1 else end
        yield WHOLE[form].ending, before + data + after
