"""What is proved of ARC-Top-K, for every number of ranks, whatever the vectors hold.

Sizes, scores and entries are letters.  A row's score is told by its place among all scores, ``a`` or ``b``, and
rows by their indices ``i``, ``j`` and ``q``; where a row is cut, ``p`` is its length.  What the two allreduces
prove, their own pages do, whose obligations are among these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, cast

from sparring.impl import arc_top_k
from sparring.proofs import ring as ring_proofs
from sparring.proofs import two_shot as two_shot_proofs
from sparring.proofs.contention import networks
from sparring.proofs.contention.claims import exclusive
from sparring.proofs.core import obligations
from sparring.proofs.core.obligations import Obligation, c, i, implies, j, p, q, r, t, within
from sparring.proofs.core.rotation import of_ports
from sparring.proofs.core.supplement import Stated
from sparring.proofs.cost.arc_top_k import bounded, fewer, played
from sparring.proofs.cost.oktopk import sharing
from sparring.spec import ring, two_shot
from sparring.spec.core.model import Page, bound, load
from sparring.spec.core.numbers import Int, Sym, both, either, negate, where

__all__ = ["bounded", "played"]

a, b, d, e, f, k, x, y = (Sym.var(name) for name in "abdefkxy")

INNER: Mapping[str, Any] = {"ring": ring_proofs, "two_shot": two_shot_proofs}
"""What is proved of the allreduces that it is made of."""
LENGTHS = range(1, 9)
"""Of so many terms the order of addition is looked at."""
ANY = (p >= 1,)
SENT = i >= 1
"""Any truth: whether a row is sent."""
PART = (p >= 1, k >= 0, e >= 1, e <= p)

others = ({"k": 1, "columns": 2, "sketch": 1, "feedback": "ef14", "through": "two_shot"},
          {"k": 0, "columns": 3, "sketch": 3, "feedback": "ef21", "seed": 5, "momentum": 0},
          {"k": 3, "columns": 1, "feedback": "ef21m", "momentum": 1000, "through": "two_shot"})  # fmt: skip
long = ({"columns": 70_000, "sketch": 1}, {"columns": 70, "sketch": 1})
shown = {"residual": lambda state, r: state.kept[r] if state.kept else None}
refused = ({"k": -1}, {"columns": -1}, {"sketch": 0}, {"seed": -1}, {"momentum": -1}, {"momentum": 1001},
           {"feedback": "ef15"}, {"through": "tree"})  # fmt: skip


def changed(module: Any, **formulas: Any) -> Page:
    """A page with other formulas."""
    return load(cast("Any", SimpleNamespace(**{**vars(module), **formulas})))


astray: Mapping[str, Page] = {
    "ring": changed(ring, dst=lambda r, t, p: (r + 2) % p),
    "two_shot": changed(two_shot, dst=lambda r, t, j, p: (r + j + 2) % p),
}
faults: Mapping[str, Mapping[str, Any]] = {
    "ties are left open": {"before": lambda a, i, b, j: a < b},
    "rows overlap": {"slot": lambda i, c, columns: i + c},
    "an estimate without what was sent": {"nearer": lambda sent, estimate, more: estimate},
    "what was sent waits, too": {"waits": lambda sent, x, nothing: x},
    "a mean that is not scaled": {"mixed": lambda mean, x, momentum: mean * 1000 + x * momentum},
    "the last row is dropped": {"rows": lambda n, columns: n // columns},
    "a row of nothing but padding": {"rows": lambda n, columns: n // columns + 1},
    "sums go astray": {"SCHEDULES": astray},
}


def kept(state: Any, xs: Sequence[Any], calls: int) -> Iterator[str]:  # noqa: ARG001  # as for every page
    """What is wrong with the number of calls."""
    if state.call != calls:
        yield f"after {calls} calls it has counted {state.call}"


survivors = {"size = max(1, BLOCK // columns)": "How many rows are taken together is for speed; it changes no bit."}
POWERS = "powers = (1 << e for e in range(n.bit_length()))"


def certificates(page: Page) -> dict[tuple[str, str], tuple[str, list[Obligation]]]:  # noqa: ARG001  # of every page
    """Why faults are none."""
    one: Int = 1
    longer = Obligation("no power is less", ANY, implies(a >= 1, where(a < 1, one, a) == a))
    return {(POWERS, "1 becomes 2"): ("without other powers a row has one entry", [longer])}


def theorems(page: Page) -> Iterator[Stated]:
    """All of them."""
    m: Any = page.module
    inner = m.SCHEDULES[page.params["through"]]
    yield Stated(
        "result", "Each kept row has a place of its own in the second sum, the same on all ranks, where it is added "
        "once for each rank; and the sum of all ranks' memories goes the way of one rank's alone that is given the sum "
        "of all vectors, for the sketch of a sum is the sum of sketches (rows of up to 8 entries), and all else is "
        "linear once the rows are known.",
        (*places(m), *single(m), *halves(m), *obligations.result(inner)), "rows overlap",
    )  # fmt: skip
    yield Stated(
        "agreement", "Ranks whose summed sketches have the same bits keep the same rows, since the order of rows is "
        "total; and these sums have the same bits on all ranks.",
        (*total(m), *obligations.agreement(inner, INNER[page.params["through"]].same)), "ties are left open",
    )  # fmt: skip
    yield Stated(
        "conservation", "At each entry what is kept and what waits make up what there was, and all estimates "
        "the result, in exact arithmetic, with each of the three rules.",
        (*mass(m), *means(m)), "an estimate without what was sent",
    )  # fmt: skip
    yield Stated(
        "partition", "The rows cut [0, n), the last filled up with less than a row.", (*rows(m),),
        "the last row is dropped",
    )  # fmt: skip
    yield Stated(
        "deadlock", "Posting all of a step of either sum and then waiting never deadlocks, with synchronous sends.",
        (*obligations.schedule(inner),), "sums go astray",
    )  # fmt: skip
    yield contended(inner)
    yield Stated(
        "volume", "In two sums, of the rows' sketches and of the k kept rows or fewer, a rank sends 2 (p - 1) messages "
        "of a chunk each, without an index: at most 2 (p - 1) e words of a sum of up to p e entries.",
        (*rows(m), *places(m), *fewer(), *volume(inner)), "a row of nothing but padding",
    )  # fmt: skip


def contended(inner: Page) -> Stated:
    """Of two sums that are made so."""
    if not inner.several:
        says = "Each directed link of the ring of ranks serves one (source, destination) pair, in both sums."
        return Stated("contention", says, (*exclusive(inner, networks.find("ring")),), "sums go astray")
    return of_ports(counted(inner), "sums go astray")


def counted(inner: Page) -> Any:
    """To and from whom in each step of two shots, with messages counted from 1 on."""
    return SimpleNamespace(dst=lambda r, i, p: inner.dst(r, t, p, i - 1), src=lambda r, i, p: inner.src(r, t, p, i - 1))


def volume(inner: Page) -> Iterator[Obligation]:
    """A rank's messages in a sum, and how long one is, of ``n`` entries."""
    yield Obligation("2 (p - 1) messages", ANY, inner.steps(p) * inner.messages(t, p) == 2 * (p - 1))
    yield Obligation("of one chunk", ANY, inner.count(r, t, p) == 1)
    yield from sharing(SimpleNamespace(bound=bound))


