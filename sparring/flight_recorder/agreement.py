"""Whether the calls of ranks that meet fit together: the same collective, as many elements, the same dtypes.

What must be equal depends on the collective: only the root of a scatter has inputs, only that of a gather has outputs,
and in an alltoall each pair of ranks has a size of its own.  Shapes may differ where the numbers of elements do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import prod

from sparring.flight_recorder.meetings import Call, Meeting
from sparring.flight_recorder.telling import at, cut, parted, printable, ranks_told

UNEVEN = re.compile(r"all_?to_?all|_v(_|$)", re.IGNORECASE)
"""The collectives in which ranks may bring and take different sizes."""
INPUTS, OUTPUTS = "brought", "took"
ROOTED = {"scatter": INPUTS, "gather": OUTPUTS}
"""What the root alone has."""


def disagreement(meeting: Meeting) -> str:
    """Say in one sentence how the calls of a meeting do not fit together; "" where they do."""
    calls = meeting.calls
    kinds = {rank: f"called {call.kind}" for rank, call in calls.items()}
    if not meeting.is_message and len(set(kinds.values())) > 1:
        return f"call {meeting.number} of {meeting.group}: {shares(calls, kinds)}"
    for said in (messages if meeting.is_message else collectives)(calls):
        if len(set(said.values())) > 1:
            return f"{meeting}: {shares(calls, said)}"
    return ""


def shares(calls: Mapping[int, Call], said: Mapping[int, str]) -> str:
    """Say what each rank does, and at which line.  The fewest ranks come first: they are likelier to be wrong."""
    found = parted({rank: f"{printable(said[rank])}{at(call.line)}" for rank, call in calls.items()})
    return ", ".join(f"{ranks_told(ranks)} {cut(what)}" for ranks, what in found)


Said = Iterator[dict[int, str]]


def collectives(calls: Mapping[int, Call]) -> Said:
    """Yield what must be equal on all ranks of a collective, as text, by rank."""
    kind = next(iter(calls.values())).kind
    for side in (INPUTS, OUTPUTS):
        if ROOTED.get(kind) != side:
            if not UNEVEN.search(kind):
                yield {rank: elements(side, sizes(call, side)) for rank, call in calls.items()}
            yield {rank: dtypes(side, call, side) for rank, call in calls.items()}


def messages(calls: Mapping[int, Call]) -> Said:
    """Yield what must be equal on both ends of a message: a send has inputs, a receive outputs."""
    sides = {rank: INPUTS if call.kind.startswith("send") else OUTPUTS for rank, call in calls.items()}
    yield {rank: elements("had", sizes(call, sides[rank])) for rank, call in calls.items()}
    yield {rank: dtypes("had", call, sides[rank]) for rank, call in calls.items()}


def sizes(call: Call, side: str) -> list[Sequence[int]]:
    return [size for e in call.entries for size in (e.input_sizes if side == INPUTS else e.output_sizes)]


def elements(verb: str, found: Sequence[Sequence[int]]) -> str:
    """Say how many elements tensors of these shapes have.

    >>> elements("brought", [[2, 3]]), elements("took", [[2], [3]]), elements("took", [])
    ('brought 6 elements', 'took tensors of 2 and 3 elements', 'took no tensor')
    """
    numbers = [prod(size) for size in found]
    if len(numbers) == 1:
        return f"{verb} {numbers[0]} element{'s' * (numbers[0] != 1)}"
    return f"{verb} tensors of {' and '.join(map(str, numbers))} elements" if numbers else f"{verb} no tensor"


def dtypes(verb: str, call: Call, side: str) -> str:
    names = dict.fromkeys(d for e in call.entries for d in (e.input_dtypes if side == INPUTS else e.output_dtypes))
    return f"{verb} {' and '.join(names) or 'no dtype'}"
