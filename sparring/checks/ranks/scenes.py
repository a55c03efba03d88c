"""Plays scenes: several calls, on several communicators, with unusual arrays.

A rank plays its part in :func:`play`; :func:`judged` then holds what all ranks have against the sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.checks.properties import BAD
from sparring.refinement.memory import NEAR, Made, remarks
from sparring.refinement.playing import RESIDUAL, Played, copy_result, iterated
from sparring.sparse import Sparse

if TYPE_CHECKING:
    from mpi4py.MPI import Comm, Intracomm

Call = Callable[..., Any]
OFTEN = 1_000
"""Calls whose results are averaged."""


class Calls:
    """The calls of one rank; a class is instantiated once for each communicator and length.

    ``sparse``: whether the function takes sparse vectors.
    """

    def __init__(self, function: Any, params: Mapping[str, Any], *, sparse: bool = False) -> None:
        self.function, self.params, self.sparse = function, params, sparse
        self.instances: dict[tuple[int, int], tuple[Comm, Any]] = {}
        self.made: list[Made] = []

    def __call__(self, comm: Intracomm, x: Any) -> Any:
        given = present(x) if self.sparse and isinstance(x, np.ndarray) else x
        before = given.copy()
        y = self.on(comm, given.size)(given)
        self.made.append(Made(given, before, y, copy_result(y)))
        return y

    def on(self, comm: Intracomm, n: int) -> Call:
        """Return what to call with vectors of length ``n`` on ``comm``: the function, or an instance of the class."""
        if not isinstance(self.function, type):
            return lambda x: self.function(comm, x, **self.params)
        key = id(comm), n
        if key not in self.instances:  # with the communicator, so that no other one gets its number
            self.instances[key] = comm, self.function(comm, n, **self.params)
        return self.instances[key][1]  # type: ignore[no-any-return]  # an instance of the target, which can be called

    def overwrite(self) -> None:
        """Overwrite the memory of the last input with another number, unless it is sparse, and so read-only."""
        made = self.made[-1]
        if isinstance(made.x, np.ndarray):
            made.x[:] = 77
            self.made[-1] = made._replace(before=made.x.copy())


def width(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype of indices beside such values: as wide as these, so that both widths come."""
    return np.dtype(f"int{8 * dtype.itemsize}")


def present(x: NDArray[Any]) -> Sparse:
    """Return a sparse vector of the entries that are not zero."""
    at = np.flatnonzero(x).astype(width(x.dtype))
    return Sparse(at, x[at], x.size)


@contextmanager
def freed(comm: Comm) -> Iterator[Any]:
    """Provide a communicator that is freed at the end of the block."""
    yield comm
    comm.Free()


def again(call: Calls, comm: Intracomm, xs: Sequence[NDArray[Any]]) -> None:
    """Call on two vectors, a shorter one, the last result, and longer ones, the second of which is new but on rank 0.

    The first input is overwritten after its call.
    """
    call(comm, xs[0])
    call.overwrite()
    call(comm, xs[1])
    y = call(comm, shorter(xs[2]))
    if isinstance(y, np.ndarray | Sparse):
        call(comm, y)
        call(comm, longer(xs[2]))
        call(comm, longer(xs[renewed(place(comm))]))


def place(comm: Any) -> int:
    """Return the rank in a communicator, or in a group of torch, whose ``rank`` is a method.

    >>> from types import SimpleNamespace
    >>> place(SimpleNamespace(rank=2)), place(SimpleNamespace(rank=lambda: 2))
    (2, 2)
    """
    return comm.rank if isinstance(comm.rank, int) else int(comm.rank())


def renewed(r: int) -> int:
    """Return which vector rank ``r`` has in the last call of :func:`again`: rank 0 that of the call before."""
    return 1 if r else 2


def split(call: Calls, comm: Intracomm, xs: Sequence[NDArray[Any]]) -> None:
    """Call on communicators of the even and the odd ranks, the last rank first; then on those of the two halves."""
    for row, x in enumerate(xs[:2]):
        with freed(comm.Split(part(row, comm.rank, comm.size), -comm.rank)) as own:
            call(own, x)
        del own  # so that the next one may have its memory, and whoever knows it by that is wrong


def part(call: int, r: int, p: int) -> int:
    """Return the part of the ranks, 0 or 1, that rank ``r`` of ``p`` belongs to in a call of :func:`split`."""
    return 2 * r // p if call else r % 2


def reordered(call: Calls, comm: Intracomm, xs: Sequence[NDArray[Any]]) -> None:
    """Call on a communicator of all ranks, the last rank first."""
    with freed(comm.Split(0, -comm.rank)) as other:
        call(other, xs[0])


def whole(call: Calls, comm: Intracomm, xs: Sequence[NDArray[Any]]) -> None:
    """Call on the communicator itself."""
    call(comm, xs[0])


def in_turn(call: Calls, comm: Intracomm, xs: Sequence[NDArray[Any]]) -> None:
    """Call on two duplicates of the communicator, and on the first one again."""
    with freed(comm.Dup()) as one, freed(comm.Dup()) as other:
        for own, x in zip((one, other, one), xs):
            call(own, x)


def between(call: Calls, comm: Intracomm, xs: Sequence[NDArray[Any]]) -> None:
    """Call on an inter-communicator between the even and the odd ranks."""
    mine = comm.rank % 2
    with freed(comm.Split(mine)) as part, freed(part.Create_intercomm(0, comm, 1 - mine)) as inter:
        call(inter, xs[0])


