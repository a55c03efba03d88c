"""Calls after ranks have agreed: what one rank has alone is told to all, and nothing of a vector is lost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sparring.errors import InputError
from sparring.impl import recursive_doubling
from sparring.world import simulation
from tests.impl.algorithms import planted

HERE = "tests.impl.core.test_agreement"
TARGET = "sparring.impl.recursive_doubling:allreduce"
USUAL, OTHERS = (4, "float64"), [(7, "float32"), (3, "float64"), (4, "int64"), (0, "int32")]
LONG = (70_000, "float64")
NO_ARRAY = "a list"


def calls(allreduce: Any, comm: Any, kinds: Any) -> list[Any]:
    """Of one call after the other in place: the kind of the result and its values, or the error's text."""
    return [one_call(allreduce, comm, kind) for kind in kinds]


def one_call(allreduce: Any, comm: Any, kind: Any) -> Any:
    """Every second length in place; after a refusal the vector is what it was."""
    mine = comm.Get_rank() + 1
    x: Any = [mine] if kind == NO_ARRAY else np.full(kind[0], mine, kind[1])
    try:
        y = allreduce(comm, x, out=x)
    except InputError as error:
        assert kind == NO_ARRAY or set(x.tolist()) <= {mine}, "the vector was changed, though the call was refused"
        return str(error)
    return y.dtype.name, y.tolist()


def on_ranks(comm: Any, _: Any, *, odd: int, which: int) -> Any:
    """The calls of a real rank, of which the third is refused."""
    other = (LONG, OTHERS[1], NO_ARRAY)[which]
    said = calls(recursive_doubling.allreduce, comm, sequence(comm.Get_rank(), odd, other))
    refusal = said.pop(2)
    assert isinstance(refusal, str), refusal
    assert said == expected(comm.Get_size()), said
    return np.zeros(1)


def sequence(r: int, odd: int, other: Any) -> list[Any]:
    """All alike, one alone, all alike again, and all of another kind, twice."""
    return [USUAL, USUAL, other if r == odd else USUAL, USUAL, OTHERS[0], OTHERS[0]]


def expected(p: int) -> list[Any]:
    """What each rank has of these calls, but for the third."""
    kinds = [USUAL, USUAL, USUAL, OTHERS[0], OTHERS[0]]
    return [(dtype, [p * (p + 1) // 2] * n) for n, dtype in kinds]


def unlike(p: int, odd: int, other: Any) -> str:
    """How simulated ranks differ from that, or what the world found; one rank alone may have what it likes."""
    outcome = simulation.run(TARGET, p, [sequence(r, odd, other) for r in range(p)], call=calls)
    if outcome.findings:
        return outcome.findings[0].text
    for r, said in enumerate(outcome.results):
        refusal = said.pop(2)
        if said != expected(p):
            return f"rank {r}: {said}"
        if not isinstance(refusal, str) and (p > 1 or other == NO_ARRAY):
            return f"rank {r} was not told: {refusal}"
    return ""


@pytest.mark.parametrize("other", [*OTHERS, NO_ARRAY])
@pytest.mark.parametrize("p", range(1, 10))
def test_one_rank_differs_in_a_later_call(p, other):
    """Whichever it is, all are told, and the next calls go on."""
    for odd in range(p):
        assert unlike(p, odd, other) == "", odd


def test_the_error_names_both():
    """As in a first call."""
    xs = [sequence(r, 2, OTHERS[0]) for r in range(3)]
    results = simulation.run(TARGET, 3, xs, call=calls).results
    wanted = "rank 2 has float32 and 7 entries, rank 0 float64 and 4 entries: all ranks need one dtype and length"
    assert [said[2] for said in results] == [wanted] * 3


def gathered() -> list[str]:
    """What collectives three ranks join in four calls, every second of them of a new kind."""
    kinds = [USUAL, USUAL, OTHERS[0], OTHERS[0]]
    return [call.name for call in simulation.run(TARGET, 3, [kinds] * 3, call=calls).collectives if call.rank == 0]


def test_what_is_agreed_is_not_told_again():
    """Only a new kind is."""
    assert gathered().count("Allgather") == 2
    with planted("core.agreement", ("own.agreed = has", "own.agreed = own.agreed or has")):
        assert gathered().count("Allgather") == 3


def test_on_real_ranks(group):
    """Where messages are longer than MPI buffers, too."""
    for which, odd in enumerate((0, 2, 4)):
        group.run(f"{HERE}:on_ranks", [np.zeros(1)] * 5, odd=odd, which=which)


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("core.agreement", "self.asking or self._own", "self._own"),
        ("core.agreement", "has != agreed", "False"),
        ("core.agreement", "if own.agreed and", "if not own.agreed and"),
        ("recursive_doubling", "x) if inside else y", "x) if False else y"),
        ("recursive_doubling", "if not messages.asking:", "if True:"),
    ],
)
def test_planted_faults(module, old, new):
    """A question that is lost, an agreement that is not kept, and a vector that is changed before all agree."""
    with planted(module, (old, new)):
        assert any(unlike(p, odd, other) for p in (2, 3, 4) for odd in range(p) for other in OTHERS)
