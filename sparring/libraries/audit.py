"""Judges an MPI library's collectives, algorithm by algorithm: what they promise, and what they send.

>>> spelled([2, 3, 4, 8])
'2-4, 8'
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from sparring.checks.checking import check
from sparring.checks.ranks.group import Group
from sparring.errors import InputError, did_you_mean
from sparring.libraries import counting, matching
from sparring.libraries.collectives import COLLECTIVES, IN_PLACE
from sparring.libraries.counting import Key, Sent
from sparring.libraries.matching import Explanation, Run
from sparring.libraries.selection import Algorithm, Library, installed
from sparring.proofs.logic.verdicts import NOT_COVERED, REFUTED, Verdict, Word, overall, tested
from sparring.report import Report, Result

RANKS = range(1, 9)
SIZES = (5, 840, 1003)
"""Entries of the vectors whose messages are counted: fewer than ranks; a multiple of all; a multiple of few."""
EXAMPLES = 30
"""Examples of an algorithm, and of its calls in place."""
MESSAGES, UNASKED = "messages", "any"
"""Properties: what is sent; and that of an algorithm which the library refuses on all ranks, so that none is judged."""
SILENT = "does not tell what its collectives send, nor where it takes another algorithm than the chosen one"
TARGETS = "sparring.libraries.collectives"
ABSENT = ("steps", "volume", "contention", "hygiene")
"""Properties of messages, which are counted here, or seen in the simulated world alone."""
PROMISED = ("result", "agreement", "edge sizes", "dtypes")
"""What is judged of calls in place."""
NAMED: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("allreduce", "basic_linear"): ("linear_reduce + linear_bcast",),
    ("allreduce", "recursive_doubling"): ("recursive_doubling",),
    ("allreduce", "ring"): ("ring", "recursive_doubling"),
    ("allreduce", "segmented_ring"): ("ring", "recursive_doubling"),
    ("allreduce", "rabenseifner"): ("rabenseifner_halves", "linear_reduce + linear_bcast"),
    ("reduce_scatter", "ring"): ("ring_reduce_scatter",),
    ("reduce_scatter", "recursive_halving"): ("recursive_halving_reduce_scatter",),
    ("reduce_scatter", "butterfly"): ("butterfly_reduce_scatter",),
    ("reduce_scatter_block", "butterfly"): ("strided_butterfly_reduce_scatter", "butterfly_reduce_scatter"),
    ("alltoall", "modified_bruck"): ("bruck_alltoall",),
    ("allgather", "bruck"): ("dense_bruck_allgather",),
    ("allgather", "recursive_doubling"): ("dense_recursive_doubling_allgather", "dense_bruck_allgather"),
    ("allgather", "ring"): ("dense_ring_allgather",),
    ("allgather", "neighbor"): ("neighbor_exchange_allgather", "dense_ring_allgather"),
    ("allgather", "sparbit"): ("sparbit_allgather",),
    ("allgatherv", "sparbit"): ("sparbit_allgather",),
    ("bcast", "basic_linear"): ("linear_bcast",),
    ("bcast", "pipeline"): ("chain_bcast",),
    ("bcast", "binary_tree"): ("binary_bcast",),
    ("bcast", "binomial"): ("binomial_bcast",),
    ("bcast", "chain"): ("four_chains_bcast",),
    ("bcast", "knomial"): ("knomial_bcast",),
    ("bcast", "split_binary_tree"): ("split_binary_bcast",),
    ("bcast", "scatter_allgather"): ("scatter_relay_bcast", "linear_bcast"),
    ("reduce", "linear"): ("linear_reduce",),
    ("reduce", "chain"): ("four_chains_reduce",),
    ("reduce", "binary"): ("binary_reduce",),
    ("reduce", "in-order_binary"): ("postorder_reduce",),
    ("reduce", "pipeline"): ("chain_reduce",),
    ("reduce", "binomial"): ("binomial_reduce",),
}
"""The pages that Open MPI's algorithms must send by their names; after the first, where they fall back to another."""


class Row(NamedTuple):
    """The verdict on one algorithm.

    ``cover``: the pages that explain what it sends; ``gap``: where they do not; ``sent``: what was counted.
    """

    algorithm: Algorithm
    results: Sequence[Result]
    cover: Sequence[Explanation] = ()
    gap: str = ""
    sent: Mapping[Run, Sent] = {}
    seconds: float = 0.0

    @property
    def subject(self) -> str:
        """The collective and the algorithm."""
        return f"{self.algorithm.collective}: {self.algorithm.name}"

    @property
    def refused(self) -> dict[Run, str]:
        """The runs that the library refuses, and its errors."""
        return {run: one.refused for run, one in self.sent.items() if one.refused}

    @property
    def worst(self) -> Word:
        """The worst verdict."""
        return overall([one.verdict for one in self.results])

    def verdict(self, prop: str) -> Verdict:
        """Return the verdict on a property; *not covered* if it is not judged."""
        return next((one.verdict for one in self.results if one.property == prop), NOT_COVERED)


