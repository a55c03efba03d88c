"""Defines a page: an algorithm as a handful of formulas, or as one rank's text, and how a vector is cut into chunks.

A page is written as a module; ``loading`` makes a :class:`Page` of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from sparring.errors import InputError
from sparring.spec.core.numbers import Bool, Int, Sym
from sparring.spec.core.selectors import Selector
from sparring.spec.core.sparse import SparseVector
from sparring.spec.core.vocabulary import DTYPES, KINDS, Kind


@dataclass(frozen=True, slots=True)
class Page:
    """An algorithm: its prose and its formulas, parameters bound.

    Letters: ``p`` ranks, ``r`` rank, ``t`` step, ``c`` chunk, ``q`` the rank whose contribution is
    meant, ``j`` one of the messages that a rank sends in a step; all count from 0.
    """

    name: str
    kind: str
    data: str
    """What the chunks are: one of ``DATA``."""
    encoding: str
    """How the formulas are read in proofs: one of ``ENCODINGS``."""
    doc: str
    module: ModuleType
    params: Mapping[str, Any]
    steps: Callable[[Int], Int]
    """``steps(p)``: how many steps there are."""
    messages: Callable[[Int, Int], Int]
    """``messages(t, p)``: how many messages a rank may send in step ``t`` (by default 1), each its ``j``."""
    dst: Callable[..., Int]
    """``dst(r, t, p, j)``: where rank ``r`` sends message ``j`` of step ``t``; a page with one message omits ``j``."""
    src: Callable[..., Int]
    """``src(r, t, p, j)``: from whom it receives message ``j``."""
    chunk: Callable[..., Int]
    """``chunk(r, t, p, j)``: which chunk it sends, or the first of them; those that it ``carries`` have no formula."""
    count: Callable[[Int, Int, Int], Int]
    """``count(r, t, p)``: how many chunks it sends, in one message: those from ``chunk`` on.

    One, unless the page has, in the place of ``chunk``, a formula ``block(r, t, p) -> (first, count)``, or ``carries``.
    Lists of entries go round: after the last chunk comes the first.  Of a vector they lie in a row, unless the
    module says ``around = True``.
    """
    adds: Callable[[Int, Int], Bool]
    """``adds(t, p)``: whether the receiver adds the message to its copy, else it overwrites.

    A copy and several messages that are added to it are added in the order of their ranks.
    """
    active: Callable[..., Bool]
    """``active(r, t, p, j)``: whether rank ``r`` sends message ``j`` of step ``t`` (by default always).

    A rank listens in the steps in which its ``src`` sends.  ``dst`` and ``src`` undo each other on
    all ranks, for each ``j``: one that neither sends nor listens may name itself.
    """
    who: Callable[[Int, Int, Int, Int, Int], Int]
    """``who(q, r, c, t, p)``: which ``j`` brings ``q``'s contribution to rank ``r``'s copy of ``c``, if any does."""
    chunks: Callable[[Int], Int]
    """``chunks(p)``: into how many chunks a vector is cut (by default ``p``); 1 leaves it whole."""
    holds: Callable[[Int, Int, Int, Int, Int], Bool]
    """``holds(q, r, c, t, p)``: after ``t`` steps rank ``r``'s copy of ``c`` contains ``q``'s contribution."""
    live: Callable[[Int, Int, Int, Int], Bool]
    """``live(r, c, t, p)``: the page vouches for this cell (by default for all)."""
    words: Callable[[Int, Int, Int, Int, Int, Int], Int]
    """``words(r, t, c, p, n, k)``: how long the message with chunk ``c`` is, by default as long as the chunk.

    Of a message of several chunks, which begins with ``c``, by default as long as these together.  Where
    chunks are lists, ``k`` is the number of entries of each.
    """
    added: Callable[[Int, Int, Int, Int, Int, Int], Int]
    """``added(r, t, c, p, n, k)``: how many of these words are values that may be added, by default all."""
    selects: Callable[[SparseVector, Int, Int, Int, Int], SparseVector]
    """``selects(x, c, p, n, w)``: what a rank takes of its chunk ``c``, ``x``, before the first step.

    The vector has ``n`` entries, whose values take ``w`` bytes.  By default all of ``x`` is taken.
    """
    keeps: Callable[[SparseVector, Int, Int, Int, Int], SparseVector]
    """``keeps(x, c, p, n, w)``: what it keeps of a chunk to which something was just added, by default all."""
    sends: Callable[[SparseVector, Int, Int, Int, Int, Int], SparseVector]
    """``sends(x, c, t, p, n, w)``: what it makes of the chunk before it sends it in step ``t``, or returns it.

    Then ``t`` is the number of steps.  By default all of ``x`` is sent as it is.
    """
    left: Callable[[SparseVector, SparseVector, SparseVector], SparseVector]
    """``left(x, cut, y)``: what stays behind as the residual of a rank that began with ``x`` and ends with ``y``.

    ``cut`` is what it did not take, keep or send of its chunks, in all steps; by default that.
    """
    octets: Callable[[Int, Int, Int], Int]
    """``octets(m, size, w)``: bytes of a message with ``m`` entries of a chunk of ``size``, ``w`` a value."""

    encoded: Callable[[Int, Int, Int], str]
    """``encoded(m, size, w)``: the name of the encoding that such a message has."""

    carries: Callable[[Int, Int, Int, Int], Bool] | None = None
    """``carries(r, c, t, p)``: whether the message that rank ``r`` sends in step ``t`` has chunk ``c``.

    A page has it in the place of ``chunk`` where the chunks of a message lie in no row.
    """
    below: Callable[[Int, Int, Int, Int], Int] | None = None
    """``below(r, c, t, p)``: how many of the chunks before ``c`` it has, which is proved, so that ``count`` is known.

    A page may leave it out; then what it costs is not derived.
    """

    selector: Selector | None = None
    """The selector that takes entries of a rank's vector, where the page selects or its text asks for one."""
    program: Callable[..., Any] | None = None
    """The text of a composition."""
    own: Kind | None = None
    """The promise of a kind that is not in ``KINDS``; those of ``KINDS`` promise the same on every page."""

    def __post_init__(self) -> None:
        if (self.kind in KINDS) == (self.own is not None):
            raise InputError(f"page {self.name}: {self.kind} promises what it promises on every page, or is none")

    @property
    def promise(self) -> Kind:
        """What the kind says of the first and the last state."""
        return self.own or KINDS[self.kind]

    @property
    def start(self) -> Callable[[Int, Int, Int, Int], Bool]:
        """``start(q, r, c, p)``: before the first step rank ``r``'s copy of ``c`` contains ``q``'s contribution."""
        return self.promise.start

    @property
    def goal(self) -> Callable[[Int, Int, Int, Int], Bool]:
        """``goal(q, r, c, p)``: after the last step it must."""
        return self.promise.goal

    @property
    def wanted(self) -> Callable[[Int, Int, Int], Bool]:
        """``wanted(r, c, p)``: whether the goal speaks of this cell."""
        return self.promise.wanted

    @property
    def composed(self) -> bool:
        """Whether it is a composition: one rank's text between exchanges, see ``spec/core/compositions.py``."""
        return self.program is not None

    @property
    def ensures(self) -> bool:
        """Whether the page of a composition says what all ranks end with; formulas always do, by their kind."""
        return not self.composed or hasattr(self.module, "ensures")

    @property
    def several(self) -> bool:
        """Whether a rank may send more than one message in a step."""
        return not self.composed and many(self.messages)

    @property
    def blocks(self) -> bool:
        """Whether a message has several chunks."""
        return self.carries is not None or hasattr(self.module, "block")

    @property
    def round(self) -> bool:
        """Whether the first chunk may follow the last in a block: lists of entries need not lie in a row.

        Nor need chunks of a vector where messages are made in a rotated buffer: the module says ``around = True``.
        """
        return self.data in ("lists", "selected") or bool(getattr(self.module, "around", False))

    @property
    def cuts(self) -> bool:
        """Whether vectors are cut into chunks; lists never are."""
        return self.data != "lists" and not isinstance(self.chunks(Sym.var("p")), int)

    @property
    def collective(self) -> str:
        """What its implementation does for the caller: lists are added in the end."""
        return "allreduce" if self.data == "lists" else self.kind

    @property
    def stateful(self) -> bool:
        """Whether a call depends on those before it, so that its implementation is a class, called again and again."""
        counts = self.composed and "call" in inspect.signature(self.module.program).parameters
        return self.selecting or (self.dense and (counts or hasattr(self.module, "State")))

    @property
    def selecting(self) -> bool:
        """Whether it selects entries, and what a rank does not send is added to its next vector."""
        return self.data == "selected"

    @property
    def dense(self) -> bool:
        """Whether it is a composition on whole vectors: its text alone says which bits ranks end with."""
        return self.data == "dense"

    @property
    def agrees(self) -> bool:
        """Whether all ranks end with the same; the module says ``agrees = False`` where they need not."""
        return bool(getattr(self.module, "agrees", True))

    @property
    def averages(self) -> bool:
        """Whether its result is the mean and not the sum; the module says ``averages = True``."""
        return bool(getattr(self.module, "averages", False))

    @property
    def dtypes(self) -> Sequence[str]:
        """What vectors may be; the module says ``dtypes`` where these are not all of ``DTYPES``."""
        return tuple(getattr(self.module, "dtypes", DTYPES))

    @property
    def once(self) -> bool:
        """Whether entries are selected before the first step alone: the result is the sum of what ranks select."""
        return hasattr(self.module, "selects") and not hasattr(self.module, "keeps")

    @property
    def title(self) -> str:
        """The first line of the prose, without its citation."""
        return self.doc.strip().split("\n")[0].split(" [")[0].rstrip(".")

    @property
    def sparse(self) -> bool:
        """Whether runs take ``sparring.Sparse`` instead of whole vectors."""
        return self.data in ("lists", "sparse")

    @property
    def listed(self) -> bool:
        """Whether messages are lists of entries, each with its index."""
        return self.data not in ("vector", "dense") or (self.dense and hasattr(self.module, "encoded"))


def many(messages: Callable[[Int, Int], Int]) -> bool:
    """Whether a step has more than one message a rank."""
    number = messages(Sym.var("t"), Sym.var("p"))
    return not isinstance(number, int) or number != 1


def bound(c: Int, n: Int, p: Int) -> Int:
    """Where chunk ``c`` of a vector of ``n`` entries begins; it ends where chunk ``c + 1`` begins.

    >>> [bound(c, 7, 3) for c in range(4)]
    [0, 2, 4, 7]
    """
    return c * n // p


def chunk_words(c: Int, p: Int, n: Int, count: Int = 1) -> Int:
    """The entries of chunk ``c``, or of ``count`` chunks from there on.

    >>> [chunk_words(c, 3, 7) for c in range(3)], chunk_words(1, 3, 7, 2)
    ([2, 2, 3], 5)
    """
    return bound(c + count, n, p) - bound(c, n, p)


def list_words(k: Int) -> Int:
    """The words of a list of ``k`` entries, an index and a value each.

    >>> list_words(100)
    200
    """
    return 2 * k
