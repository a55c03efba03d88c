"""Moshpit SGD: descent on every rank by itself, and now and then an average in small groups [R21]_.

A rank goes against its own gradient; after every ``period`` steps its parameters become their average by
:mod:`sparring.impl.moshpit`, or by whatever averages.  Parameters are averaged, not gradients, so a rank that
missed an average, or died and came back, goes on from where it is.

With a period of 1, parameters that are equal at first and an average that is exact, every step is that of
minibatch SGD: the mean of ``w - rate g`` over all ranks is ``w`` minus ``rate`` times the mean gradient.

.. [R21] M. Ryabinin, E. Gorbunov, V. Plokhotnyuk and G. Pekhimenko, "Moshpit SGD: communication-efficient
   decentralized training on heterogeneous unreliable devices", NeurIPS 2021, arXiv:2103.03239, Algorithm 2.
"""

from __future__ import annotations

from collections.abc import Callable

from sparring.errors import InputError
from sparring.impl.core.arguments import check_vector
from sparring.impl.core.transport import Vector


class MoshpitSGD:
    """Local descent from ``w``, a vector of float32 or float64 of this rank, which is changed in its place.

    ``averaged``: a function of a vector and the number of averages before it, whose result has the vector's
    length, such as ``lambda w, i: moshpit.allreduce(comm, w, m=4, chance=i)``; collective, so that ``period``
    and the number of steps must be the same on all ranks.  ``rate``: what a gradient is multiplied with.
    """

    def __init__(self, w: Vector, averaged: Callable[[Vector, int], Vector], rate: float, period: int = 1) -> None:
        check_vector("w", w)
        if w.dtype.kind != "f":
            raise InputError(f"w has dtype {w.dtype}: parameters must be float32 or float64")
        if period < 1:
            raise InputError(f"period = {period}: it must be 1 or more")
        self.w, self.rate, self.period, self.steps = w, rate, period, 0
        self._averaged = averaged

    def step(self, gradient: Vector, /) -> bool:
        """Goes against this rank's gradient, of ``w``'s length; whether it averaged then, as ``period`` has it.

        Raises InputError for a gradient of another length or dtype, and leaves ``w`` as it was.
        """
        check_vector("gradient", gradient)
        if (gradient.size, gradient.dtype) != (self.w.size, self.w.dtype):
            told = f"{gradient.size} entries of {gradient.dtype}, w has {self.w.size} of {self.w.dtype}"
            raise InputError(f"the gradient has {told}: they must be alike")
        self.w -= self.w.dtype.type(self.rate) * gradient
        self.steps += 1
        done, rest = divmod(self.steps, self.period)
        if not rest:
            self.w[...] = self._averaged(self.w, done - 1)
        return not rest
