"""What the tests of allreduces that code gradients run on every rank; each wrong one has one fault."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from sparring.errors import InputError
from sparring.impl import one_bit, qsgd, thc
from sparring.impl.core import signs


def calls(comm: Any, xs: Any, *, name: str, **params: Any) -> Any:
    """The results of all calls, one a row of ``xs``, one after the other; vectors stay as they are."""
    instance, kept = import_module(f"sparring.impl.{name}").Allreduce(comm, xs.shape[1], **params), xs.tobytes()
    ys = [instance(x).copy() for x in xs]
    assert xs.tobytes() == kept
    return np.concatenate(ys)


def refused(comm: Any, x: Any, *, name: str, wrong: dict[str, Any], bad: int) -> Any:
    """The error's text, as bytes, where rank ``bad`` alone is made of what is wrong, or called with whole numbers."""
    made = import_module(f"sparring.impl.{name}").Allreduce
    try:
        instance = made(comm, x.size, **(wrong if comm.Get_rank() == bad else {}))
        instance(x if wrong or comm.Get_rank() != bad else x.astype(np.int64))
    except InputError as error:
        return np.frombuffer(str(error).encode(), np.uint8)
    return np.empty(0, np.uint8)


class OneBitTwin(one_bit.Allreduce):
    """Correct."""


class OneBitOwnerExact(one_bit.Allreduce):
    """The owner of a block keeps the mean that it made codes of."""

    def __call__(self, x: Any, /) -> Any:
        y, p, r = super().__call__(x), self._comm.Get_size(), self._comm.Get_rank()
        own = y[one_bit.begin(r, x.size, p) : one_bit.begin(r + 1, x.size, p)]
        own += self._server
        return y


class OneBitNotAdded(one_bit.Allreduce):
    """The worker's error is not added."""

    def _taken(self, x: Any) -> Any:
        waiting = self._admitted(x)
        waiting[...] = x
        return waiting


class OneBitServerForgets(one_bit.Allreduce):
    """The server's error is not added."""

    def __call__(self, x: Any, /) -> Any:
        self._server = None
        return super().__call__(x)


class OneBitZeroIsMinus(one_bit.Allreduce):
    """The sign of 0 is -."""

    def __init__(self, comm: Any, n: int, **params: Any) -> None:
        super().__init__(comm, n, **params)

        def encode(x: Any, scale: Any, out: Any) -> None:
            out[: scale.itemsize] = np.frombuffer(scale.tobytes(), np.uint8)
            out[scale.itemsize :] = np.packbits(x > 0, bitorder="little")

        signs.encode = encode


class OneBitOtherOrder(one_bit.Allreduce):
    """The first sign is the highest bit of its byte, on both sides: results are right, messages are not."""

    def __init__(self, comm: Any, n: int, **params: Any) -> None:
        super().__init__(comm, n, **params)
        good = signs.encode, signs.decode

        def turned(message: Any, width: int) -> Any:
            bits = np.unpackbits(message[width:].copy()).reshape(-1, 8)[:, ::-1]
            return np.concatenate([message[:width], np.packbits(bits)])

        def encode(x: Any, scale: Any, out: Any) -> None:
            good[0](x, scale, out)
            out[...] = turned(out, scale.itemsize)

        def decode(message: Any, like: Any) -> Any:
            return good[1](turned(message, like.itemsize), like)

        signs.encode, signs.decode = encode, decode


class ThcTwin(thc.Allreduce):
    """Correct."""


class ThcNearest(thc.Allreduce):
    """Entries are rounded to the nearest point, which is no expectation."""

    def __init__(self, comm: Any, n: int, **params: Any) -> None:
        super().__init__(comm, n, **params)
        thc.rounded = lambda t, chance, most: np.minimum(np.rint(t), most).astype(np.int64)


class ThcSameChances(thc.Allreduce):
    """Every call draws the chances of the first."""

    def __call__(self, x: Any, /) -> Any:
        self._calls = 0
        return super().__call__(x)


class ThcTooFewBits(thc.Allreduce):
    """Sums have as many bits as codes."""

    def __init__(self, comm: Any, n: int, **params: Any) -> None:
        super().__init__(comm, n, **params)
        thc.wide = lambda bits, p: bits


class ThcOwnGrid(thc.Allreduce):
    """The grid is that of a rank's own entries: codes on different grids do not add up."""

    def _grid(self, x: Any) -> Any:
        low, step = super()._grid(x)
        if x.size and not np.isnan(step):
            low, step = x.min() + 0, (x.max() - x.min()) / thc.most(self._bits)
        return low, step


class ThcOwnerExact(thc.Allreduce):
    """The owner of a block adds what it has itself as it is, and not its code."""

    def __call__(self, x: Any, /) -> Any:
        low, step = self._grid(x)
        y, p, r = super().__call__(x), self._comm.Get_size(), self._comm.Get_rank()
        own = slice(thc.begin(r, x.size, p), thc.begin(r + 1, x.size, p))
        self._calls -= 1
        codes = self._coded(x, low, step)
        self._calls += 1
        y[own] += (x[own] - low) - step * codes[own].astype(x.dtype)
        return y


class QsgdTwin(qsgd.Allreduce):
    """Correct."""


class QsgdNearest(qsgd.Allreduce):
    """Levels are rounded to the nearest, which is no expectation."""

    def __init__(self, comm: Any, n: int, **params: Any) -> None:
        super().__init__(comm, n, **params)
        qsgd.rounded = lambda t, chance, most: np.minimum(np.rint(t), most).astype(np.int64)


class QsgdByMax(qsgd.Allreduce):
    """The greatest magnitude in the place of the norm."""

    def __init__(self, comm: Any, n: int, **params: Any) -> None:
        super().__init__(comm, n, **params)
        self._by_max = True


class QsgdOneUnit(qsgd.Allreduce):
    """Levels are added up as if all ranks had one norm."""

    def __init__(self, comm: Any, n: int, **params: Any) -> None:
        super().__init__(comm, n, **params)
        good = qsgd.read

        def read(message: Any, like: Any, levels: int) -> Any:
            mine = np.frombuffer(qsgd.unit(like, levels, False).tobytes(), np.uint8)
            return good(np.concatenate([mine, message[like.itemsize :]]), like, levels)

        qsgd.read = read


class QsgdOwnExact(qsgd.Allreduce):
    """A rank adds its own vector as it is, and not what is read of its codes."""

    def __call__(self, x: Any, /) -> Any:
        with np.errstate(all="ignore"):
            mine = qsgd.read(self._coded(x), x, self._levels)
            return super().__call__(x) + (x - mine)


class QsgdNoSigns(qsgd.Allreduce):
    """The bit of the sign is left out of a message, so that it is shorter."""

    def __init__(self, comm: Any, n: int, **params: Any) -> None:
        super().__init__(comm, n, **params)
        good = qsgd.wholes.packed, qsgd.wholes.unpacked
        qsgd.wholes.packed = lambda numbers, bits: good[0](numbers & (1 << bits - 1) - 1, bits - 1)
        qsgd.wholes.unpacked = lambda message, c, bits: good[1](message, c, bits - 1)
