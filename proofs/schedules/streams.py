"""Schedule files, written rank by rank: of a page's messages one rank's are in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec import json
from msgspec.structs import replace

from sparring.errors import InputError
from sparring.proofs.schedules import chakra, goal, msccl, pages
from sparring.proofs.schedules.messages import acts
from sparring.proofs.schedules.program import Program, Rank
from sparring.spec.core.model import Page

Pieces = Iterator[tuple[str, bytes]]
"""What a file's name ends in, and the next bytes of it."""


class Whole(NamedTuple):
    """A format of which one file holds all ranks."""

    ending: str
    text: Callable[[int, Rank, int, int], str]
    """A rank, by its number, of a vector of so many chunks and bytes."""
    around: Callable[[Program, int], tuple[str, str]]
    """What comes before the ranks of a program, and after them."""
    between: str = ""


def json_around(program: Program, _: int) -> tuple[str, str]:
    """All but the ranks."""
    begin, ranks, end = json.encode(replace(program, ranks=())).decode().partition('"ranks":[')
    return begin + ranks, end


WHOLE: Mapping[str, Whole] = {
    "msccl": Whole(".xml", lambda r, rank, *_: msccl.gpu(r, rank),
                   lambda program, p: (msccl.head(program, p), msccl.TAIL)),
    "json": Whole(".json", lambda _, rank, *__: json.encode(rank).decode(), json_around, ","),
    "goal": Whole(".goal", lambda r, rank, n, size: goal.rank(r, acts(rank.blocks, n, size)),
                  lambda _, p: (goal.head(p), "")),
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
    return pieces(program, p, (pages.rank(page, rows.chunks, row) for row in rows), form, size)


def pieces(program: Program, p: int, ranks: Iterable[Rank], form: str, size: int) -> Pieces:
    """The files of a program that has these ``p`` ranks: one, or of Chakra's traces one a rank."""
    if form == "chakra":
        for r, one in enumerate(ranks):
            yield f".{r}.et", chakra.trace(r, acts(one.blocks, program.chunks, size))
        return
    ending, text, around, between = WHOLE[form]
    begin, end = around(program, p)
    for r, one in enumerate(ranks):
        before, after = between if r else begin, "" if r < p - 1 else end
        yield ending, f"{before}{text(r, one, program.chunks, size)}{after}".encode()
