"""Checks how an implementation treats arguments that it must refuse, and its switches.

With ``validate``, a bad argument on one rank raises InputError on all; without it each rank still
refuses its own, and no exchange comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from sparring.proofs.reading.annotations import companion, subject
from sparring.refinement.bits import visible
from sparring.refinement.comparison import DTYPES, Flaw
from sparring.refinement.differential import accepted, called
from sparring.refinement.observing import Call
from sparring.refinement.runtime_faults import Fault, unharmed
from sparring.sparse import Sparse
from sparring.spec.core.model import Page
from sparring.world import simulation
from sparring.world.core.findings import Outcome

N = 6  # entries of a vector
KEPT = 2  # entries that a stateful target sends
Run = Callable[..., Outcome]
LARGEST = (1 << 31) - 1  # as a number of ranks can be, and what is compared with one


def refusals(page: Page, target: str, ranks: int, fault: Fault = unharmed) -> Iterator[Flaw]:
    """Yield the flaws in how ``target``, or the function beside a class, treats bad arguments."""
    run = partial(ran, fault)
    function = f"{target.rpartition(':')[0]}:{page.collective}"
    options = accepted(function)
    vector = np.arange(1.0, N + 1)
    good = Sparse(np.arange(0, N, 2), vector[::2], N) if page.sparse else vector
    if ranks > 1:
        yield from differing(run, function, good, ranks)
    for what, x in {**unfit(good), **strange(page, good)}.items():
        yield from unrefused(what, run(function, ranks, [good] * (ranks - 1) + [x]), ranks)
        if "validate" in options:
            plain = partial(called, validate=False)
            yield from unrefused(f"{what}, not validated", run(function, ranks, [x] * ranks, call=plain), ranks)
    if "validate" in options:
        without = run(function, ranks, [good] * ranks, call=partial(called, validate=False))
        yield from exchanged(run(function, ranks, [good] * ranks), without, page, ranks)
    for what, out in OUTS.items() if "out" in options else ():
        yield from unrefused(what, run(function, ranks, [good] * ranks, call=partial(into, made=out)), ranks)
    if "allow_nan" in options:
        nan = np.array([np.nan] * N)
        choosy = partial(called, allow_nan=False, **({"k": KEPT} if "k" in options else {}))
        yield from unrefused("NaN", run(function, ranks, [nan] * ranks, call=choosy), ranks)
    if page.stateful:
        yield from instances(run, page, target, ranks)
    for params in getattr(companion(page), "refused", ()):
        for validate in (True, False) if "validate" in options else (True,):
            call = partial(called, **params, **({} if validate else {"validate": False}))
            yield from unrefused(f"{params}", run(function, ranks, [good] * ranks, call=call), ranks)
    yield from (settled if page.dense else scaled)(run, page, function, good, ranks)


def differing(run: Run, function: str, good: Any, ranks: int) -> Iterator[Flaw]:
    """Yield flaws in the treatment of a vector that the last rank alone has: in a first call, and after a good one."""
    for what, x in unlike(good).items():
        yield from unrefused(what, run(function, ranks, [good] * (ranks - 1) + [x]), ranks)
    for what, x in {**unlike(good), "no array": [0.0]}.items():
        xs = [good] * (2 * ranks - 1) + [x]  # so many that a rank hears of it from one that has heard of it
        for call in (later, later_in_place) if "out" in accepted(function) else (later,):
            outcome = run(function, len(xs), xs, call=partial(call, good))
            yield from unrefused(f"{what}, in a second call", outcome, len(xs))


OUTS: Mapping[str, Callable[[Any], Any]] = {
    "memory that overlaps the input's": lambda x: x.base[1:],
    "an entry too few": lambda x: np.empty_like(x[:-1]),
    "another dtype": lambda x: x.astype(np.float32),
    "memory that is not to be written to": lambda x: np.frombuffer(x.tobytes(), x.dtype),
    "no array": lambda x: x.tolist(),
}
"""Where no result may go, made of a rank's own vector, behind which there is room for one entry more."""


def into(function: Any, comm: Any, x: Any, *, made: Callable[[Any], Any]) -> Any:
    """Call the function with a result memory made of the rank's own vector."""
    mine = np.append(x, x[:1])[:-1]
    return function(comm, mine, out=made(mine))


def later(good: Any, function: Any, comm: Any, x: Any) -> Any:
    """Call the function after a call that goes well."""
    function(comm, good.copy())
    return function(comm, x)


