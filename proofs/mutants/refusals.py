"""What an implementation does with arguments that it must refuse, and with the switches that it has.

With ``validate``, a bad argument on one rank raises InputError on all; without it each rank still
refuses its own, and no exchange comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from sparring.proofs.core.refinement import Flaw
from sparring.proofs.core.supplement import companion, subject
from sparring.proofs.mutants.beside import accepted, called
from sparring.proofs.world import world
from sparring.proofs.world.findings import Outcome
from sparring.sparse import Sparse
from sparring.spec.core.model import Page

N = 6  # entries of a vector
KEPT = 2  # entries that a stateful target sends
LARGEST = (1 << 31) - 1  # as a number of ranks can be, and what is compared with one


def refusals(page: Page, target: str, ranks: int) -> Iterator[Flaw]:
    """What is wrong with how ``target``, or the function beside a class, treats bad arguments."""
    function = f"{target.partition(':')[0]}:{page.collective}"
    options = accepted(function)
    vector = np.arange(1.0, N + 1)
    good = Sparse(np.arange(0, N, 2), vector[::2], N) if page.sparse else vector
    for what, x in unlike(good).items() if ranks > 1 else ():
        yield from unrefused(what, world.run(function, ranks, [good] * (ranks - 1) + [x]), ranks)
    for what, x in unfit(good).items():
        yield from unrefused(what, world.run(function, ranks, [good] * (ranks - 1) + [x]), ranks)
        if "validate" in options:
            plain = partial(called, validate=False)
            yield from unrefused(f"{what}, not validated", world.run(function, ranks, [x] * ranks, call=plain), ranks)
    if "validate" in options:
        without = world.run(function, ranks, [good] * ranks, call=partial(called, validate=False))
        yield from exchanged(world.run(function, ranks, [good] * ranks), without, 1 + page.stateful, ranks)
    if "allow_nan" in options:
        nan = np.array([np.nan] * N)
        choosy = partial(called, allow_nan=False, k=KEPT)
        yield from unrefused("NaN", world.run(function, ranks, [nan] * ranks, call=choosy), ranks)
    if page.stateful:
        yield from instances(target, ranks, {"k": KEPT} if page.selecting else {})
    for params in getattr(companion(page), "refused", ()):
        for validate in (True, False) if "validate" in options else (True,):
            call = partial(called, **params, **({} if validate else {"validate": False}))
            yield from unrefused(f"{params}", world.run(function, ranks, [good] * ranks, call=call), ranks)
    for name, least in subject(page).least.items():
        yield from parameters(function, good, name, least, ranks)


def parameters(function: str, good: Any, name: str, least: int, ranks: int) -> Iterator[Flaw]:
    """What is wrong with how the values of a whole number are treated that may be ``least`` or more."""
    xs = [good] * ranks
    for validate in (True, False):
        for value in (least - 1, LARGEST + 1, 1 << 70, f"{least}", least + 0.5, None):
            call = partial(called, **{name: value}, validate=validate)
            outcome = world.run(function, ranks, xs, call=call)
            yield from unrefused(f"{name} = {value!r}", outcome, ranks)
            if any("as its own error says" in finding.text for finding in outcome.findings):
                yield Flaw("bad input", f"p={ranks}: {name} = {value!r} is an error on all, but no rank says why")
        for right in (least, np.int64(least), LARGEST):
            call = partial(called, **{name: right}, validate=validate)
            if (outcome := world.run(function, ranks, xs, call=call)).findings:
                yield Flaw("bad input", f"p={ranks}: {name} = {right!r} should go: {outcome.findings[0].text}")
    if ranks > 1:
        call = partial(differently, name=name, value=least)
        yield from unrefused(f"{name} not alike", world.run(function, ranks, xs, call=call), ranks)


def differently(function: Any, comm: Any, x: Any, *, name: str, value: int) -> Any:
    """The last rank has one more than the others."""
    last = comm.Get_rank() == comm.Get_size() - 1
    return function(comm, x, **{name: value + last})


def unlike(good: Any) -> Mapping[str, Any]:
    """What no rank may have alone, though all might."""
    if isinstance(good, Sparse):
        longer, other = Sparse(good.indices, good.values, good.n + 1), good.values.astype(np.float32)
        return {"unequal lengths": longer, "unequal dtypes": Sparse(good.indices, other, good.n)}
    return {"unequal lengths": good[:-1], "unequal dtypes": good.astype(np.float32)}


def unfit(good: Any) -> Mapping[str, Any]:
    """What no rank may have."""
    if isinstance(good, Sparse):
        return {"descending indices": (np.array([3, 1]), np.ones(2), N), "no vector": "text"}
    return {"two dimensions": good.reshape(1, -1), "gaps": np.repeat(good, 2)[::2], "no array": good.tolist()}


def unrefused(what: str, outcome: Outcome, ranks: int) -> Iterator[Flaw]:
    """Ranks without an InputError."""
    told = [finding for finding in outcome.findings if finding.call == "InputError"]
    if len(told) < ranks:
        yield Flaw("bad input", f"p={ranks}: {what} is an error on {len(told)} ranks only")


def exchanged(validated: Outcome, without: Outcome, fewer: int, ranks: int) -> Iterator[Flaw]:
    """An exchange of arguments where none was asked for: each rank takes part in so many fewer; others are no such."""
    before, now = (sum(call.name == "Allgather" for call in one.collectives) for one in (validated, without))
    if without.findings or before - now < fewer * ranks:
        yield Flaw("bad input", f"p={ranks}: without validation arguments are exchanged, or {without.findings}")


def instances(target: str, ranks: int, kept: Mapping[str, int]) -> Iterator[Flaw]:
    """What is wrong with the making and calling of a class and, where it selects ``kept``, with its residual."""
    xs = [np.arange(1.0, N + 1)] * ranks
    bad: dict[str, Callable[..., Any]] = {
        "another length than that it was made for": lambda kind, comm, x: kind(comm, N + 1, **kept)(x),
        "another dtype in a later call": partial(another_dtype, kept=kept),
    }
    for what, call in (bad | (many(ranks) if kept else {})).items():
        if ranks > 1 or "differs" not in what:
            yield from unrefused(what, world.run(target, ranks, xs, call=call), ranks)
    if not kept:
        return
    shown = world.run(target, ranks, xs, call=residuals)
    if shown.findings or not all(shown.results):
        yield Flaw("residual", f"p={ranks}: before the first call it is not None, or it can be written to later")


def many(ranks: int) -> dict[str, Callable[..., Any]]:
    """How many entries no class keeps."""
    return {
        "a k that differs": lambda kind, comm, x: kind(comm, N, k=KEPT + (comm.Get_rank() == ranks - 1 > 0)),
        "a negative k": lambda kind, comm, x: kind(comm, N, k=-1),
        "a k that is no number, on one rank": lambda kind, comm, x: kind(comm, N, k=KEPT if comm.Get_rank() else "2"),
        "a k that is no number, not validated": lambda kind, comm, x: kind(comm, N, k="2", validate=False),
    }


def another_dtype(kind: Any, comm: Any, x: Any, kept: Mapping[str, int]) -> Any:
    """Two calls of one instance."""
    instance = kind(comm, x.size, **kept)
    instance(x)
    return instance(x.astype(np.float32))


def residuals(kind: Any, comm: Any, x: Any) -> bool:
    """Whether there is none before the first call, and one that is not to be written to afterwards."""
    instance = kind(comm, x.size, k=KEPT)
    before = instance.residual
    instance(x)
    return before is None and not instance.residual.flags.writeable
