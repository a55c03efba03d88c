"""``check``: the verdict on somebody's implementation."""

from __future__ import annotations

import inspect
import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from sparring import adapters
from sparring.checks import counterexamples, dumped, recorded, records, traced
from sparring.checks.against import parsed
from sparring.checks.clock import Clock
from sparring.checks.contracts import ALLREDUCE, SPARSE_SUM, promise
from sparring.checks.engine import Advance, explore
from sparring.checks.examples.contract_draws import FLOATS
from sparring.checks.findings import Findings
from sparring.checks.judged import judge
from sparring.checks.judges.nearest import Nearest, nearest
from sparring.checks.places import Place, Ranks, Real, Simulated
from sparring.checks.properties import APART
from sparring.checks.question import Question, page_of
from sparring.checks.ranks import scenes
from sparring.checks.ranks.group import Group
from sparring.checks.verdicts import Found, held_against, pictured, unread, verdict_on
from sparring.errors import InputError, MissingExtra
from sparring.present.explorer import html
from sparring.proofs.logic.verdicts import NOT_COVERED
from sparring.refinement.example import DTYPES, Example
from sparring.refinement.vectors import Vector, kind
from sparring.report import Report, Result
from sparring.sparse import Sparse

OURS = ("simulated", "mpi")  # where every message is seen
PLACES = (*OURS, "both", *adapters.NAMES)
RANKS = range(1, 9)
EXAMPLES = 100
"""Examples that are drawn, unless each is a launch of its own."""
TIMEOUT = 10.0
"""Seconds for one example on real ranks, after which it hangs, unless the target is known to need more."""