def total(m: Any) -> Iterator[Obligation]:
    """Two ranks' choices of as many rows are one: of what one alone has and the other alone, either came first."""
    yield Obligation("not before itself", ANY, negate(m.before(a, i, a, i)))
    yield Obligation("of two rows one", (*ANY, negate(i == j)), either(m.before(a, i, b, j), m.before(b, j, a, i)))
    yield Obligation("and not the other", ANY, negate(both(m.before(a, i, b, j), m.before(b, j, a, i))))
    chain = both(m.before(a, i, b, j), m.before(b, j, e, q))
    yield Obligation("in one order", ANY, implies(chain, m.before(a, i, e, q)))
    yield Obligation("a larger score is first", (*ANY, a < b), m.before(a, i, b, j))


def places(m: Any) -> Iterator[Obligation]:
    """The rows that are kept lie one after the other; ``p`` is their length, ``k`` their number."""
    row = (p >= 1, within(i, k), within(c))
    yield Obligation("as the first", (p >= 1, within(c)), both(m.slot(0, c, p) == c, m.slot(0, p, p) == p))
    yield Obligation("each after the one before", row, m.slot(i + 1, c, p) == m.slot(i, c, p) + p)
    yield Obligation("entry by entry", row, both(m.slot(i, c + 1, p) == m.slot(i, c, p) + 1, m.slot(i, c, p) >= c))


