"""What the tests of Moshpit run on every rank; each wrong one has one fault."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.errors import InputError
from sparring.impl import moshpit
from sparring.impl.core import parties
from sparring.impl.core.moshpit_sgd import MoshpitSGD

WRONG: dict[str, dict[str, Any]] = {
    "groups of one": {"m": 1},
    "half a round": {"rounds": 1.5},
    "negative chance": {"chance": -1},
    "negative weight": {"weights": (1, -1)},
    "negative bandwidth": {"bandwidths": (-2,)},
    "no point": {"dead": ((0, 0),)},
    "dies twice": {"dead": ((0, 0, 1), (0, 1, 1))},
    "another m": {"m": 3},
    "another death": {"dead": ((1, 0, 0),)},
    "not there": {"failing": ((0, 0, -1),)},
    "fails twice": {"failing": ((0, 1, 2), (1, 0, 0), (0, 1, 1))},
    "another failure": {"failing": ((1, 0, 0),)},
}


def three_ways(comm: Any, x: Any, **params: Any) -> Any:
    """The average, having seen that a new array, a given one and ``x`` itself get the same bits."""
    kept = x.copy()
    x.flags.writeable = False
    y = moshpit.allreduce(comm, x, **params)
    assert y is not x and not np.shares_memory(x, y)
    given = np.full_like(x, 7)
    assert moshpit.allreduce(comm, x, out=given, **params) is given
    own = x.copy()
    assert moshpit.allreduce(comm, own, out=own, validate=False, **params) is own
    assert x.tobytes() == kept.tobytes()
    assert y.tobytes() == given.tobytes() == own.tobytes()
    return y


def every_end(comm: Any, x: Any, *, points: Any, **params: Any) -> Any:
    """The averages where each of these dies or fails, one after the other."""
    return np.concatenate([moshpit.allreduce(comm, x, **point, **params) for point in points])


def refused(comm: Any, _: Any, *, what: str, bad: int) -> Any:
    """The error's text, as bytes, where rank ``bad`` alone makes it of what is wrong."""
    try:
        moshpit.allreduce(comm, np.ones(5), **(WRONG[what] if comm.Get_rank() == bad else {}))
    except InputError as error:
        return np.frombuffer(str(error).encode(), np.uint8)
    return np.empty(0, np.uint8)


def whole_numbers(comm: Any, _: Any) -> Any:
    """The error's text where vectors hold whole numbers."""
    try:
        moshpit.allreduce(comm, np.ones(5, np.int64))
    except InputError as error:
        return np.frombuffer(str(error).encode(), np.uint8)
    return np.empty(0, np.uint8)


def descended(comm: Any, gradients: Any, *, period: int, m: int, rate: float) -> Any:
    """Parameters after so many steps, a row of ``gradients`` each, from the same start."""
    made = MoshpitSGD(
        np.arange(gradients.shape[1], dtype=gradients.dtype),
        lambda w, i: moshpit.allreduce(comm, w, m=m, chance=i), rate, period,
    )  # fmt: skip
    averaged = [made.step(gradient) for gradient in gradients]
    assert averaged == [(t + 1) % period == 0 for t in range(len(gradients))]
    return made.w


def changed(name: str, planted: Any, place: Any = parties) -> Any:
    """The implementation with one of its functions replaced: each rank has modules of its own."""

    def target(comm: Any, x: Any, /, **params: Any) -> Any:
        setattr(place, name, planted)
        return moshpit.allreduce(comm, x, **{"m": 3, **params})

    return target


good = changed("least", parties.least)
sum_not_mean = changed("weighed", lambda copies, weights, nothing: sum(copies) if copies else nothing, moshpit)
never_moves = changed("with_digit", lambda z, c, width, m: z - z // width % m * width if isinstance(c, int) else z)
other_order = changed(
    "weighed", lambda copies, weights, nothing: sum(copies[::-1]) / len(copies) if copies else nothing, moshpit
)
other_parts = changed("apportioned", lambda n, wanted: [i * n // len(wanted) - (i - 1) * n // len(wanted)
                                                        for i in range(1, len(wanted) + 1)])  # fmt: skip
sends_all = changed("least", lambda left, many: many)