def read_only(call: Calls, comm: Intracomm, xs: Sequence[NDArray[Any]]) -> None:
    """Call on an array that is read-only."""
    x = xs[0].copy()
    x.flags.writeable = False
    call(comm, x)


def strided(call: Calls, comm: Intracomm, xs: Sequence[NDArray[Any]]) -> None:
    """Call on every second entry of another array, on a column of a table, and on an array that goes backwards."""
    call(comm, np.repeat(xs[0], 2)[::2])
    call(comm, np.repeat(xs[1][:, None], 3, axis=1)[:, 1])
    call(comm, xs[2][::-1].copy()[::-1])


class Own(np.ndarray):
    """A subclass of numpy's array."""


def subclass(call: Calls, comm: Intracomm, xs: Sequence[NDArray[Any]]) -> None:
    """Call on an array of a subclass."""
    call(comm, xs[0].view(Own))


def often(call: Calls, comm: Intracomm, xs: Sequence[NDArray[Any]]) -> None:
    """Call one instance on the same vector ``OFTEN`` times."""
    function = call.on(comm, xs[0].size)
    for _ in range(OFTEN):
        x = xs[0].copy()
        y = function(x)
        call.made.append(Made(x, None, y, copy_result(y)))


class Scene(NamedTuple):
    """``prop``: the property that a wrong sum falsifies; ``play``: what a rank does; ``told``: where, in words.

    ``refusable``: whether ranks may raise instead; ``sparse``: whether calls get sparse vectors; ``node``: how many
    simulated ranks are on one machine, 0 for all; ``series``: in how many parts ranks call one instance on all vectors
    in turn, instead of ``play``; 0 for no such scene.
    """

    prop: str
    play: Callable[[Calls, Intracomm, Sequence[NDArray[Any]]], None]
    told: str
    refusable: bool = False
    sparse: bool = False
    node: int = 0
    series: int = 0


DENSE: Mapping[str, Scene] = {
    "again": Scene("repeated calls", again, ""),
    "split": Scene("communicators", split, "with communicators of parts of the ranks, the last rank first"),
    "reordered": Scene("communicators", reordered, "on a communicator of all ranks, the last one first"),
    "machines": Scene("communicators", whole, "with two ranks on each machine", node=2),
    "in turn": Scene("communicators", in_turn, "on two duplicates of the communicator in turn"),
    "between": Scene(BAD, between, "given an inter-communicator between the even and the odd ranks"),
    "read-only": Scene("other arrays", read_only, "for a read-only array"),
    "strided": Scene(
        "other arrays",
        strided,
        "for entries of an array that lie apart or backwards",
        True,
    ),
    "subclass": Scene("other arrays", subclass, "for an array of a subclass", True),
    "often": Scene("expectation", often, ""),
}
SPARSE = {
    f"sparse {name}": DENSE[name]._replace(sparse=True)
    for name in ("again", "split", "reordered", "machines", "in turn", "between")
}
SERIES = {
    "series split": DENSE["split"]._replace(series=2),
    "series machines": DENSE["machines"]._replace(series=1),
    "series whole": Scene("many ranks", whole, "", series=1),
}
SCENES: Mapping[str, Scene] = {**DENSE, **SPARSE, **SERIES}
"""All scenes by name: those of arrays, of sparse vectors, and of targets that are judged by a page's bits or a contract
of several calls."""


def of(prop: str, *, sparse: bool = False, series: bool = False) -> list[str]:
    """Return the names of the scenes of a property."""
    return [name for name, one in SCENES.items() if (one.prop, one.sparse, one.series > 0) == (prop, sparse, series)]


def shorter(x: NDArray[Any]) -> NDArray[Any]:
    """Return a copy of the first half of ``x`` and one entry more."""
    return x[: x.size // 2 + 1].copy()


def longer(x: NDArray[Any]) -> NDArray[Any]:
    """Return ``x`` twice, one after the other."""
    return np.concatenate([x, x])


RESIZED: Mapping[int, Callable[[NDArray[Any]], NDArray[Any]]] = {2: shorter, 4: longer}
"""What is made of the last vector in these calls of :func:`again`."""
RENEWED = 5
"""The call of :func:`again` in which all ranks but one have another vector than in the call before."""


def play(
    scene: str, function: Any, comm: Intracomm, xs: NDArray[Any], params: Mapping[str, Any],
    shown: Sequence[str] = RESIDUAL,
) -> Played:  # fmt: skip
    """Play one rank's part in a scene."""
    if parts := SCENES[scene].series:
        return in_series(parts, function, comm, xs, params, shown)
    call = Calls(function, params, sparse=SCENES[scene].sparse)
    SCENES[scene].play(call, comm, [x.copy() for x in xs])
    return Played([one.copy for one in call.made], [], xs, [*islice(remarks(call.made[:NEAR]), 1)])


def in_series(
    parts: int, function: Any, comm: Intracomm, xs: NDArray[Any], params: Mapping[str, Any], shown: Sequence[str]
) -> Played:
    """Call one instance on all vectors in turn, on a communicator of each ``parts``-th rank, the last one first."""
    made: list[Made] = []
    with freed(comm.Split(comm.rank % parts, -comm.rank)) as own:
        played = iterated(function, own, np.atleast_2d(xs), shown, made, **params)
    given = played.given if xs.ndim > 1 else np.asarray(played.given)[0]
    return played._replace(given=given, remarks=[*islice(remarks(made), 1)])
