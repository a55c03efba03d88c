"""The Python face: what the commands do, as functions."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from sparring.errors import InputError
from sparring.spec.core import pages as registry
from sparring.spec.core import runner
from sparring.spec.core import selectors as known
from sparring.spec.core.model import Page

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from fractions import Fraction

    from sparring.advising.advice import Advice
    from sparring.costs.costs import Cost
    from sparring.costs.crossover import Comparison
    from sparring.costs.links.machines import Machine
    from sparring.costs.shared_links import SharedCost
    from sparring.costs.union_cost import UnionCost
    from sparring.parallel import Done
    from sparring.present.explorer.document import Document
    from sparring.proofs.contention.judgement import Judgement
    from sparring.report import Report, Result
    from sparring.verification.plans import Track
    from sparring.verification.theorems import Told


def pages() -> list[str]:
    """Return the names of all algorithms."""
    return registry.names()


def regular() -> list[str]:
    """Return the names of all algorithms but compositions, whose pages have no formulas and whose costs are bounds."""
    return [name for name in pages() if not page(name).composed]


def uncosted(algo: str | Page) -> str:
    """Return why there is nothing to derive the algorithm's cost from, in words; empty where there is something."""
    from sparring.costs import compositions
    from sparring.errors import Undecided

    found = algo if isinstance(algo, Page) else page(algo)
    if not found.composed:
        return ""
    try:
        compositions.most(found)
    except Undecided as why:
        return str(why).removeprefix(f"{found.name}: ")
    return ""


def selectors() -> list[str]:
    """Return the names of all selectors."""
    return known.names()


def page(algo: str, **params: Any) -> Page:
    """Return the page called ``algo``: a name, a module ``pkg.mod``, or a file ``./mine.py``."""
    return registry.find(algo, **params)


def run(algo: str | Page, xs: Sequence[Any], **params: Any) -> runner.Run:
    """Run the reference on ``xs``, one vector a rank.

    Iterating yields ``(t, wire, states)`` after each step; ``.trace`` and ``.results`` hold all.

    >>> run("ring", [[1.0, 2.0], [10.0, 20.0]]).results
    [[11.0, 22.0], [11.0, 22.0]]
    """
    return runner.run(algo if isinstance(algo, Page) else page(algo, **params), xs)


def prove(*algos: str | Page, jobs: int = 1, keep: bool = False) -> Report:
    """Prove the theorems of these pages (by default of all), for every number of ranks.

    ``jobs``: the number of processes, and ``keep``: keep what is found, both as for :func:`verify`;
    with ``keep`` what an earlier run found comes first.

    >>> prove("ring").verdict
    'holds'
    """
    from sparring.parallel import each
    from sparring.verification import theorems

    start = time.perf_counter()
    asked = algos or pages()
    earlier = {name: some for name in asked if keep and isinstance(name, str) and (some := theorems.recalled(name))}
    others = [one for one in asked if not isinstance(one, str) or one not in earlier]
    found = [told for part in each(partial(theorems.proved, keep=keep), others, jobs) for told in part.told]
    return proof_report([*chain.from_iterable(earlier.values()), *found], time.perf_counter() - start)


def recheck(folder: str | Path, *algos: str | Page) -> Report:
    """Judge the certificates that ``sparring prove --export`` wrote to ``folder``.

    Certificates are compared with the installed page of their name, or with that of ``algos``; nothing else that
    they name is looked at.  Raises InputError where the manifest of the folder is not as it must be.
    """
    from sparring.proofs.kernel import rechecking
    from sparring.proofs.logic import solvers
    from sparring.report import Report, Result

    start = time.perf_counter()
    given = [algo if isinstance(algo, Page) else page(algo) for algo in algos]
    judged = list(rechecking.recheck(Path(folder), given))
    results = [Result(j.algorithm, j.theorem, j.verdict, j.detail) for j in judged]
    told = ("algorithm", "theorem", "statement", "effort")
    extra = {"theorems": [{name: getattr(j, name) for name in told} for j in judged], "solvers": solvers.versions()}
    return Report("recheck", results, seconds=time.perf_counter() - start, extra=extra)


