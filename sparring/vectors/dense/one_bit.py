"""Test vectors of the 1-bit allreduce."""

from __future__ import annotations

from collections.abc import Mapping

from sparring.vectors.dense.flags import PART_BYTE, parameter, poisoned
from sparring.vectors.dense.recording import Case
from sparring.vectors.flag import Flag
from sparring.vectors.numbers import FLOATS, Place, Recipe


def balanced(at: Place) -> float:
    """Return numbers that cancel between even and odd ranks, so that of means only errors are left."""
    return (3.0 if at.i % 3 else -1.0) * (1.0 if at.q % 2 else -1.0)


RECIPES = (Recipe("numbers that cancel from rank to rank", balanced, FLOATS),)


def length(p: int) -> int:
    """Return a length for chunks of more than a byte of codes, or of less on more ranks."""
    return 9 * p + 2 if p < 3 else 3 * p + 1


def zeros(case: Case) -> bool:
    """Return whether in the first call some entry is 0 when its sign is taken."""
    return any(bool((x == 0).any()) for x in case.calls[0].xs)


def carried(case: Case, part: str) -> bool:
    """Return whether some later call begins with an error that is not 0."""
    return any(any(v != 0 for error in getattr(call.before, part) for v in error) for call in case.calls[1:])


def lost(case: Case) -> bool:
    """Return whether some call has a NaN in its result, and zeros as the workers' errors."""
    return any(poisoned(call) and all(v == 0 for error in call.state.worker for v in error) for call in case.calls)


FLAGS: Mapping[str, Flag] = {
    "ZeroHasPlus": Flag(
        "coding",
        "Some entry of the first call is 0, of either sign.",
        "Its sign is +; a sign bit that is copied, or a sign of 0, differs.",
        zeros,
    ),
    "PartByte": PART_BYTE,
    "MeanMagnitude": Flag(
        "coding",
        "The scale is the mean magnitude, and not the root of the mean square.",
        "The parameter norm is 1.",
        parameter(lambda params: params["norm"] == 1),
    ),
    "WorkerError": Flag(
        "memory",
        "A call begins with something that a rank's own codes left out.",
        "It is added before signs and scale are made.",
        lambda case: carried(case, "worker"),
    ),
    "ServerError": Flag(
        "memory",
        "A call begins with something that the codes of a chunk's mean left out.",
        "It is added to the mean, by the rank that averages this chunk.",
        lambda case: carried(case, "server"),
    ),
    "ErrorsDropped": Flag(
        "memory",
        "A scale is NaN, and errors are zero after it.",
        "An error of NaN would make all later results NaN.",
        lost,
    ),
}