def audit(
    library: str = "", collectives: Sequence[str] = (), *,
    ranks: Sequence[int] | None = None, max_examples: int | None = None, seed: int = 0,
    advance: Callable[[Row], object] = lambda row: None,
) -> Report:  # fmt: skip
    """Judge the collectives of the MPI library that is installed, with each algorithm that it lets one choose.

    Parameters
    ----------
    library : "openmpi", "mpich" or "impi"; by default the one that is there.
    collectives : names such as "allreduce"; by default all of ``COLLECTIVES``.
    ranks : the numbers of ranks; by default 1 to 8.
    max_examples, seed : as for :func:`sparring.checks.checking.check`; by default 30 examples.
    advance : called with each row as soon as it is there.

    Raises InputError for a library that is not there, or a collective that is not known.
    """
    start = time.perf_counter()
    names = known(collectives)
    found = installed(library)
    numbers = tuple(sorted(set(RANKS if ranks is None else ranks)))
    rows = []
    for name in names:
        choices = found.choices([name])
        sent = counted(found, choices, numbers)  # of one collective at a time, so that rows come soon
        for algorithm in choices:
            rows.append(judged(algorithm, sent, numbers, max_examples or EXAMPLES, seed))
            advance(rows[-1])
    gaps = [] if counting.tells(found) else [f"{MESSAGES}: {found.version} {SILENT}"]
    gaps += [f"{row.subject}: {row.gap}" for row in rows if row.gap and row.verdict(MESSAGES) == NOT_COVERED]
    gaps += [f"{row.subject}: {one.detail}" for row in rows for one in row.results if one.property == UNASKED]
    extra = {"library": {"name": found.name, "version": found.version, "algorithms": [told(row) for row in rows]}}
    results = [one for row in rows for one in row.results]
    return Report("check --library", results, gaps, time.perf_counter() - start, extra)


def known(collectives: Sequence[str]) -> Sequence[str]:
    """Return the collectives, by default all; raise InputError for one that is not known."""
    for name in collectives:
        if name not in COLLECTIVES:
            hint = did_you_mean(name, COLLECTIVES)
            raise InputError(f"no collective {name!r}: {hint}there are {', '.join(COLLECTIVES)}")
    return collectives or tuple(COLLECTIVES)


def counted(library: Library, choices: Sequence[Algorithm], ranks: Sequence[int]) -> Mapping[Key, Sent]:
    """Return what each algorithm sends on two ranks or more; nothing if the library does not tell."""
    several = [p for p in ranks if p > 1]
    return counting.count(choices, several, SIZES) if several and counting.tells(library) else {}


def judged(algorithm: Algorithm, sent: Mapping[Key, Sent], ranks: Sequence[int], examples: int, seed: int) -> Row:
    """Judge one algorithm: its promise, in place, too, on real ranks; and what it sends, by what was counted."""
    start = time.perf_counter()
    runs = {(p, n): one for (*what, p, n), one in sent.items() if what == [algorithm.collective, algorithm.name]}
    refused = {p for (p, _), one in runs.items() if one.refused}
    able = tuple(p for p in ranks if p not in refused)
    results = list(promised(algorithm, able, examples, seed)) if able else [unasked(algorithm, runs)]
    cover: Sequence[Explanation] = ()
    gap = ""
    if done := {run: one for run, one in runs.items() if not one.refused}:
        result, cover, gap = compared(algorithm, done)
        results.append(result)
    return Row(algorithm, results, cover, gap, runs, time.perf_counter() - start)


def unasked(algorithm: Algorithm, runs: Mapping[Run, Sent]) -> Result:
    """Return that nothing is known of an algorithm that the library refuses on all ranks, and its error."""
    why = next(one.refused for one in runs.values())
    return Result(f"{algorithm.collective}: {algorithm.name}", UNASKED, NOT_COVERED, f"the library refuses it: {why}")


def promised(algorithm: Algorithm, ranks: Sequence[int], examples: int, seed: int) -> Iterator[Result]:
    """Yield what becomes of the promise of MPI: the sum, and the same in place."""
    subject = f"{algorithm.collective}: {algorithm.name}"
    target = f"{TARGETS}:{COLLECTIVES[algorithm.collective].__name__}"
    with Group(max(ranks), environment=algorithm.environment) as group:
        asked: dict[str, Any] = {"ranks": ranks, "on": "mpi", "group": group, "seed": seed}
        for one in check(target, max_examples=examples, **asked).results:
            if one.property not in ABSENT:
                yield one._replace(subject=subject)
        if algorithm.collective in IN_PLACE:
            inside = f"{TARGETS}:{IN_PLACE[algorithm.collective].__name__}"
            yield together(subject, check(inside, max_examples=examples, only=PROMISED, **asked))