def check(
    target: Any,
    page: str = ALLREDUCE,
    *,
    ranks: Iterable[int] | None = None,
    on: str = "simulated",
    level: str = "result",
    seed: int = 0,
    max_examples: int | None = None,
    dtypes: Sequence[str] | None = None,
    xfail: Mapping[str, str] | None = None,
    only: Sequence[str] | None = None,
    sparse: bool = False,
    topology: str = "",
    bad_input: bool = False,
    timeout: float | None = None,
    examples: Sequence[tuple[Sequence[Vector], str]] = (),
    budget: float | None = None,
    against: Any = None,
    contract: str = "",
    draw: Mapping[str, Any] | None = None,
    advance: Advance = lambda found: None,
    group: Ranks | None = None,
    **params: Any,
) -> Report:
    """Judge an implementation of allreduce, property by property, on drawn examples.

    Parameters
    ----------
    target : ``f(comm, x, /, **params) -> y``, or a class ``T(comm, n, **params)`` with ``t(x) -> y``;
        by name (``"pkg.mod:name"``, ``"file.py:name"``) or, on the simulated world, itself; or the words
        of a command, ``["mpiexec", "-n", "{p}", "./a.out", "{input}", "{output}"]``, or one with ``"{batch}"``
        instead, which plays many examples in one launch; or the file or folder of a trace, of which only
        messages are judged; or one of torch's own, ``"torch:all_reduce"``, ``"torch:fp16_compress_hook"``; or a
        folder of flight-recorder dumps, which say why a job on torch hangs.
    page : the algorithm that it is said to be, or "allreduce": the sum alone.
    ranks : the numbers of ranks to draw from; 1 to 8, and on the simulated world a few examples on up to 33;
        for dumps the number of ranks that the job had.
    on : "simulated", "mpi" (a group of real processes) or "both"; "torch" (``f(group, x)`` of tensors on
        ``torch.distributed``) or "ddp" (a communication hook); a command is always on "command".
    level : "result", "volume" (messages and words too) or "steps" (message by message too).
    seed, max_examples : the same seed draws the same examples for the same code; 100, or fewer where each is a launch.
    dtypes : those that the target takes; default float32, float64, int32 and int64.
    xfail : property -> reason; such a property must be refuted, and is a failure where it holds.
    only : the properties to judge; default all.
    sparse : with "allreduce", vectors are ``sparring.Sparse`` and so is the sum; a page says itself what it takes.
    topology : judge whether messages of two pairs of ranks meet on a link of it, on every level:
        "ring", "torus:k=4", "./mine.py".  By default the topologies that the page names, on levels above "result".
    bad_input : judge too what comes of vectors that do not fit together; MPI leaves that open.
    timeout : seconds for one example on real ranks, after which it hangs; by default 10, 20 for the first one of a
        rank or where each is a launch, and four times as long as the slowest so far where that is more, up to 60.
    examples : judge these, ``(one vector a rank, property that a wrong sum falsifies)``, and draw none;
        for a stateful page an array a rank, whose rows are its vectors, one a call.
    budget : seconds for all examples, and for making those that fail smaller; what is left then is undecided.
    against : another target, or ``"NAME=VALUE"``, set for real ranks of the same: all results must have the same bits.
    contract : what is promised instead of the sum of each call: "mean", "sparse-sum", "error-feedback:entries=p*k",
        "unbiased", "contraction", "bounded-error:bound=1e-3".  Then ``page`` is none, and vectors are floats.
    draw : bounds for what is drawn for a contract of several calls: ``{"n": "1-64", "k": "1-8", "calls": "33-40",
        "warm-up": 32}``; a ``k`` that is drawn is passed to the target.
    advance : called after each example with the sentences on what it was the first to falsify, to show progress.
    group : the real ranks to run on, instead of processes that are started for this.
    params : passed to the target; those that the page has, to it too.  How many entries a stateful page
        keeps, ``k``, is drawn with each example, unless it is given here.

    Raises
    ------
    InputError : an argument is not as above.  What the target does wrong is never raised.

    >>> import numpy as np
    >>> def lossy(comm, x):
    ...     y = np.empty_like(x)
    ...     comm.Allreduce(x, y)
    ...     y[-1:] = 0
    ...     return y
    >>> print(check(lossy, only=["result"], ranks=[2, 3]).results[0].detail)
    p=2 n=2: rank 0 has [0 0], reference [0 1]
    """
    expected = dict(xfail or {})
    given = {
        "page": page, "ranks": ranks, "on": on, "level": level, "seed": seed, "max_examples": max_examples,
        "dtypes": dtypes, "sparse": sparse, "topology": topology, "bad_input": bad_input, "timeout": timeout,
        "examples": examples, "budget": budget, "against": against, "contract": contract, "draw": draw or None,
        "group": group, "params": params,
    }  # fmt: skip
    records.fit(target, given, USUAL | {"params": {}})
    if dumped.is_job(target):
        return dumped.report(target, ranks, expected=expected, only=only)
    if traced.is_trace(target):
        report = recorded.report if page != ALLREDUCE and recorded.is_recorded(target) else traced.report
        return report(target, page, level=level, topology=topology, expected=expected, only=only, params=params)
    start, on = time.perf_counter(), adapters.place_of(target, on)
    question = asking(
        target, page, ranks=ranks, on=on, level=level, seed=seed, max_examples=max_examples, dtypes=dtypes, only=only,
        sparse=sparse, topology=topology, bad_input=bad_input, budget=budget, against=against, contract=contract,
        draw=draw, params=params,
    )  # fmt: skip
    sensible(question, expected, on, timeout)
    with places(on, question, group, timeout) as wheres:
        seen, missing = everywhere(question, wheres, fitting(question, examples), advance)
    shown = counterexamples.documents(question, seen)
    found = Found(seen, on, missing, shown)
    failed = [prop for one in seen.values() for prop in one.smallest if prop not in question.asked]
    props = dict.fromkeys([*question.asked, *failed])
    results = [held_against(expected, verdict_on(question, prop, found)) for prop in props]
    gaps = left_out(question, results, seen, few=question.max_examples < EXAMPLES and max_examples is None)
    extra = {"check": envelope(question, page, on, seen)}
    explorers = {prop: partial(html.page, one) for prop, one in shown.items()}
    return Report("check", results, gaps, time.perf_counter() - start, extra, pictured(question, seen), explorers)


USUAL = {name: one.default for name, one in inspect.signature(check).parameters.items()}