def later_in_place(good: Any, function: Any, comm: Any, x: Any) -> Any:
    """As ``later``, with the result in the memory of the input, which a refusal leaves as it is."""
    function(comm, good.copy())
    mine = x.copy()
    try:
        return function(comm, mine, out=mine)
    finally:
        if not np.array_equal(mine, x):
            raise RuntimeError("a vector was changed in a call that was refused")


def ran(fault: Fault, target: str, ranks: int, xs: Sequence[Any], call: Call = simulation.plainly) -> Outcome:
    """Run the target with this fault on all ranks, and return what the world tells."""
    return simulation.run(target, ranks, xs, call=fault(call))


def settled(run: Run, page: Page, function: str, good: Any, ranks: int) -> Iterator[Flaw]:
    """Yield flaws in the treatment of parameters that are no whole numbers, or that the last rank alone has."""
    xs = [good] * ranks
    numbers = {name: value for name, value in page.params.items() if type(value) is int}
    odd = [{name: x} for name, value in numbers.items() for x in (f"{value}", value + 0.5, None)]
    for params in odd:
        for validate in (True, False):
            call = partial(called, **params, validate=validate)
            yield from unrefused(f"{params}", run(function, ranks, xs, call=call), ranks)
    others = getattr(companion(page), "others", ()), getattr(companion(page), "refused", ())
    for params in (*odd, *(one for some in others for one in some)) if ranks > 1 else ():
        outcome = run(function, ranks, xs, call=partial(alone, params=params))
        yield from unrefused(f"{params} on the last rank alone", outcome, ranks)


def alone(function: Any, comm: Any, x: Any, *, params: Mapping[str, Any], others: Mapping[str, Any] = {}) -> Any:
    """Call the function with these parameters on the last rank, and with others on the others."""
    return function(comm, x, **(params if comm.Get_rank() == comm.Get_size() - 1 else others))


def scaled(run: Run, page: Page, function: str, good: Any, ranks: int) -> Iterator[Flaw]:
    """Yield flaws in the treatment of the parameters for every value of which theorems hold."""
    for name, least in subject(page).least.items():
        yield from parameters(run, function, good, name, least, ranks)


def parameters(run: Run, function: str, good: Any, name: str, least: int, ranks: int) -> Iterator[Flaw]:
    """Yield flaws in the treatment of the values of a whole number that may be ``least`` or more."""
    xs = [good] * ranks
    for validate in (True, False):
        for value in (least - 1, LARGEST + 1, 1 << 70, f"{least}", least + 0.5, None):
            call = partial(called, **{name: value}, validate=validate)
            outcome = run(function, ranks, xs, call=call)
            yield from unrefused(f"{name} = {value!r}", outcome, ranks)
            if any("as its own error says" in finding.text for finding in outcome.findings):
                yield Flaw("bad input", f"p={ranks}: {name} = {value!r} is an error on all, but no rank says why")
        for right in (least, np.int64(least), LARGEST):
            call = partial(called, **{name: right}, validate=validate)
            if (outcome := run(function, ranks, xs, call=call)).findings:
                yield Flaw("bad input", f"p={ranks}: {name} = {right!r} should go: {outcome.findings[0].text}")
    if ranks > 1:
        call = partial(alone, params={name: least + 1}, others={name: least})
        yield from unrefused(f"{name} not alike", run(function, ranks, xs, call=call), ranks)


def unlike(good: Any) -> Mapping[str, Any]:
    """Return vectors that no rank may have alone, though all might."""
    if isinstance(good, Sparse):
        longer, other = Sparse(good.indices, good.values, good.n + 1), good.values.astype(np.float32)
        return {"unequal lengths": longer, "unequal dtypes": Sparse(good.indices, other, good.n)}
    return {"unequal lengths": good[:-1], "unequal dtypes": good.astype(np.float32)}


def unfit(good: Any) -> dict[str, Any]:
    """Return inputs that no rank may have."""
    if isinstance(good, Sparse):
        three = good.indices, good.values, good.n
        short = good.indices, good.values.astype(np.int8), good.n
        wrong = np.array([3, 1]), np.ones(2), N
        return {"descending indices": wrong, "a list": [*three], "entries of a byte": short}
    return {
        "two dimensions": good.reshape(1, -1),
        "gaps": np.repeat(good, 2)[::2],
        "no array": good.tolist(),
        "entries of a byte": good.astype(np.int8),
    }


