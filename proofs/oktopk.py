"""What is proved of Ok-Topk, for every number of ranks, whatever the vectors hold.

Sizes, bounds and positions are letters: what is proved of them holds for all data.  ``d`` lists are
there before a round of the allgather; of all entries in the order of ranks, ``x`` is one, at or after
``begin`` and before ``end`` of the rank that has it, ``start`` and ``stop`` of the share that it falls in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparring.impl import bruck_allgather, oktopk
from sparring.proofs.core import obligations
from sparring.proofs.core.obligations import RANKS, Obligation, c, i, iff, implies, j, n, p, q, r, within
from sparring.proofs.core.rotation import TURN, rotation, turns
from sparring.proofs.core.supplement import Stated
from sparring.proofs.cost.oktopk import bounded, leaving, moving, played, sharing
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, Sym, both, either, negate, where

__all__ = ["bounded", "played"]

d, x, k, e, a, b = (Sym.var(name) for name in ("d", "x", "k", "e", "a", "b"))
begin, end, start, stop = (Sym.var(name) for name in ("begin", "end", "start", "stop"))
begin2, end2, start2, stop2 = (Sym.var(name) for name in ("begin2", "end2", "start2", "stop2"))

ROUND = (*RANKS, within(c), d >= 1, d < p)
"""A round of the allgather in which not all lists are there yet."""
BOX = (p >= 1, n >= 0, within(j))
"""``n`` entries, and one of the shares that they are dealt out in."""
ENTRY = (p >= 1, begin <= x, x < end, start <= x, x < stop)

others = ({"tau": 1, "tau_prime": 1, "trigger": 0, "bucket": 1, "gain": 0},
          {"tau": 2, "tau_prime": 3, "trigger": 1, "bucket": 2, "gain": 300},
          {"tau_prime": 2, "trigger": 2, "gain": 900})  # fmt: skip
refused = ({"tau": 0}, {"tau_prime": 0}, {"trigger": -1}, {"bucket": 0}, {"gain": -1})

faults: Mapping[str, Mapping[str, Any]] = {
    "sends to the next rank but one": {"dst": lambda r, i, p: (r + i + 1) % p},
    "shares of equal length, the rest dropped": {"bound": lambda c, n, p: c * (n // p)},
    "means rounded beyond the end": {"mean": lambda total, p: total // p + 1},
    "an entry more in each message": {"sooner": lambda a, b: where(a < b, a, b) + 1},
    "all that was selected is cleared": {"given": lambda sent, stays: sent},
    "all ranks send to the same one": {"dst": lambda r, i, p: i},
}


asked = {
    "bound": lambda c, n, p: 0 <= c <= p,
    "dst": lambda r, i, p: 0 <= r < p and 1 <= i < p,
    "src": lambda r, i, p: 0 <= r < p and 1 <= i < p,
    "mean": lambda total, p: total >= 0,
}
survivors = {
    'if x.dtype.kind == "i":': "of a float's bits numpy's absolute value clears the sign, too",
    "return size.dtype.type(0)": "all that are not zero reach either, and a gain of less than 1000 leaves both",
    "if not came:": "a sum of one list alone is this list",
}


def certificates(page: Page) -> Mapping[tuple[str, str], tuple[str, tuple[Obligation, ...]]]:
    """Faults in the page and in its implementation that are none, each with what this rests on."""
    gathered = ("the last rank has gathered the same lists as the first", (*rounds(),))
    first = ("the first call sets it anew before it is read", (
        Obligation("call 0 begins every period, here p", (p >= 1, x == 0), x % p == 0),
    ))  # fmt: skip
    size = "return (True, -(size * by // over if isinstance(size, int) else size / over * by)) if least[0] else least"
    empty = ("a threshold of 0 stays, and one that nothing reaches is never scaled", (
        Obligation("0 stays, here by p", (p >= 1,), 0 * x // p == 0),
        Obligation("none wanted, none found", (a == 0,), negate(either(page.module.many(a, a), page.module.few(a, a)))),
    ))  # fmt: skip
    own = Obligation("no part begins before a rank's own entries", (p >= 1,), page.module.later(begin, start) >= begin)
    before = Obligation("no index is before either", (x >= 0,), both(x >= 0, x >= -1))
    back = Obligation("what is counted from there is counted back", (), x - begin + begin == x)
    room = Obligation("there is room", (x >= 0, begin >= 0, begin <= end, x < end - begin), x < end + begin)
    nobody = Obligation("no rank has it", RANKS, both(r + 1 <= p, negate(r == p)))
    return {
        ("return xs[i].at(xs[i].indices[max(start - begins[i], 0) : max(end - begins[i], 0)])", "0 becomes -1"):
            ("of a rank's entries no part begins before the first", (own,)),
        (size, "0 becomes 1"): empty,
        (size, "0 becomes -1"): empty,
        ("state = state._replace(least=threshold(every[0].values, params.k))", "0 becomes -1"): gathered,
        ("state = state._replace(local=local, least=followed(state.least, len(ys[0].indices), params))",
         "0 becomes -1"): gathered,
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
    """What is wrong with the number of calls and the bounds of regions."""
    if state.call != i:
        yield f"after {i} calls it has counted {state.call}"
    cuts, n = [*state.bounds], xs[0][0].n
    if len(cuts) != len(xs) + 1 or cuts != sorted(cuts) or (cuts[0], cuts[-1]) != (0, n):
        yield f"regions begin at {cuts}, of {n} entries on {len(xs)} ranks"


def theorems(page: Page) -> Iterator[Stated]:
    """All of them."""
    m: Any = page.module
    yield Stated(
        "result", "Each selected entry is added once, at its region's rank; each sum that stays comes to all once.",
        (*rotation(m), *moves(m), *rounds()), "an entry more in each message",
    )  # fmt: skip
    yield Stated(
        "agreement", "Each index has one rank that adds it up, in one order; all others have a copy of that sum.",
        (*one_adder(m), *rounds()), "sends to the next rank but one",
    )  # fmt: skip
    yield Stated(
        "conservation", "At each index the result and what ranks keep add up to what they had, in exact arithmetic.",
        mass(m), "all that was selected is cleared",
    )  # fmt: skip
    yield Stated(
        "partition", "The regions cut [0, n), and the shares all entries, without gap or overlap.",
        (*regions(m), *obligations.partition(m.bound)), "means rounded beyond the end",
    )  # fmt: skip
    yield Stated(
        "deadlock", "Posting all of a turn or a round and then waiting never deadlocks, with synchronous sends.",
        (*turns(m), *neighbours()), "sends to the next rank but one",
    )  # fmt: skip
    yield Stated(
        "contention", "In a turn of the rotation no two ranks send to the same one, so that in a step a link of a "
        "crossbar serves at most a bucket of senders, each once, and in all turns each other rank once; in a round of "
        "the allgather one. Dealing out, a rank hears from another at most once, from how many depends on the data.",
        (*apart(m), *rotation(m), *neighbours()), "all ranks send to the same one",
    )  # fmt: skip
    yield Stated(
        "volume", "With k = p e, at most k entries of each rank, e of them in its own region, and at most k sums that "
        "stay and are dealt out, no rank sends more than 6 (k - e) = 6 k (p - 1) / p words.",
        volume(m), "shares of equal length, the rest dropped",
    )  # fmt: skip


def apart(m: Any) -> Iterator[Obligation]:
    """Turns ``i`` and ``j`` of the step that begins with turn ``a`` and has ``e`` of them, if so many are left."""
    step = (*RANKS, e >= 1, a >= 1, a <= i, i < a + e, i < p, a <= j, j < a + e, j < p)
    yield Obligation("of two turns", step, implies(m.dst(r, i, p) == m.dst(r, j, p), i == j))
    yield Obligation("from two turns", step, implies(m.src(r, i, p) == m.src(r, j, p), i == j))
    yield Obligation("of two ranks", step, implies(m.dst(q, i, p) == m.dst(r, i, p), q == r))
    yield Obligation("as many places as the bucket has", step, within(i - a, e))


def overlap(m: Any, begin: Int, end: Int, start: Int, stop: Int) -> Bool:
    """``x`` is in the message from the rank with ``begin`` and ``end`` to that of the share."""
    return both(m.later(begin, start) <= x, x < m.sooner(end, stop))


def moves(m: Any) -> Iterator[Obligation]:
    """Dealing out: each entry is in the message from its rank to its share's, and in no other."""
    yield Obligation("in its message", ENTRY, overlap(m, begin, end, start, stop))
    apart = either(end <= begin2, end2 <= begin)
    other = either(stop <= start2, stop2 <= start)
    yield Obligation("in no other rank's", (*ENTRY, apart), negate(overlap(m, begin2, end2, start2, stop2)))
    yield Obligation("in no other share's", (*ENTRY, other), negate(overlap(m, begin2, end2, start2, stop2)))


