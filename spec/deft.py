"""DEFT: layers are dealt out to ranks, each of which selects the largest entries of its own layers [YO23b]_.

A rank adds to its vector what it has not sent so far, its *residual*.  The vector is cut into ``layers`` layers; one
that is longer than ``n / p`` counts as ``p`` layers.  In call ``t`` the *leader*, rank ``t mod p``, deals layers out:
it says for each how many of ``k`` entries it would select there, by the norm of its own sum in the layer, at least one
and no more than there are; the work of a layer is its length times the logarithm of that; and layers go, the most work
first, to the bin that has least.  Rank ``r`` has bin ``(t + r) mod p``.  In each layer there it selects its largest
entries, as many as its *own* norms say.  Layers of which the leader would select everything are in no bin: all entries
of these are selected.  All ranks tell each other the selected indices, and an ordinary allreduce adds these entries of
all ranks, values alone; elsewhere the result is zero.

Requires: ``p >= 1``; vectors of one length and floating-point type, the same in each call; ``k >= 0``; ``layers >= 1``.
Ensures:  at all selected indices all ranks hold the sum of all ranks' vectors and residuals, and zeros elsewhere.  In
exact arithmetic, over any calls, all results and the last residuals add up to all that ranks had.

This is a reading of the authors' public code; of the paper its abstract was at hand.  No two ranks select one index but
in layers that all send.  Each rank's numbers add up to about ``k``, but those of its own layers alone count: with norms
that differ between ranks, more than ``k`` entries may be sent, or fewer.

Layers of a model have lengths of their own; here they are runs of about ``n / layers`` entries, cut as chunks are.  Of
equal norms or work the lower layer comes first, of equal magnitudes the lower index, NaN before all numbers.  Norms are
of 64 bits, their squares added up in halves; where they are no numbers a layer has one entry.  On one rank alone the
code sends no layer of which all is selected; here it does.  The result is the sum; the code has the mean.  Plans and
indices are told by a broadcast and an allgather of their own, which no trace has; each index is one word.

>>> from sparring import page
>>> from sparring.spec.core.runner import run
>>> one = page("deft", k=2, layers=2, through="two_shot")
>>> ran = run(one, [[5.0, 1.0, 2.0, 0.0], [7.0, 8.0, 4.0, 3.0]])
>>> ran.trace[0], ran.results[1]
([Message(src=0, dst=1, entries=[2.0]), Message(src=1, dst=0, entries=[7.0])], [12.0, 0.0, 6.0, 0.0])
>>> ran.state.residual
[[0.0, 1.0, 0.0, 0.0], [0.0, 8.0, 0.0, 3.0]]

.. [YO23b] D. Yoon and S. Oh, "DEFT: Exploiting gradient norm difference between model layers for scalable gradient
   sparsification", ICPP 2023, arXiv:2307.03500; code: github.com/kljp/deft.
"""

from typing import Annotated, Any, Literal, NamedTuple

from sparring.spec.clt_k import leader
from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.exchanges import allreduce, apart
from sparring.spec.core.vectors import Vector, by_rank, total, where
from sparring.spec.library.exclusive_parts import union
from sparring.spec.library.layers import dealt, largest_of_layers
from sparring.spec.micro import part

data = "dense"
dtypes = ("float32", "float64")
hypotheses = (("P1", "all entries may be selected, as ranks differ in norms; indices are told apart"),)


class Params(NamedTuple):
    """``k``: how many entries a rank would select; ``layers``: how many there are; ``through``: how sums are made."""

    k: Annotated[int, Between(0)] = 100
    layers: Annotated[int, Between(1, 2**14)] = 16
    through: Literal["ring", "two_shot"] = "ring"


class State(NamedTuple):
    """``residual``: what a rank has not sent so far."""

    residual: Any = 0


def program(x: Vector, r: int, p: int, call: int, state: State, params: Params) -> Text:
    v = x + state.residual
    plan = (yield apart(dealt(v, p, params.layers, params.k)))[leader(call, p)]
    at = union((yield apart(largest_of_layers(v, part(call + r, p), plan, params.layers, params.k))))
    y = yield allreduce(v, at=at, through=params.through)
    return y, State(where(at, 0, v))


def ensures(x: Vector, r: int, p: int, call: int, state: State, params: Params) -> Any:
    """What all ranks end with."""
    v = x + state.residual
    plan = by_rank(dealt(v, p, params.layers, params.k))[leader(call, p)]
    return where(union(by_rank(largest_of_layers(v, part(call + r, p), plan, params.layers, params.k))), total(v), 0)


def waiting(state: State) -> Any:
    """What is still to come, of all ranks."""
    return total(state.residual)