def asking(
    target: Any,
    page: str = ALLREDUCE,
    *,
    ranks: Iterable[int] | None = None,
    on: str = "simulated",
    level: str = "result",
    seed: int = 0,
    max_examples: int | None = None,
    dtypes: Sequence[str] | None = None,
    only: Sequence[str] | None = None,
    sparse: bool = False,
    topology: str = "",
    bad_input: bool = False,
    budget: float | None = None,
    against: Any = None,
    contract: str = "",
    draw: Mapping[str, Any] | None = None,
    params: Mapping[str, Any],
) -> Question:
    """Make the question that :func:`check` is asked by these arguments of its own, of a target that runs.

    Raises InputError where they do not fit together.
    """
    on = adapters.place_of(target, on)
    promised, limits = promise(contract, draw or {}, page, params)
    number, kinds = drawn(adapters.find(on, target), max_examples, dtypes or (FLOATS if promised else None))
    return make_question(
        target, page, sparse or contract == SPARSE_SUM, params, dtypes=kinds, contract=promised, drawn=limits,
        ranks=tuple(sorted(set(RANKS if ranks is None else ranks))), level=level, seed=seed, max_examples=number,
        only=tuple(only or ()), topology=topology, bad_input=bad_input,
        many=ranks is None and on in ("simulated", "both") and not traced.is_trace(target),
        clock=Clock(math.inf if budget is None else budget), against=parsed(against),
    )  # fmt: skip


def drawn(
    adapter: type[adapters.Adapter] | None, number: int | None, dtypes: Sequence[str] | None
) -> tuple[int, list[str]]:
    """Return how many examples are drawn, and of which dtypes; names of no dtype stay, to be reported later."""
    known = adapter.dtypes if adapter else DTYPES
    return number or (adapter.examples if adapter else EXAMPLES), [
        dtype for dtype in dtypes or known if dtype in known or dtype not in DTYPES
    ]


def make_question(
    target: Any, page: str, sparse: bool, params: Mapping[str, Any], dtypes: Sequence[str] = DTYPES, **asked: Any
) -> Question:
    """Make the question; raises InputError if there is no such page, it takes other vectors, or it gives no sum."""
    found = page_of(page, params)
    summed = found and not (found.dense or found.selecting or traced.is_trace(target))
    if found and summed and found.collective != ALLREDUCE:
        raise InputError(
            f"page {found.name} is of kind {found.kind}: results of a target are compared with the sum of all on every "
            f"rank, which that kind does not promise; right: a page of kind {ALLREDUCE}, or check a recorded trace"
        )
    if found and sparse and not found.sparse:
        raise InputError(f"sparse: {found.name} takes arrays; leave it out, or name an algorithm of sparse vectors")
    own = found.dtypes if found else DTYPES
    kinds = [dtype for dtype in dtypes if dtype in own or dtype not in DTYPES]
    question = Question(target, found, sparse=found.sparse if found else sparse, params=params, dtypes=kinds, **asked)
    return replace(question, level=question.closer) if found else question


def envelope(question: Question, page: str, on: str, seen: Mapping[str, Findings]) -> dict[str, Any]:
    """Return what was asked, and the page that the messages come nearest to, for the report's envelope."""
    said = {
        "target": question.name, "page": page, "sparse": question.sparse, "level": question.level,
        "ranks": list(question.ranks), "on": on, "judged": list(question.judged),
    }  # fmt: skip
    near = next((f.nearest for f in seen.values() if isinstance(f.nearest, Nearest)), None)
    if question.clock.why:
        said["ended"] = question.clock.why
    return {**said, "topology": question.topology, **({"nearest": near.as_dict()} if near else {})}


def left_out(question: Question, results: Sequence[Result], seen: Mapping[str, Findings], *, few: bool) -> list[str]:
    """List what was not judged, each with its reason; ``few``: fewer examples were drawn than usual."""
    gaps = [f"{r.property}: {r.detail}" for r in results if r.verdict == NOT_COVERED] + unread(question, seen)
    gaps += dict.fromkeys(
        f"nearest page: {f.nearest}" for f in seen.values() if isinstance(f.nearest, str) and f.nearest
    )
    if few:
        number = question.max_examples
        gaps.append(
            f"examples: each is a launch of its own, so {number} were drawn instead of {EXAMPLES}; "
            "with {batch} a program plays many in one"
        )
    return gaps