def proof_report(found: Sequence[Told], seconds: float) -> Report:
    """Return the report of ``prove``: one result and one entry of ``theorems`` for each conjecture."""
    from sparring.report import Report

    extra = {"theorems": [one.theorem for one in found]}
    return Report("prove", [one.result for one in found], seconds=seconds, extra=extra)


def verify(
    *algos: str | Page, ranks: Iterable[int] | None = None, full: bool = False, on: str = "simulated",
    mutants: bool = False, jobs: int | Executor = 1, track: Track = lambda items, _: items, done: Done | None = None,
    keep: bool = False,
) -> Report:  # fmt: skip
    """Verify these algorithms and selectors (by default all): proofs, and the implementation on the simulated world.

    ``ranks``: the numbers of ranks to run (default: 1..8 on numbers; 1..9 on terms);
    ``full``: terms for 1..64, all dtypes and gradients for 1..8, more ranks for the rest; ``on``: "simulated",
    "mpi" (under mpiexec) or "both"; ``mutants``: plant faults everywhere, and tell which were found, with
    ``full`` also by all runs; ``jobs``: the number of processes, each with an
    algorithm given by its name, for which a script needs its ``if __name__ == "__main__"``, or an executor that
    has processes (of ``concurrent.futures`` or ``mpi4py.futures``); ``track(items, description)`` goes
    through items and may show the progress; ``done(name, results, seconds)`` is called for each algorithm
    and selector as soon as it is judged; ``keep``: keep what is found, and return it again as long as nothing
    has changed on which it rests; ``done`` then gets None for the seconds.
    """
    from sparring import kept_results
    from sparring.parallel import spread, unheard
    from sparring.report import PROPERTIES, Report, verdicts
    from sparring.verification.plans import limits, plan
    from sparring.verification.selector import SELECTING

    start = time.perf_counter()
    asked = algos or (*pages(), *selectors())
    chosen = [known.find(a) for a in asked if isinstance(a, str) and a in selectors()]
    others = [a for a in asked if a not in selectors()]
    found = [a if isinstance(a, Page) else page(a) for a in others]
    planned = plan(ranks, full, on)
    results, earlier = kept_results.verified(asked, planned, track, jobs, done or unheard, keep=keep)
    extra: dict[str, Any] = {"algorithms": verdicts(found, of(found, results)), "properties": dict(PROPERTIES)}
    extra |= {"limits": limits(planned), "kept": earlier}
    if chosen:
        extra |= {"selectors": verdicts(chosen, of(chosen, results)), "selecting": dict(SELECTING)}
    gaps = [f"{r.subject}, {r.property}: {r.detail}" for r in results if r.verdict.word.value == "not covered"]
    if mutants:
        from sparring.mutation import survey

        extra["mutants"] = survey.summary(spread(partial(survey.judge_mutants, full=full), others, track, jobs))
    return Report("verify", results, gaps, time.perf_counter() - start, extra)


def of(subjects: Sequence[Any], results: Sequence[Result]) -> list[Result]:
    """Return the results on these subjects."""
    names = {one.name for one in subjects}
    return [r for r in results if r.subject in names]


def contention(algo: str | Page, topology: str, ranks: int) -> Judgement:
    """Judge whether messages of ``algo`` can meet on a link of ``topology`` with ``ranks`` ranks, under any timing.

    ``topology``: one of ``proofs/contention/topologies``, such as ``ring``, with parameters as in
    ``torus:k=2``, or a file ``./mine.py``.  Raises InputError where there is none of that name.

    >>> contention("recursive_doubling", "crossbar", 8).freedom.level
    'rendezvous'
    >>> contention("recursive_doubling", "torus:k=2", 8).freedom.level
    'exclusive'
    """
    from sparring.proofs.contention.judgement import judge

    if ranks < 1:
        raise InputError(f"ranks={ranks}; right: at least 1")
    return judge(algo if isinstance(algo, Page) else page(algo), topology, ranks)


