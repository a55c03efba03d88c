"""Judges a run of a reducer by its contract, call by call: its results, and what it shows it has kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.checks.contracts import Contract
from sparring.refinement.bits import unshown, when, widened
from sparring.refinement.example import Example
from sparring.refinement.observing import Observed
from sparring.refinement.rounding import gamma, reference, unit
from sparring.refinement.vectors import called, kind, misshapen, shown, unsound
from sparring.sparse import Sparse

Flaws = dict[str, str]
SURE = 7.0
"""Standard errors allowed from the right mean: of normal means 2.6e-12 lie beyond, and some hundred are tested."""


class Call(NamedTuple):
    """Call ``i`` of a run: ``xs`` the ranks' inputs, ``results`` as arrays, ``k`` the number of kept entries."""

    example: Example
    seen: Observed
    i: int
    xs: Sequence[NDArray[Any]]
    results: Sequence[NDArray[Any]]
    k: Any

    @property
    def number(self) -> int:
        """The number of calls before this one on the same instance."""
        return self.i % len(self.example.calls)

    def residuals(self, i: int) -> Sequence[Any]:
        """Return the residual that each rank shows after call ``i``; before the instance's first call, zeros."""
        if i < self.i - self.number:
            return [np.zeros_like(x) for x in self.xs]
        return [one["residual"] for one in self.seen.kept[i]] if self.seen.kept else [None] * self.example.p


def judge_calls(example: Example, seen: Observed, contract: Contract, k: Any, warm_up: int) -> Flaws:
    """Return property -> what is wrong, for the first call with a flaw."""
    for i, ys in enumerate(seen.ys):
        xs = [np.asarray(x) for x in example.calls[i % len(example.calls)]]
        misfits = [f"rank {r} {why}" for r, (y, x) in enumerate(zip(ys, xs)) if (why := misfit(y, x))]
        flaws = {example.prop: misfits[0]} if misfits else {}
        if not misfits and i % len(example.calls) >= warm_up:
            flaws = JUDGES[contract.name](Call(example, seen, i, xs, [*map(dense, ys)], k), contract)
        if flaws:
            return {prop: f"{when(example, i)}{why}" for prop, why in flaws.items()}
    return {}


def misfit(y: Any, x: NDArray[Any]) -> str:
    """Say why a result is no vector of the input's length and dtype; "" if it is one."""
    if not isinstance(y, Sparse):
        return misshapen(y, x) if isinstance(y, np.ndarray) else f"returned {called(y)}, not {kind(x)}, nor a Sparse"
    return unsound(widened(y), Sparse(np.empty(0, np.int64), x[:0], x.size))


def dense(y: Any) -> NDArray[Any]:
    """Return a result, sparse or not, as an array."""
    return y.dense() if isinstance(y, Sparse) else y


def feedback(call: Call, contract: Contract) -> Flaws:
    """Judge an error-feedback call: nothing is lost, and results have at most so many entries."""
    flaws: Flaws = {}
    if contract.entries:
        most = contract.most(call.example.p, call.k)
        found = [np.count_nonzero(y) for y in call.results]
        if max(found) > most:
            what = f"at most {contract.entries}" + (f" = {most}" if contract.entries != str(most) else "")
            flaws["entries"] = f"rank {np.argmax(found)} returns {max(found)} entries that are no zeros: {what}"
    if not unshown(call.seen) and (lost := unbalanced(call, contract)):
        flaws["conservation"] = lost
    return flaws


def unbalanced(call: Call, contract: Contract) -> str:
    """Name the first index at which results so far and residuals do not add up to the inputs; "" if there is none.

    The slack covers each call's roundings: of what it adds to a residual and takes from it, and of a sum of p terms.
    All these have entries no larger than the inputs and the residuals on the way.
    """
    first, p = call.i - call.number, call.example.p
    for i in range(first, call.i + 1):
        if why := strange(call, call.residuals(i)):
            return why
    given = np.concatenate([*call.example.rows[:, : call.number + 1]])
    results = np.stack([dense(ys[0]) for ys in call.seen.ys[first : call.i + 1]])
    times = p if contract.mean else 1
    way = np.concatenate([np.stack(call.residuals(i)) for i in range(first, call.i + 1)]).astype(np.float64)
    residuals = way[-p:]
    parts = np.concatenate([given, -residuals, *[-results] * times]).astype(np.float64)
    sound = np.isfinite(parts).all(axis=0)  # the inputs are finite
    weight = np.abs(given.astype(np.float64)).sum(axis=0) + 2 * np.abs(way).sum(axis=0)
    far = np.array([abs(math.fsum(column)) for column in np.where(sound, parts, 0).T.tolist()])
    off = ~(sound & (far <= gamma(p + 4, given.dtype) * weight + smallest(given.dtype)))
    if not off.any():
        return ""
    at = int(np.argmax(off))
    put, out, left = (part[:, at].sum() for part in (given, results, residuals))
    means = f", {p} times that is {p * out}" if contract.mean else ""
    return f"at index {at}: {put} was put in, the results have {out}{means}, the residuals {left}"