def sensible(question: Question, expected: Mapping[str, str], on: str, timeout: float | None) -> None:
    """Raise InputError for an expectation that names no property, an unknown place, or a time that is not above 0."""
    question.expects(expected)
    if on not in PLACES:
        raise InputError(f"on={on!r}: there are {', '.join(PLACES)}")
    for name, seconds in (("timeout", timeout), ("budget", question.clock.budget)):
        if seconds is not None and not seconds > 0:
            raise InputError(f"{name}={seconds!r}: it must be more than 0 seconds")


def fitting(question: Question, given: Sequence[tuple[Sequence[Vector], str]]) -> list[Example]:
    """Make the given examples; raises InputError for vectors of a kind that the target does not take."""
    for xs, prop in given:
        staged = scenes.of(prop, sparse=True) and not any(isinstance(x, Sparse) for x in xs)
        sparse = question.sparse and not staged  # a scene's calls get the nonzero entries of dense rows
        wanted = "a sparring.Sparse" if sparse else "an array"
        for r, x in enumerate(xs):
            if isinstance(x, Sparse) != sparse:
                raise InputError(f"examples: rank {r} has a {type(x).__name__}: it must be {wanted}")
    return [one for xs, prop in given for one in made(question, xs, prop)]


def made(question: Question, xs: Sequence[Vector], prop: str) -> list[Example]:
    """Make an example of these vectors; for a property with scenes, one for each scene."""
    alike = len({kind(x) for x in xs}) == 1  # else the vectors themselves do not fit together
    staged = scenes.of(prop, sparse=question.sparse, series=question.in_series and prop in APART) if alike else []
    if question.stateful or staged:
        return [Example(rowed(xs), prop, scene=name) for name in staged or [""]]
    return [Example(list(xs), prop)]


def rowed(xs: Sequence[Any]) -> list[Vector]:
    """Return for each rank an array with a row a call; a vector is one row.  Raises InputError for other shapes."""
    for r, x in enumerate(xs):
        if x.shape != xs[0].shape or x.ndim not in (1, 2) or not len(np.atleast_2d(x)):
            raise InputError(
                f"examples: rank {r} has an array of shape {x.shape}, rank 0 of {xs[0].shape}: "
                "all must have the same, a row a call"
            )
    return [np.atleast_2d(x) for x in xs]


def everywhere(
    question: Question, wheres: Iterator[Place], given: Sequence[Example], advance: Advance
) -> tuple[dict[str, Findings], str]:
    """Judge in each place; return the findings by the place's name, and why real ranks are missing, or ""."""
    seen: dict[str, Findings] = {}
    try:
        for where in wheres:
            seen[where.name] = looked(question, where, given, advance)
    except MissingExtra as missing:
        return seen, str(missing)
    return seen, ""


@contextmanager
def places(on: str, question: Question, given: Ranks | None, timeout: float | None) -> Iterator[Iterator[Place]]:
    """Provide the places to judge in, one after the other; the group of real ranks ends with the block."""
    groups: list[Group | adapters.Adapter] = []
    fixed = timeout is not None

    def wheres() -> Iterator[Place]:
        if on in ("simulated", "both"):
            yield Simulated(question.params)
        if on in ("mpi", "both"):
            if given is None:
                groups.append(Group(max(question.ranks)))
                if question.against.environment:
                    groups.append(Group(max(question.ranks), environment=question.against.environment))
            yield Real(given or groups[0], question.params, timeout or TIMEOUT, fixed=fixed, others=groups[1:])
        if adapter := adapters.find(on, question.target):
            if given is None:
                groups.append(adapter(question))
            seconds = timeout or adapter.patience
            yield Real(given or groups[0], question.params, seconds, on, adapter.costly, fixed=fixed)

    try:
        yield wheres()
    finally:
        for group in groups:
            group.stop()


def looked(question: Question, where: Place, given: Sequence[Example], advance: Advance) -> Findings:
    """Return the findings in one place: on the given examples, or else on drawn ones."""
    where.load(question.target)
    if not given:
        rehearsal = Simulated(question.params, TIMEOUT) if where.name == "mpi" else None
        findings = explore(question, where, advance, rehearsal)
        over = findings.refused or question.clock.over()
        sums = question.page is None and question.reduces is None
        if sums and not question.only and not over and where.name in OURS:
            findings.nearest = nearest(question, where)
        return findings
    findings = Findings()
    for example in given:
        findings.count(question, judge(question, where, example))
    return findings