def together(subject: str, report: Report) -> Result:
    """Put the verdicts on the calls in place into one."""
    seen = [one for one in report.results if one.verdict != NOT_COVERED]
    worst = max(seen, key=lambda one: list(Word).index(one.verdict.word))
    if worst.verdict.word is not Word.TESTED:
        return worst._replace(subject=subject, property="in place", detail=f"{worst.property}: {worst.detail}")
    number = max(one.verdict.number for one in seen)
    return Result(subject, "in place", tested(number), "the same with MPI_IN_PLACE")


def compared(algorithm: Algorithm, runs: Mapping[Run, Sent]) -> tuple[Result, list[Explanation], str]:
    """Compare what an algorithm sends with the pages; return the verdict, the pages, and where none sends the same."""
    subject = f"{algorithm.collective}: {algorithm.name}"
    seen = {run: one.pairs for run, one in runs.items()}
    names = NAMED.get((algorithm.collective, algorithm.name), ())
    cover = matching.explained(algorithm.collective, seen, names)
    ours = {run for one in cover for run in one.runs}
    if names:  # what else is sent is told, and is wrong
        cover += matching.explained(algorithm.collective, {run: seen[run] for run in seen if run not in ours})
    odd = next((run for run in runs if run not in ours), None)
    if odd is None:
        pages = "; ".join(f"{one}, {where(one.runs)}" for one in cover)
        return Result(subject, MESSAGES, tested(len(runs)), f"pair by pair those of {pages}"), cover, ""
    gap = unlike(algorithm.collective, odd, runs[odd], names)
    return Result(subject, MESSAGES, REFUTED if names else NOT_COVERED, gap), cover, gap


def unlike(collective: str, run: Run, sent: Sent, names: Sequence[str]) -> str:
    """Say how a run differs from the first of the named pages, or from the nearest one."""
    p, n = run
    near = matching.nearest(collective, p, n, sent.pairs, names[:1])
    if near is None:
        return f"p={p} n={n}: no page does this collective on {p} ranks"
    return f"p={p} n={n}: nearest is {near[0].name}: {matching.difference(near[1], sent.pairs)}"


def where(runs: Sequence[Run] | frozenset[Run]) -> str:
    """Say in which runs, by lengths: ``p = 2-8``, or ``p = 2-8 at n = 5``."""
    by_size = {n: tuple(sorted(p for p, size in runs if size == n)) for n in sorted({n for _, n in runs})}
    alike = groupby(sorted(by_size.items(), key=lambda one: one[1]), key=lambda one: one[1])
    parts = [(ranks, [n for n, _ in some]) for ranks, some in alike]
    return " and ".join(
        f"p = {spelled(ranks)}" + (f" at n = {', '.join(map(str, sizes))}" if set(sizes) != set(SIZES) else "")
        for ranks, sizes in parts
    )


def spelled(numbers: Sequence[int]) -> str:
    """Write numbers in ascending order, neighbours as spans."""
    spans: list[list[int]] = []
    for one in numbers:
        if spans and spans[-1][-1] + 1 == one:
            spans[-1].append(one)
        else:
            spans.append([one])
    return ", ".join(str(span[0]) if len(span) == 1 else f"{span[0]}-{span[-1]}" for span in spans)


def run_told(row: Row, run: Run) -> dict[str, Any]:
    """Return what is sent in one run, in all, and what the page that sends the same plans; or why nothing is."""
    said: dict[str, Any] = {"ranks": run[0], "size": run[1]}
    if row.sent[run].refused:
        return {**said, "refused": row.sent[run].refused}
    page = next((one for one in row.cover if run in one.runs), None)
    planned = matching.whole(page.played.sent(row.algorithm.collective, *run)) if page else None
    sent = matching.whole(row.sent[run].pairs)
    return {**said, "sent": sent._asdict(), "page": page.name if page else "", "planned": planned and planned._asdict()}


def told(row: Row) -> dict[str, Any]:
    """Return a row as values for a report."""
    return {
        "collective": row.algorithm.collective,
        "algorithm": row.algorithm.name,
        "environment": dict(row.algorithm.environment),
        "pages": [{"name": one.name, "segments": one.segments, "runs": sorted(one.runs)} for one in row.cover],
        "unlike": row.gap,
        "runs": [run_told(row, run) for run in row.sent],
        "seconds": round(row.seconds, 1),
    }