def strange(call: Call, residuals: Sequence[NDArray[Any]]) -> str:
    """Name the first rank whose residual is no array of its input's length and dtype; "" if there is none."""
    for r, (x, left) in enumerate(zip(call.xs, residuals)):
        if misshapen(left, x):
            return f"rank {r} keeps a residual of {left.dtype} and shape {left.shape}, not {kind(x)}"
    return ""


def smallest(dtype: np.dtype[Any]) -> float:
    """Return the slack for a few roundings of numbers however small."""
    return 8 * float(np.finfo(str(dtype)).smallest_subnormal)


def contracted(call: Call, contract: Contract) -> Flaws:
    """Judge a contraction: of what a rank had to send, what it keeps is smaller by the contract's factor."""
    if unshown(call.seen) and (call.example.p > 1 or call.number):
        return {}
    n, before, after = call.example.n, call.residuals(call.i - 1), call.residuals(call.i)
    delta = contract.delta if contract.delta is not None else min(1.0, call.k / n) if n else 0.0
    shown = not unshown(call.seen)
    if why := shown and (strange(call, before) or strange(call, after)):
        return {"contraction": why}
    for r, x in enumerate(call.xs):
        wide = x.astype(np.float64)
        left = after[r] if shown else wide - call.results[0]
        sent = wide + before[r] if shown else wide
        kept, had = float(np.square(left.astype(np.float64)).sum()), float(np.square(sent).sum())
        slack = 8 * gamma(n + 8, x.dtype) * had + 1e-300
        if not kept <= (1 - delta) * had + slack:
            least = f"1 - {delta:g} of it is {(1 - delta) * had:g}"
            return {"contraction": f"rank {r} keeps {kept:g} of {had:g}, as squares are added up: {least}"}
    return {}


def bounded(call: Call, contract: Contract) -> Flaws:
    """Judge a bounded error: each result is as near to the sum, or the mean, as the contract says."""
    if not call.example.n:
        return {}
    right, slack = reference(call.xs, mean=contract.mean)
    largest = max(float(np.abs(x.astype(np.float64)).max()) for x in call.xs)
    limit = contract.bound + contract.relative * largest
    for r, y in enumerate(call.results):
        off = np.abs(y.astype(np.float64) - right.astype(np.float64))
        if not (off <= limit + slack).all():
            at = int(np.argmax(~(off <= limit + slack)))
            what = "mean" if contract.mean else "sum"
            why = (
                f"rank {r} has {y[at]} at entry {at}, the {what} is {right[at]}: off by {off[at]:g}, at most {limit:g}"
            )
            return {call.example.prop: why}
    return {}


def expected(example: Example, seen: Observed, contract: Contract) -> str:
    """Say where the mean of all results is more than ``SURE`` standard errors off the sum; "" if nowhere."""
    xs = [np.asarray(x) for x in example.calls[0]]
    right, slack = reference(xs, mean=contract.mean)
    for r in range(example.p):
        misfits = [why for ys in seen.ys if (why := misfit(ys[r], xs[r]))]
        if misfits:
            return f"rank {r} {misfits[0]}"
        table = np.stack([dense(ys[r]) for ys in seen.ys]).astype(np.float64)
        means, error = table.mean(axis=0), table.std(axis=0, ddof=1) / math.sqrt(len(table))
        rounded = slack + 2 * unit(xs[r].dtype) * np.abs(table).max(axis=0)  # of one result, so of their mean
        far = ~(np.abs(means - right) <= SURE * error + rounded)
        if far.any():
            at = int(np.argmax(far))
            what, errors = "mean" if contract.mean else "sum", f"{error[at]:.2g}"
            mean = f"{len(table)} results of rank {r} for {shown(xs[0])} and others are {means[at]:.6g} on average"
            return f"{mean} at entry {at}, with a standard error of {errors}; the {what} is {right[at]:.6g}"
    return ""


def nothing(call: Call, contract: Contract) -> Flaws:  # noqa: ARG001  # as the others are called
    """Return no flaws: single calls of an unbiased reducer tell nothing."""
    return {}


JUDGES: Mapping[str, Callable[[Call, Contract], Flaws]] = {
    "error-feedback": feedback,
    "unbiased": nothing,
    "contraction": contracted,
    "bounded-error": bounded,
}


def unseen(example: Example, seen: Observed, contract: Contract, warm_up: int) -> Flaws:
    """Return property -> why a run that came to its end tells nothing about it."""
    prop = {"error-feedback": "conservation", "contraction": "contraction"}.get(contract.name)
    alone = contract.name == "contraction" and example.p == 1 and not warm_up  # what is left out of the first result
    if not prop or alone:
        return {}
    return {prop: why} if (why := unshown(seen)) else {}
