"""Lists the ways that MPI leaves open when no rank can go on by itself.

A way is taken only then, since whatever happens without a choice happens in every schedule and
can only add to the ways (as ISP does: Vakkalanka, Gopalakrishnan and Kirby 2008).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from sparring.world.core.findings import Place
from sparring.world.core.operations import Send
from sparring.world.core.ranks import Operation, Question, Rank

if TYPE_CHECKING:
    from sparring.world.core.scheduler import Scheduler as World

Call = tuple[int, int]  # a rank and the number of one of its operations, or minus that of one of its questions

IN_VAIN = "answer in vain"


class Step(NamedTuple):
    """The effect of a way, named alike in every run that begins alike."""

    kind: str
    touches: frozenset[Call]

    def commutes(self, other: Step) -> bool:
        """Return whether both orders lead to the same; a fruitless answer may be repeated after any other step."""
        return not self.touches & other.touches and IN_VAIN not in (self.kind, other.kind)


class Way(NamedTuple):
    """A way to go on; ``take()`` goes it.  ``place``: the rank, the call and the line to which MPI leaves it."""

    step: Step
    text: str
    place: Place
    take: Callable[[], None]


def ways(world: World) -> list[Way]:
    """Return all ways to go on; none if the run is stuck.

    First messages for receives from any source, then answers of which something follows, then
    sends that MPI may complete by copying their message, then fruitless answers.  The last are
    repeated only after something has happened, or if nothing else is left, one rank at a time.
    """
    asking = [(rank, question) for rank in world.ranks if (question := rank.question)]
    fruitful = [*_matches(world), *(way for rank, question in asking for way in _answers(rank, question))]
    idle = [(rank, question) for rank, question in asking if question.otherwise is not None]
    fresh = [_denial(rank, question) for rank, question in idle if rank.heard < world.events]
    if fruitful or fresh:
        return [*fruitful, *_copies(world), *fresh]
    return [_denial(*min(idle, key=lambda pair: pair[0].asked))] if idle else []


def _matches(world: World) -> Iterator[Way]:
    for receive, send in world.network.matching.open():
        message = f"rank {send.rank.number}'s message ({send.where})"
        text = f"rank {receive.rank.number}'s {receive} ({receive.where}) gets {message}"
        step = Step("match", frozenset((_call(receive), _call(send))))
        yield Way(step, text, _place(receive), partial(world.network.take, receive, send))


def _answers(rank: Rank, question: Question) -> Iterator[Way]:
    for answer, words, about in question.answers():
        way = _told(rank, question, f"answer {words}", words, partial(rank.world.answer, rank, answer))
        yield way._replace(step=Step(way.step.kind, way.step.touches | frozenset(map(_call, about))))


def _denial(rank: Rank, question: Question) -> Way:
    return _told(rank, question, IN_VAIN, "nothing", partial(rank.world.deny, rank, question))


def _told(rank: Rank, question: Question, kind: str, words: str, take: Callable[[], None]) -> Way:
    text = f"rank {rank.number}'s {question.call} ({question.where}) returns {words}"
    place = rank.number, question.call, question.where
    return Way(Step(kind, frozenset({(rank.number, -rank.asked)})), text, place, take)


def _copies(world: World) -> Iterator[Way]:
    """Yield standard sends that nobody has received, on which a rank waits, where buffers are MPI's choice.

    A rank that waits for several operations goes on only when all of them are done, so that one
    way completes all of its sends.
    """
    for rank in world.ranks if world.copies else ():
        waited = [op for op in rank.wait.operations if not op.done] if rank.wait else []
        sends = [op for op in waited if isinstance(op, Send) and op.standard]
        if rank.question:
            yield from (_copy(world, [send]) for send in sends)
        elif sends and len(sends) == len(waited):
            yield _copy(world, sends)


def _copy(world: World, sends: Sequence[Send]) -> Way:
    send = sends[0]
    more = f" and {len(sends) - 1} more" if len(sends) > 1 else ""
    text = f"MPI copies the message of rank {send.rank.number}'s {send} ({send.where}){more}"

    def take() -> None:
        for each in sends:
            world.complete(each)

    return Way(Step("copy", frozenset(map(_call, sends))), text, _place(send), take)


def _call(operation: Operation) -> Call:
    return operation.rank.number, operation.number


def _place(operation: Operation) -> Place:
    return operation.rank.number, operation.call, operation.where