def strange(page: Page, good: Any) -> Mapping[str, Any]:
    """Return vectors of dtypes that a page on whole vectors does not take."""
    return {dtype: good.astype(dtype) for dtype in DTYPES if page.dense and dtype not in page.dtypes}


def unrefused(what: str, outcome: Outcome, ranks: int) -> Iterator[Flaw]:
    """Yield a flaw if some rank raises no InputError."""
    told = [finding for finding in outcome.findings if finding.call == "InputError"]
    if len(told) < ranks:
        yield Flaw("bad input", f"p={ranks}: {what} is an error on {len(told)} ranks only")


def exchanged(validated: Outcome, without: Outcome, page: Page, ranks: int) -> Iterator[Flaw]:
    """Yield a flaw if arguments are exchanged though no validation was asked for: each rank gathers once less then.

    A class gathers twice less.  Other gathers may be the algorithm's own, except on whole vectors, of which no page
    gathers anything in one collective.
    """
    fewer = 1 + page.stateful
    before, now = (sum(call.name == "Allgather" for call in one.collectives) for one in (validated, without))
    if without.findings:
        yield Flaw("bad input", f"p={ranks}: without validation {without.findings[0].text}")
    elif before - now < fewer * ranks or (page.dense and now):
        yield Flaw("bad input", f"p={ranks}: without validation arguments are exchanged")


def instances(run: Run, page: Page, target: str, ranks: int) -> Iterator[Flaw]:
    """Yield flaws in how a class is made and called, and in its residual, where it has one."""
    kept: Mapping[str, Any] = {"k": KEPT} if page.selecting else next(iter(getattr(companion(page), "others", ())), {})
    xs = [np.arange(1.0, N + 1)] * ranks
    bad: dict[str, Callable[..., Any]] = {
        "another length than that it was made for": lambda kind, comm, x: kind(comm, N + 1, **kept)(x),
        "another dtype in a later call": partial(another_dtype, kept=kept),
        "fewer than no entries": lambda kind, comm, x: kind(comm, -1, **kept, validate=False),
    }
    for what, call in (bad | (many(ranks) if page.selecting else {})).items():
        if ranks > 1 or "differs" not in what:
            yield from unrefused(what, run(target, ranks, xs, call=call), ranks)
    for params in getattr(companion(page), "refused", ()):
        yield from unrefused(f"{params}, before any call", run(target, ranks, xs, call=partial(made, params)), ranks)
    shown = run(target, ranks, xs, call=partial(residuals, names=visible(page), kept=kept))
    if shown.findings or not all(shown.results):
        yield Flaw("residual", f"p={ranks}: before the first call it is not None, or it can be written to later")


def many(ranks: int) -> dict[str, Callable[..., Any]]:
    """Return calls with a number of entries that no class may keep."""
    return {
        "a k that differs": lambda kind, comm, x: kind(comm, N, k=KEPT + (comm.Get_rank() == ranks - 1 > 0)),
        "a negative k": lambda kind, comm, x: kind(comm, N, k=-1),
        "a k that is no number, on one rank": lambda kind, comm, x: kind(comm, N, k=KEPT if comm.Get_rank() else "2"),
        "a k that is no number, not validated": lambda kind, comm, x: kind(comm, N, k="2", validate=False),
    }


def made(params: Mapping[str, Any], kind: Any, comm: Any, x: Any) -> None:
    """Make an instance with these parameters, without an exchange, and do not call it."""
    kind(comm, x.size, **params, validate=False)


def another_dtype(kind: Any, comm: Any, x: Any, kept: Mapping[str, Any]) -> Any:
    """Call one instance twice, with two dtypes."""
    instance = kind(comm, x.size, **kept)
    instance(x)
    return instance(x.astype(np.float32))


def residuals(kind: Any, comm: Any, x: Any, names: Sequence[str], kept: Mapping[str, Any]) -> bool:
    """Return whether of these residuals are None before the first call, and nobody else can change them afterwards.

    All must be readable before the first call, too.
    """
    instance = kind(comm, x.size, **kept)
    before = {name: getattr(instance, name) for name in names}
    instance(x)
    return all(before[name] is None and apart(instance, name) for name in names if "residual" in name)


def apart(instance: Any, name: str) -> bool:
    """Return whether what the instance shows is read-only, or a copy."""
    shown = getattr(instance, name)
    return not (shown.flags.writeable and np.shares_memory(shown, getattr(instance, name)))
