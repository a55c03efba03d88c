"""What is claimed of Ok-Topk beyond its text: when thresholds and regions are new, how thresholds follow, the volume.

Sizes and numbers of calls are letters: what is proved of them holds for all data.  ``k`` is a number of entries, of
calls where it is a period's; ``x`` a call, ``a`` how many entries were found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparring.impl import oktopk
from sparring.proofs.exchanges.volumes import BOX, VOLUMES
from sparring.proofs.logic.obligations import RANKS, Obligation, i, iff, j, n, p, r, within
from sparring.proofs.reading.annotations import Served, Stated
from sparring.spec.core import regions
from sparring.spec.core.model import Page, bound
from sparring.spec.core.numbers import Sym, both, negate

x, a, e = (Sym.var(name) for name in ("x", "a", "e"))

TURN = (*RANKS, i >= 1, i < p)
"""A turn of the rotation."""

others = (
    {"tau": 1, "tau_prime": 1, "trigger": 0, "bucket": 1, "gain": 0},
    {"tau": 2, "tau_prime": 3, "trigger": 1, "bucket": 2, "gain": 300},
    {"tau_prime": 2, "trigger": 2, "gain": 900},
)
refused = ({"tau": 0}, {"tau_prime": 0}, {"trigger": -1}, {"bucket": 0}, {"gain": -1})

asked = {"due": lambda call, period: call >= 0 and period >= 1}
NAN = "a NaN's bits come out of a quotient and a product as they went in"
survivors = {
    'if x.dtype.kind == "i":': "of a float's bits numpy's absolute value clears the sign, too",
    "return size.dtype.type(0)": "all that are not zero reach either, and a gain of less than 1000 leaves both",
    "return least if np.isnan(value) else (value / dtype.type(over) * dtype.type(by)).view(least.dtype)": NAN,
    "if not came:": "a sum of one list alone is this list",
}


def owed(p: int) -> Sequence[Mapping[str, Any]]:  # noqa: ARG001  # as for every page
    """Return parameters: what is left comes soon where thresholds are made anew in each call."""
    return others[:1]


def certificates(page: Page) -> Mapping[tuple[str, str], tuple[str, tuple[Obligation, ...]]]:  # noqa: ARG001  # all
    """Return faults in the implementation that are none, each with what this rests on."""
    first = (
        "the first call sets it anew before it is read",
        (Obligation("call 0 begins every period, here p", (p >= 1, x == 0), x % p == 0),),
    )
    before = Obligation("no index is before either", (x >= 0,), both(x >= 0, x >= -1))
    back = Obligation("what is counted from there is counted back", (), x - a + a == x)
    room = Obligation("there is room", (x >= 0, a >= 0, a <= e, x < e - a), x < e + a)
    nobody = Obligation("no rank has it", RANKS, both(r + 1 <= p, negate(r == p)))
    return {
        **{(f"self.{name}: Any = 0", f"0 becomes {i}"): first for name in ("_local", "_least") for i in (1, -1)},
        ("self._bounds = np.zeros(0, np.int64)", "0 becomes 1"): first,
        ("self._bounds = np.zeros(0, np.int64)", "self._bounds = np.zeros(0, np.int64) becomes nothing"): first,
        ("return np.concatenate([[0], mean(summed, p), [n]])", "0 becomes -1"):
            ("a first region that begins earlier has the same entries", (before, back)),
        ("y = added(near, Sparse.made(sums.indices, sums.values, int(end - start)))",
         "end - start becomes end + start"):
            ("a region that is told to be longer has the same entries", (room, back)),
        ("shares = [share(j, begins[p], p) for j in range(p + 1)]", "1 becomes 2"):
            ("the share after the last is no rank's", (nobody,)),
    }  # fmt: skip


def kept(state: Any, xs: Sequence[Any], i: int) -> Iterator[str]:
    """Yield what is wrong with the number of calls, the bounds of regions and the threshold that ranks share."""
    if state.call != i:
        yield f"after {i} calls it has counted {state.call}"
    n = xs[0][0].n
    for cuts in state.bounds:
        if len(cuts) != len(xs) + 1 or [*cuts] != sorted(cuts) or (cuts[0], cuts[-1]) != (0, n):
            yield f"regions begin at {[*cuts]}, of {n} entries on {len(xs)} ranks"
    if any(one != state.least[0] or cuts != state.bounds[0] for one, cuts in zip(state.least, state.bounds)):
        yield f"after {i} calls ranks differ in the sums' threshold or in regions"


def theorems(page: Page) -> Iterator[Stated]:
    """State all theorems on its functions."""
    m: Any = page.module
    yield Stated(
        "thresholds",
        "What is due is so in the first call and once in each period after it; a threshold grows where "
        "more than 4 k / 3 entries reached it, and shrinks where fewer than 2 k / 3 did.",
        (*periods(m), *following(m)),
    )
    yield Stated(
        "volume",
        "With k = p e, at most k entries of each rank, e of them in its own region, and at most k sums that "
        "stay and are dealt out, no rank sends more than 6 (k - e) = 6 k (p - 1) / p words.",
        volume(m),
    )


def periods(m: Any) -> Iterator[Obligation]:
    """State of a period of ``p`` calls, in the first few: so many as remainders are unfolded for."""
    calls = (p >= 1, within(x, 4 * p))
    yield Obligation("the first call is due", calls, m.due(0 * p, p))
    yield Obligation("so is each a period later", calls, iff(m.due(x + p, p), m.due(x, p)))
    yield Obligation("and none between", (*calls, m.due(x, p), i >= 1, i < p), negate(m.due(x + i, p)))


def following(m: Any) -> Iterator[Obligation]:
    """State how a threshold changes; ``k = 3 e`` entries are wanted, ``a`` are found."""
    wanted = (e >= 0, a >= 0)
    yield Obligation("it grows", wanted, iff(m.change(a, 3 * e) == 1, a > 4 * e))
    yield Obligation("it shrinks", wanted, iff(m.change(a, 3 * e) == -1, a < 2 * e))
    yield Obligation("else it stays", wanted, iff(m.change(a, 3 * e) == 0, both(2 * e <= a, a <= 4 * e)))
    yield Obligation("never both", wanted, negate(both(m.many(a, e), m.few(a, e))))


def volume(m: Any) -> Iterator[Obligation]:
    """State that each of the three exchanges of a call sends at most ``k - e`` entries of a rank."""
    for exchange in (m.reduce_scatter, m.balance, m.allgather):
        yield from VOLUMES[exchange.__name__]()


def peers(page: Page, served: Served) -> Iterator[Obligation]:
    """Compare with ``impl/oktopk.py``, which has its turns, means and shares in functions of its own."""
    impl: Any = oktopk
    m: Any = page.module
    turns = served("rotation")
    yield Obligation("to whom", TURN, impl.to(r, i, p) == turns.dst(r, i - 1, p))
    yield Obligation("from whom", TURN, impl.whence(r, i, p) == turns.src(r, i - 1, p))
    yield Obligation("turns", (p >= 1,), turns.steps(p) == p - 1)
    yield Obligation("means", (p >= 1, a >= 0), impl.mean(a, p) == regions.mean(a, p))
    yield Obligation("far more", (), iff(impl.many(a, e), m.many(a, e)))
    yield Obligation("far fewer", (), iff(impl.few(a, e), m.few(a, e)))
    yield Obligation("shares", BOX, impl.share(j, n, p) == bound(j, n, p))
