"""Carries out exchanges by their pages: all ranks' pieces, sent step by step as the page's formulas say."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import chain, pairwise, zip_longest
from typing import Any, NamedTuple

from sparring.errors import InputError
from sparring.spec.core.model import Page, bound
from sparring.spec.core.runs import Message
from sparring.spec.core.schedule import number, step_sends, truth
from sparring.spec.core.sparse import SparseVector, plain, strung
from sparring.spec.core.vectors import Vector
from sparring.spec.core.wire_forms import PLAIN

Trace = list[list[Message]]


class Carried(NamedTuple):
    """What an exchange gives: by rank what it has then; and the messages, step by step."""

    results: list[Any]
    trace: Trace


def regrouped(groups: Sequence[Sequence[int]], found: Sequence[Carried]) -> Carried:
    """What groups did each by itself, at the same time: ``groups`` says by place which ranks they are."""
    results = {r: y for ranks, one in zip(groups, found) for r, y in zip(ranks, one.results)}
    traces = [
        [[Message(ranks[m.src], ranks[m.dst], m.entries) for m in wire] for wire in one.trace]
        for ranks, one in zip(groups, found)
    ]
    trace = [sorted(chain(*step), key=lambda m: m.src) for step in zip_longest(*traces, fillvalue=())]
    return Carried([results[r] for r in sorted(results)], trace)


def extent(x: Any) -> int:
    """How many entries a vector has, with those that are absent."""
    return x.n if isinstance(x, SparseVector) else len(x)


def direct(page: Page, p: int) -> bool:
    """Whether all that ranks send is their own: what comes in the only step is not sent on."""
    return number(page.steps(p)) <= 1


def bounds(n: int, p: int) -> list[int]:
    """Where chunks begin, and the last ends."""
    return [number(bound(c, n, p)) for c in range(p + 1)]


def slices(begins: Sequence[int]) -> list[slice]:
    return [slice(*cut) for cut in pairwise(begins)]


def collected(page: Page, cells: Sequence[Sequence[Any]], code: Any) -> tuple[list[dict[int, Any]], Trace]:
    """By chunk, whose codes of it have come to its rank; each comes from its own rank, or is the rank's own."""
    p = len(cells)
    kept, trace = [{c: cells[c][c]} for c in range(p)], []
    for t in range(number(page.steps(p))):
        sends = [(r, d, c) for r, d, chunks in step_sends(page, t, p) for c in chunks]
        for r, d, c in sends:
            kept[d][r] = cells[r][c]
        trace.append([Message(r, d, code.written(cells[r][c])) for r, d, c in sends])
    return kept, trace


def in_turns(page: Page, cells: Sequence[Sequence[Any]], code: Any, bucket: int) -> Carried:
    """By rank, its own chunk and what comes of it in each turn, added in this order; so many turns are a step."""
    if bucket < 1:
        raise InputError(f"bucket = {bucket}: it must be 1 or more")
    if page.several:
        raise InputError(no_turns(page))
    p, turns = len(cells), [step_sends(page, t, len(cells)) for t in range(number(page.steps(len(cells))))]
    sums = [code.decode(cells[r][r]) for r in range(p)]
    trace = []
    for first in range(0, len(turns), bucket):
        sends = [(r, d, c) for turn in turns[first : first + bucket] for r, d, chunks in turn for c in chunks]
        for r, d, c in sends:
            sums[d] = sums[d] + code.decode(cells[r][c])
        sends.sort(key=lambda one: one[0])
        trace.append([Message(r, d, code.written(cells[r][c])) for r, d, c in sends])
    return Carried(sums, trace)


def no_turns(page: Page) -> str:
    """Why a page that sends several messages a step has no buckets of turns."""
    return f"through = {page.name!r}: a rank sends all at once and takes no turns; right is no bucket, or rotation"


def summed(page: Page, cells: Sequence[Sequence[Any]], code: Any) -> Carried:
    """Sums that are made on the way, of what is not coded."""
    if code != PLAIN:
        raise InputError(f"through = {page.name!r}: codes are not added on their way; right is a direct exchange")
    p, held = len(cells), [[*row] for row in cells]
    trace = []
    for t in range(number(page.steps(p))):
        sends = [(r, d, [*chunks]) for r, d, chunks in step_sends(page, t, p)]
        now = [(r, d, chunks, [held[r][c] for c in chunks]) for r, d, chunks in sends]
        for _, d, chunks, parts in now:
            for c, part in zip(chunks, parts):
                held[d][c] = part + held[d][c] if truth(page.adds(t, p)) else part
        trace.append([Message(r, d, [*chain(*parts)]) for r, d, _, parts in now])
    return Carried([held[r][r] for r in range(p)], trace)


def shown(page: Page, coded: Sequence[Any], code: Any) -> tuple[list[list[Any]], Trace]:
    """By rank, all ranks' codes; each is forwarded as it came."""
    p = len(coded)
    held: list[dict[int, Any]] = [{r: coded[r]} for r in range(p)]
    trace = []
    for t in range(number(page.steps(p))):
        sends = [(r, d, [*chunks]) for r, d, chunks in step_sends(page, t, p)]
        now = [(r, d, chunks, [held[r][c] for c in chunks]) for r, d, chunks in sends]
        for _, d, chunks, parts in now:
            held[d].update(zip(chunks, parts))
        trace.append([Message(r, d, message(parts, code)) for r, d, _, parts in now])
    return [[row[c] for c in range(p)] for row in held], trace


def message(parts: Sequence[Any], code: Any) -> Any:
    """What is sent of the codes of several chunks, one after the other."""
    if len(parts) == 1:
        return code.written(parts[0])
    if isinstance(parts[0], SparseVector):
        return strung(parts, parts[0].n)
    written = [code.written(part) for part in parts]
    return memoryview(b"".join(written)) if isinstance(written[0], memoryview) else [*chain(*written)]


def added(parts: Sequence[Any]) -> Any:
    """Their sum, in this order."""
    return reduce(lambda a, b: a + b, parts)


def joined(parts: Sequence[Any]) -> Any:
    """Vectors one after the other; of sparse vectors, which have all indices, the sum."""
    first = parts[0]
    if isinstance(first, SparseVector):
        return added(parts)
    return Vector([v for part in parts for v in part], first.zero)


def spread(x: Vector, places: Sequence[int], y: Sequence[Any]) -> Vector:
    """Entries in their places, -0.0 as +0.0, and zeros elsewhere."""
    found = dict(zip(places, map(plain, y)))
    return x.having([found.get(i, x.zero) for i in range(len(x))])
