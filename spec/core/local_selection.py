"""Selectors in front of algorithms that select by themselves: what of a rank's vector enters a run.

A rank's *local selector* takes entries of its vector, and the algorithm is run on these alone: all others are
zero in it.  Whatever cuts the algorithm makes on its way, it makes as ever.  What the selector left out
stays behind, beside what the algorithm leaves behind, and is added to the rank's next vector.

So a selector decides what may be sent, and the algorithm how much: its messages are as long as without
one, however many entries the selector takes.  Each rank has one state of its selector, from call to call.

>>> from sparring.spec.core import pages
>>> from sparring.spec.core.runner import run
>>> page = pages.find("ring_topk", k=2, selector="threshold", period=2)
>>> ran = run(page, [[5, 1, 6, 2], [1, 4, 2, 0]])
>>> ran.results[1], ran.residuals
([0:5 2:8], [[1:1 3:2], [0:1 1:4 3:0]])
>>> ran = run(page, [[7, 6, 0, 5], [0, 1, 1, 1]], ran.state)  # thresholds are still 5 and 2
>>> ran.results[1], ran.residuals
([0:7 3:5], [[1:6 2:0], [0:0 1:1 2:1 3:1]])

There rank 0's selector took three entries, of which the ring sends two, and rank 1's took none.  That a
selector stands in front and cuts on the way stay exact, is this module's own choice.  A selector in the place
of each cut would need a state for each of them, of vectors that are sums of other ranks' entries, too; and
messages whose lengths nobody knows beforehand.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple

from sparring.errors import InputError
from sparring.spec.core.calling import NoParams, parameters
from sparring.spec.core.selectors import Selector, find, place
from sparring.spec.core.sparse import SparseVector, every

SELECTOR = "selector"
"""The parameter that names one."""


class Entering(NamedTuple):
    """By rank: ``xs``, the vectors that a run begins with; ``left``, what the selector left out; its ``states``."""

    xs: list[Any]
    left: list[SparseVector]
    states: list[Any]


def asked(
    module: ModuleType, name: str, params: Mapping[str, Any], *, selects: bool
) -> tuple[dict[str, Any], Selector | None]:
    """The parameters of a page with those of its selector, and this one, if there is one.

    What page and selector both have, ``k``, they have in common.  Raises InputError for parameters that
    neither has, or a selector where the page does not select (``selects``); UnknownPage for no such selector.
    """
    own = fields(module)
    if (SELECTOR in own and not selects) or (SELECTOR not in own and params.get(SELECTOR) is None):
        return parameters(module, name, {x: v for x, v in params.items() if x in own or x != SELECTOR}), None
    if not selects:
        raise InputError(f"page {name} takes no selector: right is one that selects entries by formulas")
    values = parameters(module, name, {x: v for x, v in params.items() if x in own})
    others = {x: v for x, v in params.items() if x not in own}
    return {**values, **others}, bound(others, values)


def takes(module: ModuleType, data: str) -> bool:
    """Whether a page takes a selector: one that selects by formulas, or a text that asks for one."""
    if hasattr(module, "program"):
        return SELECTOR in inspect.signature(module.program).parameters
    return data == "selected"


def bound(others: Mapping[str, Any], values: Mapping[str, Any]) -> Selector:
    """The selector that is named, with its parameters and those that a page's ``values`` have, too."""
    name = {**others, **values}[SELECTOR]
    if not isinstance(name, str):
        raise InputError(f"selector = {name!r}: it must be a name; 'sparring list' shows all.")
    shared = {x: v for x, v in values.items() if x in fields(place(name))}
    return find(name, **shared, **{x: v for x, v in others.items() if x != SELECTOR})


def fields(module: ModuleType) -> Collection[str]:
    """The names of its parameters."""
    params: Any = getattr(module, "Params", NoParams)
    return tuple(params._fields)


def concerning(params: Mapping[str, Any], known: Collection[str], *, selects: bool) -> dict[str, Any]:
    """Those of a target's parameters that its page has too, ``known``, and if that selects, the selector they name."""
    name = params.get(SELECTOR) if selects else None
    names = {*known, SELECTOR, *fields(place(name))} if isinstance(name, str) else {*known}
    return {x: v for x, v in params.items() if x in names}


def entering(selector: Selector, xs: Sequence[Any], before: Sequence[Any] | None) -> Entering:
    """What enters a run, of whole vectors; ``before``: the states that the call before left, None at first.

    Raises InputError for a sparse vector.
    """
    for r, x in enumerate(xs):
        if hasattr(x, "indices"):
            raise InputError(f"rank {r} has a {type(x).__name__}: a selector takes whole vectors")
    begun = [selector.start] * len(xs) if before is None else before
    states = [selector.state(x, state) for x, state in zip(xs, begun)]
    kept = [{*selector.select(x, state)} for x, state in zip(xs, states)]
    left = [every(x).at(i for i in range(len(x)) if i not in at) for x, at in zip(xs, kept)]
    return Entering([cleared(x, rest.indices) for x, rest in zip(xs, left)], left, states)


def cleared(x: Any, at: Sequence[int]) -> Any:
    """A copy of a vector, of its own class, that is zero at these indices."""
    y = x[:] if isinstance(x, list) else x.copy()
    for i in at:
        y[i] = type(x[i])(0) if isinstance(x, list) else 0
    return y
