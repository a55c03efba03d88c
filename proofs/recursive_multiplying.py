"""What the theorems of recursive multiplying need beyond its formulas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sparring.impl import recursive_multiplying
from sparring.proofs.logic.obligations import Obligation, always, every, i, iff, implies, j, p, r, t, within
from sparring.spec import recursive_multiplying as formulas
from sparring.spec.core.digits import log, power, prefix
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, both, either, negate

least = {"radix": 2}


def contention(radix: int) -> Mapping[str, str]:
    """Of several messages that a rank receives in a step, two can always meet on its port."""
    crowded = dict.fromkeys(("ring", "tree", "torus"), "contended")
    on_ports = "rendezvous" if radix == 2 else "contended"
    fat_tree = {} if radix == 2 else {"fat_tree": "contended"}  # with radix 2 the facts about digits do not decide it
    return {"crossbar": on_ports, **crowded, **fat_tree}


def same(r: Int, s: Int, c: Int, t: Int, p: Int, radix: Int) -> Bool:  # noqa: ARG001  # there is one chunk
    """Return whether two ranks hold the identical term once they have summed over the digits in which they differ."""
    i = formulas.place(t, p, radix)
    near = prefix(r, i, radix) == prefix(s, i, radix)
    awake = both(negate(formulas.beyond(r, p, radix)), negate(formulas.beyond(s, p, radix)))
    return either(r == s, either(formulas.steps(p, radix) <= t, every(awake, formulas.begun(t, p, radix), near)))


def peers(page: Page) -> Iterator[Obligation]:
    """Compare with ``impl``, which counts distances, the page counts steps and digits through."""
    impl: Any = recursive_multiplying  # its functions are typed for int and run here on symbols
    radix = page.params["radix"]
    top, folds = log(p, radix), formulas.folds(p, radix)
    core, d = power(radix, top), power(radix, t)
    box, inside = always(page), (*always(page), within(i, radix), within(t, top))
    yield Obligation("first distance", box, power(radix, 0) == 1)
    yield Obligation("next distance", (*box, t >= 0), impl.further(d, radix) == power(radix, t + 1))
    last = both(d <= p, p < impl.further(d, radix))
    yield Obligation("largest distance", (*box, t >= 0), implies(last, t == top))
    keeper, other = impl.member(r, 0, core, radix), impl.member(r, i, core, radix)
    aside = negate(keeper == r)
    for step, gives, what in ((0, True, "fold"), (folds + top, False, "unfold")):
        mine = impl.digit(r, core, radix) - 1
        paired = both(page.dst(r, step, p, mine) == keeper, page.active(r if gives else keeper, step, p, mine))
        met = both(page.dst(r, step, p, i - 1) == other, page.active(other if gives else r, step, p, i - 1))
        beyond = every(folds > 0, negate(aside), i > 0, other < p)
        yield Obligation(f"keeper in the {what}", box, implies(aside, both(folds > 0, paired)))
        yield Obligation(f"ranks beyond in the {what}", (*box, within(i, radix)), implies(beyond, met))
    by = (i - impl.digit(r, d, radix) - 1) % radix
    partner = page.dst(r, t + folds, p, by) == impl.member(r, i, d, radix)
    exchanging = both(negate(aside), negate(impl.member(r, i, d, radix) == r))
    yield Obligation("partners in a round", inside, implies(exchanging, every(within(by, radix - 1), partner)))
    exchanges = iff(page.active(r, t + folds, p, j), negate(aside))
    yield Obligation("who exchanges", (*inside, within(j, radix - 1)), exchanges)