def rows(m: Any) -> Iterator[Obligation]:
    """Of ``k`` whole rows and ``e`` entries more, one at least and a row at most, there is a row more; of none none."""
    yield Obligation("no row of nothing", ANY, m.rows(0, p) == 0)
    yield Obligation("whole rows and a part", PART, m.rows(p * k + e, p) == k + 1)


def halves(m: Any) -> Iterator[Obligation]:
    """The order of addition adds every term once."""
    for many in LENGTHS:
        terms = [Sym.var(f"x{at}") for at in range(many)]
        sum_of: Int = 0
        for term in terms:
            sum_of = sum_of + term
        yield Obligation(f"{many} halved", ANY, m.halved(terms) == sum_of)
        drawn = [m.normal(many, 0, 0, at) for at in range(many)]
        more = [Sym.var(f"y{at}") for at in range(many)]
        both_ = [u + v for u, v in zip(terms, more)]
        sketch = [m.sketched(some, [drawn])[0] for some in (both_, terms, more)]
        yield Obligation(f"sketch of {many}", ANY, sketch[0] == sketch[1] + sketch[2])


def single(m: Any) -> Iterator[Obligation]:
    """Each rule adds up over ranks, and has no unit: what ``x`` and ``y`` become, with memories ``e`` and ``f``."""
    sent, nothing = SENT, 0
    sums = m.waits(sent, x, nothing) + m.waits(sent, y, nothing)
    yield Obligation("what waits adds up", ANY, m.waits(sent, x + y, nothing) == sums)
    yield Obligation(
        "estimates add up", ANY, m.nearer(sent, e + f, x + y) == m.nearer(sent, e, x) + m.nearer(sent, f, y)
    )
    for part in (0, 100, 999, 1000):
        means = m.mixed(e, x, part) + m.mixed(f, y, part)
        yield Obligation(f"means add up, {part}", ANY, m.mixed(e + f, x + y, part) == means)
    ranks = (p >= 1,)
    yield Obligation("of p ranks what waits", ranks, m.waits(sent, p * x, nothing) == p * m.waits(sent, x, nothing))
    yield Obligation("of p ranks an estimate", ranks, m.nearer(sent, p * e, p * x) == p * m.nearer(sent, e, x))
    yield Obligation("scores by p twice are in one order", ranks, implies(a < b, p * a < p * b))


def mass(m: Any) -> Iterator[Obligation]:
    """Rank by rank: ``a`` was put in, ``b`` is in the result and ``d`` waits so far; ``e`` is a rank's estimate."""
    sent = SENT
    nothing: Int = 0
    comes = where(sent, x, nothing)
    so_far = (*ANY, a == b + d)
    yield Obligation("with each rank", so_far, a + x == b + comes + d + m.waits(sent, x, nothing))
    yield Obligation("what is sent is gone", (*ANY, sent), m.waits(sent, x, nothing) == 0)
    left = x - m.nearer(sent, e, x - e)
    yield Obligation("an estimate comes nearer", ANY, left == m.waits(sent, x - e, nothing))
    result = m.nearer(sent, b, d)
    yield Obligation("estimates are the result", (*ANY, b == e + f, d == x + y),
                     result == m.nearer(sent, e, x) + m.nearer(sent, f, y))  # fmt: skip


def means(m: Any) -> Iterator[Obligation]:
    """A running mean of the same number is that number, and all of a new one is that one."""
    for part in (0, 1, 100, 999, 1000):
        yield Obligation(f"of one number, {part}", ANY, m.mixed(x, x, part) == m.WHOLE * x)
        between = implies(e <= x, both(m.WHOLE * e <= m.mixed(e, x, part), m.mixed(e, x, part) <= m.WHOLE * x))
        yield Obligation(f"between both, {part}", ANY, between)


def peers(page: Page) -> Iterator[Obligation]:
    """``impl/arc_top_k.py`` counts rows upwards from below, and has its means in a function of its own."""
    impl: Any = arc_top_k
    m: Any = page.module
    yield Obligation("no rows", ANY, impl.high(0 * p, p) == m.rows(0 * p, p))
    yield Obligation("rows", PART, impl.high(p * k + e, p) == m.rows(p * k + e, p))
    for part in (0, 1, 100, 1000):
        yield Obligation(f"means, {part}", ANY, impl.mixed(e, x, part) == m.mixed(e, x, part))
    through = page.params["through"]
    yield from INNER[through].peers(m.SCHEDULES[through])