def has(r: Int, d: Int) -> Bool:
    """Rank ``r`` has list ``c`` once it has ``d`` lists."""
    return (c - r) % p < d


def many(d: Int) -> Int:
    """How many lists are sent in a round."""
    return where(d <= p - d, d, p - d)


def rounds() -> Iterator[Obligation]:
    """The allgather: each list comes to each rank once, whatever the sizes; they lie one after the other."""
    comes = (c - (r + d) % p) % p < many(d)
    yield Obligation("its own at first", (*RANKS, within(c)), iff(has(r, 1), c == r))
    yield Obligation("then more", ROUND, iff(has(r, d + many(d)), either(has(r, d), comes)))
    yield Obligation("none twice", ROUND, negate(both(has(r, d), comes)))
    yield Obligation("of what the sender has", ROUND, implies(comes, has((r + d) % p, d)))
    yield Obligation("in the end all", (*RANKS, within(c)), has(r, p))
    yield Obligation("one less than ranks are sent", ROUND, both(d + many(d) <= p, d + many(d) > d))


def neighbours() -> Iterator[Obligation]:
    """In each round who sends is heard."""
    yield Obligation("a round is heard", ROUND, ((r - d) % p + d) % p == r)
    yield Obligation("a round hears", ROUND, ((r + d) % p - d) % p == r)
    yield Obligation("a round's other rank", ROUND, negate((r - d) % p == r))