def explore(algo: str | Page, *, ranks: int = 4, topology: str | None = None, **params: Any) -> Document:
    """Return what the explorer shows of an algorithm: who sends what to whom, step by step, and what ranks then have.

    ``topology``: the network whose links messages take, as for :func:`contention`.  ``params``: the page's, of one that
    is given by its name; ``k`` is small by default, since of pages whose messages depend on the data a run on a small
    example is shown.  ``sparring.present.explorer.html.write`` makes a page for browsers of it.

    Raises InputError for more ranks than can be shown, ScheduleFault where formulas make no schedule.

    >>> document = explore("ring", ranks=3)
    >>> document.runs[0].stages[0].steps[0].messages[0]
    Message(src=0, dst=1, chunks=[0], adds=True)
    """
    from sparring.present.explorer import examples, pages

    if isinstance(algo, Page):
        return pages.document(algo, ranks, topology)
    return pages.document(examples.page(algo, ranks, **params), ranks, topology, algo)


@overload
def cost(
    algo: str | Page, *, support: str = "union", nodes: None = None, topology: None = None, **params: Any
) -> Cost | UnionCost: ...


@overload
def cost(
    algo: str | Page, *, support: str = "union", nodes: int | str, topology: None = None, **params: Any
) -> SharedCost: ...


@overload
def cost(
    algo: str | Page, *, support: str = "union", nodes: None = None, topology: str, **params: Any
) -> SharedCost: ...


def cost(
    algo: str | Page, *, support: str = "union", nodes: int | str | None = None, topology: str | None = None,
    **params: Any,
) -> Cost | UnionCost | SharedCost:  # fmt: skip
    """Return an algorithm's cost as closed forms derived from its page; of a composition, a bound under hypotheses.

    ``support``: where chunks are sparse, how large the union ``u(s)`` of ``s`` ranks' supports is:
    "union" leaves it as it is, "identical", "independent" and "disjoint" put a model in its place; so do
    "blocks:64", whole blocks of 64 neighbouring entries, and "zipf:1.1", indices whose popularity falls with that
    exponent.  Other algorithms ignore it.  ``nodes``: the number of neighbouring ranks that make a node and share its
    one link to the others; "node" leaves it a letter.  ``topology``: the one whose links messages share, as for
    :func:`contention`.

    Raises Undecided, with the reason, where sums over the page's steps are not derived, or how many messages
    share a link; InputError for nodes on a topology; Refuted where runs of a page of your own send something else.

    >>> cost("ring").words
    2*n - floor(2*n/p)
    >>> cost("ring").simplify(given="p | n").words
    2*n*(p - 1)/p
    >>> cost("ring").at(p=8, n=10**18 + 3).words
    1750000000000000006
    >>> cost("ring_sparse", support="identical").simplify(given="p | n").words
    4*k*(p - 1)/p
    >>> cost("recursive_doubling", topology="ring").form("carried")
    n*width*(p - 1)
    """
    from sparring.costs import pricing, unchecked

    found = algo if isinstance(algo, Page) else page(algo, **params)
    return pricing.counted(unchecked.cost(found, support, nodes, topology))


def crossover(
    a: str | Page, b: str | Page, over: str = "n", *, support: str = "independent",
    start: str | float | Fraction | None = None, end: str | float | Fraction | None = None,
    **at: str | float | Fraction,
) -> Comparison:  # fmt: skip
    """Compare the costs of two algorithms as ``over`` grows: "n", "p", or "rho", the density ``k / n``.

    ``at``: the other letters; with ``alpha`` and ``beta`` (a machine's ``letters``) seconds are
    compared, else bytes.  ``support``: as in :func:`cost`, but for "union", which has no numbers.
    ``start``, ``end``: the first and the last value of ``over``.

    Raises InputError for a letter that is missing, Undecided where a cost is not derived or the two
    stay too near each other.

    >>> found = crossover("ring_allgather", "ring", "rho", p=8, n=10**6)
    >>> found.cheaper, found.formula
    (('ring_allgather', 'ring'), 1/p)
    """
    from sparring.costs.crossover import compare

    return compare(cost(a, support=support), cost(b, support=support), over, at, start, end)


