"""What the tests of gTop-k run on every rank; each wrong one has one fault."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring import Sparse
from sparring.impl import gtopk
from sparring.impl.core import wire
from sparring.impl.core.lists import added
from sparring.impl.core.selection import top
from sparring.impl.gtopk import Allreduce, after, before, collected, cut, multiple, rounds, shown


class Twin(Allreduce):
    """Correct; parts of it are planted below."""

    _waiting: Any

    def __call__(self, x: Any, /) -> Sparse:
        self._check(x)
        whole = x.copy() if self._waiting is None else self._waiting + x
        mine = top(whole, self._k)
        self._waiting = self.unselected(whole, mine)
        y = shown(self._comm, self.collected(mine))
        self._waiting = self.left(whole, mine, y)
        return y

    def unselected(self, whole: Any, mine: Any) -> Any:
        """All but what was selected."""
        rest = whole + 0
        rest[mine.indices] = 0
        return rest

    def collected(self, mine: Any) -> Any:
        """What is left of all ranks' on rank 0; what a rank cuts is added to its residual."""
        return collected(self._comm, mine, self._waiting)

    def left(self, whole: Any, mine: Any, y: Any) -> Any:
        """What stays behind."""
        return self._waiting


class Published(Twin):
    """The residual of the published code: what was selected comes back where the result has no entry, no more."""

    def left(self, whole: Any, mine: Any, y: Any) -> Any:
        rest = self.unselected(whole, mine)
        back = np.setdiff1d(mine.indices, y.indices)
        rest[back] = whole[back]
        return rest


class Forgetful(Twin):
    """What inner ranks cut is lost."""

    def left(self, whole: Any, mine: Any, y: Any) -> Any:
        return self.unselected(whole, mine)


class Uncut(Twin):
    """Ranks select, but only what is passed on is cut again, not each sum."""

    def collected(self, mine: Any) -> Any:
        comm, k = self._comm, len(mine)
        for i in range(rounds(comm.Get_size())):
            if not multiple(comm.Get_rank(), i + 1):
                mine = cut(mine, k, self._waiting)
                comm.Send(wire.pack(mine), before(comm.Get_rank(), i))
                return mine
            if after(comm.Get_rank(), i) < comm.Get_size():
                box = wire.room(k, mine.values, mine.n)
                comm.Recv(box, after(comm.Get_rank(), i))
                come = wire.unpack(box, mine.values, mine.n)
                mine = added([come, (mine.indices, mine.values)], mine)
        return cut(mine, k, self._waiting)


def once(comm: Any, x: Any, *, k: int) -> Any:
    """One call, as a function; the sum as a whole vector."""
    return gtopk.allreduce(comm, x, k=k).dense()