def one_adder(m: Any) -> Iterator[Obligation]:
    """No index is in two regions; and a rank adds the others' entries in the order of turns, whatever they are."""
    yield from rotation(m)
    apart = either(end <= start, stop <= begin)
    inside = both(both(begin <= x, x < end), both(start <= x, x < stop))
    yield Obligation("in one region", (p >= 1, apart), negate(inside))


def mass(m: Any) -> Iterator[Obligation]:
    """Rank by rank: ``a`` was put in, ``b`` sent and ``n`` kept so far; a rank that has ``x`` comes to that."""
    nothing: Int = 0
    sent, stays = i >= 1, j >= 1  # any truths
    comes, remains = where(sent, x, nothing), where(m.given(sent, stays), nothing, x)
    so_far = (p >= 1, a == where(stays, b, nothing) + n)
    yield Obligation("with each rank", so_far, a + x == where(stays, b + comes, nothing) + n + remains)


def regions(m: Any) -> Iterator[Obligation]:
    """Means of bounds that ascend do so, too; ``a`` and ``b`` are sums of the proposals for two of them."""
    sums = (p >= 1, n >= 0, a >= 0, a <= b, b <= p * n)
    yield Obligation("sums ascend", (p >= 1, a <= b, q <= r), a + q <= b + r)
    yield Obligation("means ascend", sums, m.mean(a, p) <= m.mean(b, p))
    yield Obligation("means are in [0, n]", sums, both(m.mean(a, p) >= 0, m.mean(b, p) <= n))


def volume(m: Any) -> Iterator[Obligation]:
    """Each of the three phases sends at most ``k - e`` entries.

    Of ``a`` entries those in its own region, ``b``, do not leave a rank; of ``n`` that are dealt out those
    of its own share do not; and of lists, none longer than ``e``, it sends one less than there are ranks.
    """
    yield from leaving()
    yield from moving(m)
    yield from sharing(m)


def peers(page: Page) -> Iterator[Obligation]:
    """``impl/oktopk.py`` has its turns, means and shares in functions of its own."""
    impl: Any = oktopk
    row: Any = bruck_allgather
    m: Any = page.module
    yield Obligation("to whom", TURN, impl.to(r, i, p) == m.dst(r, i, p))
    yield Obligation("from whom", TURN, impl.whence(r, i, p) == m.src(r, i, p))
    yield Obligation("means", (p >= 1, a >= 0), impl.mean(a, p) == m.mean(a, p))
    yield Obligation("far more", (), iff(impl.many(a, k), m.many(a, k)))
    yield Obligation("far fewer", (), iff(impl.few(a, k), m.few(a, k)))
    yield Obligation("shares", BOX, impl.share(j, n, p) == m.bound(j, n, p))
    yield Obligation("to whom in a round", ROUND, row.before(r, d, p) == (r - d) % p)