def in_nodes(found: Page, size: int | None) -> Page:
    """Return a page with default parameters in nodes of this size, where it knows of nodes."""
    from sparring.spec.core.loading import load

    name = str(getattr(found.module, "nodes", ""))
    own = size is None or not name or found.params != load(found.module).params
    return found if own else load(found.module, **{name: size})


def advise(
    gradients: str | Path | Sequence[str | Path] | Mapping[str, Any] | None = None, machine: Machine | str = "eth-25g",
    ranks: Iterable[int] = (), *, density: str | float | Fraction = "1%", key: str | None = None,
    topology: str = "crossbar", nodes: int | None = None, within: Machine | str = "nvlink",
    algorithms: Sequence[str | Page] = (), track: Track = lambda items, _: items,
) -> Advice:  # fmt: skip
    """Advise which allreduce to use for these gradients on this machine: compare the derived costs of all algorithms.

    ``gradients``: a file ``.npy``, ``.npz`` or ``.safetensors``, whose arrays are layers with the worker
    as first axis; several files, one a worker; such arrays by name; None for the shipped sample.
    ``machine``: one, a preset's name, or a JSON file.  ``ranks``: by default as many as there are
    workers.  ``density``: the part of its entries that a worker keeps where an algorithm takes
    sparse vectors.  ``topology``: the one whose links messages share, as for :func:`contention`.  ``nodes``:
    the number of neighbouring ranks in a node; messages within it take the time of the machine ``within``, and its
    ranks share its one link to the others.  ``algorithms``: by default all.  ``track`` as for :func:`verify`.

    Raises InputError where one of these is not what it should be, Undecided where no algorithm has a cost.

    >>> found = advise(ranks=[4, 1024], machine="eth-25g", algorithms=["ring", "ring_sparse", "ring_topk"])
    >>> [[option.algorithm for option in answer.options] for answer in found.answers]
    [['ring_topk', 'ring_sparse', 'ring'], ['ring_topk', 'ring', 'ring_sparse']]
    """
    from sparring import run_inputs
    from sparring.advising import advice, measuring, spending
    from sparring.advising import gradients as files
    from sparring.costs.links import levels, machines

    if isinstance(gradients, Mapping):
        found = files.held(gradients)
    elif gradients is None:
        found = files.sample()
    else:
        found = files.load([gradients] if isinstance(gradients, (str, Path)) else gradients, key)
    between, inside = (machines.machine(one) if isinstance(one, str) else one for one in (machine, within))
    place = spending.Place(between, topology, None if nodes is None else levels.Nodes(nodes, inside, between))
    among = [in_nodes(one if isinstance(one, Page) else page(one), nodes) for one in algorithms or pages()]
    measured = measuring.profile(found, run_inputs.fraction(density), track)
    return advice.advise(measured, place, among, [*ranks] or [max(2, found.workers)], track)


def calibrate(*algos: str, ranks: int | None = None, seconds: float = 20.0) -> Machine | None:
    """Measure this machine on real ranks for ``seconds``; return None on the ranks of a job other than 0.

    In a job under mpiexec the call is collective; else ``ranks`` ranks (default: the number of cores, at least two)
    are started here.  ``algos``: the algorithms that are timed to judge the predictions, by default all that have an
    implementation.  ``measured`` of the result says what the predictions are worth.

    Raises InputError for what cannot be measured, SparringError with what the failing ranks said.
    """
    from sparring.calibration.running import calibrated

    return calibrated(algos, ranks, seconds)
