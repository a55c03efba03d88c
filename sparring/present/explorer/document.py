"""The explorer's document: what is shown of a run, as plain data that also stands in ``show --json``.

A document has one run, or two beside one another: what the page says and what was seen.  A run is a sequence of
stages, each an exchange of messages in steps, or local work without messages.  The viewer itself works out whose
contributions each copy holds: it starts from ``start`` and follows the messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

VERSION = 1
"""The version of the format: it grows when a reader of the old one would misread a document."""

Number = Annotated[int, Meta(ge=0)]


class Message(Struct, array_like=True, frozen=True):
    """One message of a step, written as a list in this order.

    ``src``, ``dst``: the ranks; ``chunks``: the numbers of the chunks it carries, empty where they are not known;
    ``adds``: whether the receiver adds them to its copies, or else overwrites these; None where that is not known.
    """

    src: Number
    dst: Number
    chunks: list[Number] = []
    adds: bool | None = None


class Detail(Struct, frozen=True, omit_defaults=True):
    """What is known of one message beyond its ranks and chunks.

    ``message``: its number in the step's list.  ``look``: ``wrong`` where the run differs from the page in it,
    ``missing`` where it was not sent, ``expected`` where the page has it in place of that one; empty for any other.
    Copies change by what is expected, too, unless something wrong or missing stands in the same step.  ``support``:
    the entries it has, counted within its chunks.  ``values`` stand as text, as they are in the message; ``wanted``
    those of the page.  ``letters``: those of the formulas that are the message's own, beside its ranks and its step,
    such as ``j``.
    """

    message: Number
    look: str = ""
    says: str = ""
    entries: Number | None = None
    bytes: Number | None = None
    support: list[Number] | None = None
    values: list[str] = []
    wanted: list[str] = []
    where: str = ""
    letters: dict[str, int] = {}


class Cell(Struct, array_like=True, frozen=True):
    """A copy as a step leaves it: rank ``rank``'s of chunk ``chunk``, and its values as text.

    ``support``: the entries it has, counted within the chunk.
    """

    rank: Number
    chunk: Number
    support: list[Number] | None = None
    values: list[str] = []


class Step(Struct, frozen=True, omit_defaults=True):
    """One step: its messages are sent at once.

    ``t``: the step's number in the formulas, where it has one; ``label``: what else to call it, a time, say;
    ``cells``: the copies whose entries or values it changes, where these are shown.
    """

    messages: list[Message] = []
    t: int | None = None
    label: str = ""
    details: list[Detail] = []
    cells: list[Cell] = []


class Stage(Struct, frozen=True, omit_defaults=True):
    """An exchange, in steps; or local work, which has no steps and whose ``text`` is what each rank does.

    ``chunks``: how many chunks a vector is cut into, 0 where that is not known.  ``start[r][c]``: the ranks whose
    contributions rank ``r``'s copy of chunk ``c`` holds before the first step, by default its own; ``goal[r][c]``:
    those that it holds after the last, by default all, none where nothing is promised of it.  ``sizes``: how many
    entries a chunk has.  ``page``: the algorithm of the exchange; ``formulas``: the numbers of those formulas of the
    document that speak of its messages.
    """

    heading: str = ""
    page: str = ""
    text: str = ""
    chunks: Number = 0
    start: list[list[list[Number]]] | None = None
    goal: list[list[list[Number]]] | None = None
    sizes: list[Number] = []
    cells: list[Cell] = []
    steps: list[Step] = []
    formulas: list[Number] = []


class Run(Struct, frozen=True, omit_defaults=True):
    """One run: its heading, where there are two, and its stages."""

    stages: list[Stage]
    heading: str = ""


class Formula(Struct, frozen=True, omit_defaults=True):
    """A page's formula: its name, its letters in order, its source; what it returns, where that is one expression."""

    name: str
    letters: list[str]
    source: str
    expression: str = ""


class Wait(Struct, frozen=True, omit_defaults=True):
    """A rank that waits for others: in which call, at which line.  Waits in a circle are a deadlock."""

    rank: Number
    on: list[Number]
    call: str = ""
    where: str = ""


class Finding(Struct, frozen=True, omit_defaults=True):
    """What is wrong, in one sentence; ``step`` counts steps and local works of run ``run`` from 0: it opens there.

    ``link``: the name of a link of the topology on which messages meet.
    """

    text: str
    run: Number = 0
    step: Number | None = None
    ranks: list[Number] = []
    where: str = ""
    waits: list[Wait] = []
    link: str = ""


class Route(Struct, array_like=True, frozen=True):
    """The links that a message from ``src`` to ``dst`` goes over, by their numbers in the topology."""

    src: Number
    dst: Number
    links: list[Number]


class Topology(Struct, frozen=True, omit_defaults=True):
    """A network: the names of its links, as ``from -> to``, and the route of each pair of ranks that talk.

    ``sides``: where its nodes are numbers in a grid, how many there are along each dimension, lowest digit first.
    """

    name: str
    links: list[str]
    routes: list[Route]
    sides: list[Number] = []


class Document(Struct, frozen=True, omit_defaults=True):
    """All that one page of the explorer shows.

    ``kind``: ``algorithm``, ``failure``, ``world``, ``schedule``, ``trace`` or ``dumps``; ``prose``: what happens, in
    paragraphs; ``command``: what was typed; ``values``: the letters of the formulas that have one value, such as p.
    """

    kind: str
    title: str
    ranks: Number
    runs: list[Run]
    prose: str = ""
    command: str = ""
    values: dict[str, int] = {}
    formulas: list[Formula] = []
    findings: list[Finding] = []
    topology: Topology | None = None
    notes: list[str] = []


class Versioned(Struct, frozen=True):
    """The envelope: a reader looks at ``format`` and ``version`` before it reads ``document``."""

    document: Document
    format: str = "sparring-explorer"
    version: int = VERSION


def encoded(document: Document) -> bytes:
    """Return the document in its envelope, as JSON."""
    return msgspec.json.encode(Versioned(document))


def plain(document: Document) -> dict[str, object]:
    """Return the document in its envelope, as what ``json.dumps`` takes."""
    builtins: dict[str, object] = msgspec.to_builtins(Versioned(document))
    return builtins


def decoded(text: bytes | str) -> Document:
    """Return the document that ``text`` is; raises msgspec.ValidationError where it is none of this version."""
    found = msgspec.json.decode(text, type=Versioned)
    if (found.format, found.version) != ("sparring-explorer", VERSION):
        raise msgspec.ValidationError(
            f"format {found.format!r} version {found.version}, not sparring-explorer {VERSION}"
        )
    return found.document


def positions(stages: Sequence[Stage]) -> int:
    """Return how many places the slider has in a run: one a step, and one a local work."""
    return sum(len(stage.steps) or 1 for stage in stages)
