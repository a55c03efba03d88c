"""Verifies a selector: its page's word and its implementation, on all inputs and on numbers.

The subject is a page of ``spec.selectors`` and the implementation of its name in ``impl.selectors``.
A selector runs on each rank by itself, so its theorems are of one rank.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from sparring.checks.ranks.target import absolute
from sparring.checks.ranks.target import load as load_target
from sparring.errors import InputError
from sparring.inputs import digits
from sparring.proofs.logic.verdicts import NOT_COVERED, REFUTED, UNDECIDED, Verdict, proved_at, tested
from sparring.refinement.comparison import DTYPES, vectors
from sparring.report import PROPERTIES, Report, Result
from sparring.sparse import Sparse
from sparring.spec.core import origins, purity
from sparring.spec.core.schedule import number
from sparring.spec.core.selectors import Selector, find, load
from sparring.symbolic_execution.forms import NoForm
from sparring.symbolic_execution.selectors import Bound, Exhausted, Flaw, Maker, Size, everywhere, on_numbers
from sparring.verification.fault_injection import confirmed
from sparring.verification.samples import KEPT, TRAINED

SELECTING: Mapping[str, str] = {
    "order": "what is taken comes before all the rest, in the one order of magnitudes",
    "bounds": "at least and at most as many entries are taken as the page says",
    "selection": "in exact arithmetic the implementation takes what the page does, for all inputs",
    **{prop: PROPERTIES[prop] for prop in ("input untouched", "dtypes", "gradients")},
    "bad input": "a bad argument is an InputError",
}
"""What is asked of a selector, in the order in which it is shown, with what it means."""

CALLED = {0: 3, 1: 3, 2: 2, 3: 1}
"""Of vectors of so many entries all real ones are tried, in so many calls."""
LENGTHS = (0, 1, 2, 9, 70, 1030)
"""Of vectors of numbers: the last one is longer than the strides of samples and the lanes of sums."""

Tails = Sequence[tuple[int, int, Sequence[int]]]
"""Lengths of vectors with long tails, how many there are, and of how many entries one is aimed at."""
SHORT: Tails = ((20, 30, (2, 5)), (200, 3, (3, 4, 10, 50)))
LONG: Tails = ((70_000, 1, (20,)),)
"""Longer than any block."""

Track = Callable[[Iterable[Any], str], Iterable[Any]]
BAD = "bad input"
Example = tuple[Sequence[Any], int, Mapping[str, Any]]
"""Vectors of one series of calls, ``k``, and other parameters."""


class Fault(NamedTuple):
    """A fault that is planted in the page or in the code, and must be found."""

    told: str
    page: Callable[[Bound], Bound] = lambda page: page
    code: Callable[[Maker], Maker] = lambda maker: maker


def check_selector(target: Any, name: str, track: Track = lambda items, _: items, **params: Any) -> Report:
    """Judge a selector: a class ``T(k=..., **params)`` whose instances take a vector and give a Sparse.

    ``target``: itself or by name, ``"pkg.mod:name"`` or ``"file.py:name"``; ``name``: the selector that
    it is said to be; ``params``: both are given these alone, besides ``k``, and not the page's own choice.

    Raises InputError for a target that is not there, UnknownPage for no such selector.
    """
    start = time.perf_counter()
    page = find(name, **params)
    page = replace(page, ways=(params,)) if params else page
    maker = load_target(absolute(target)) if isinstance(target, str) else target
    told = {"target": str(target), "algorithm": name, "params": params}
    results = verify_selector(page, track, maker)
    gaps = [f"{r.property}: {r.detail}" for r in results if r.verdict == NOT_COVERED]
    return Report("check", results, gaps, time.perf_counter() - start, {"check": told})


def verify_selector(page: Selector, track: Track = lambda items, _: items, maker: Maker | None = None) -> list[Result]:
    """Return a result for each property, in the order of SELECTING; ``maker``: by default the page's implementation.

    Raises InputError where the page is not pure: what it says of the inputs that are tried is then not said of others.
    """
    if not origins.trusted(page.module.__name__, ""):
        purity.check(page.module)
    asked = [prop for prop in SELECTING if prop != BAD or maker is None]  # what others' code refuses is theirs
    maker = maker or implementation(page)
    if maker is None:
        return [Result(page.name, prop, NOT_COVERED, "there is no implementation of this name") for prop in asked]
    own: Bound = partial(load, page.module)
    exact = everywhere(own, maker, sizes(page))
    roads = {prop: road(prop, exact.trouble is None) for prop in asked}
    results = []
    for prop in track(asked, f"{page.name}: properties"):
        flaws = [flaw for flaw in exact.flaws if flaw.property == prop]
        if roads[prop] is not all_inputs:
            flaws += roads[prop](page, own, maker)
        result = judge_property(page, prop, flaws, exact)
        if result.verdict not in (REFUTED, NOT_COVERED, UNDECIDED):
            fault = PLANTED[prop]
            flaws = roads[prop](page, fault.page(own), fault.code(maker))
            result = confirmed(result, fault.told, any(concerns(flaw, prop) for flaw in flaws))
        results.append(result)
    return results


def implementation(page: Selector) -> Maker | None:
    """Return the implementation of a page of sparring's own, if there is one."""
    room, _, name = page.module.__name__.rpartition(".")
    module = f"sparring.impl.selectors.{name}"
    if room != "sparring.spec.selectors" or not importlib.util.find_spec(module):
        return None
    return importlib.import_module(module).Selector  # type: ignore[no-any-return]  # called as all of them are


Road = Callable[[Selector, Bound, Maker], list[Flaw]]


def road(prop: str, exact: bool) -> Road:
    """Return the function that judges a property: on all inputs where it must or can, else on numbers."""
    if prop in ("gradients", BAD):
        return on_gradients if prop == "gradients" else on_bad
    return all_inputs if prop == "selection" or (exact and prop in ("order", "bounds")) else on_edges


def all_inputs(page: Selector, bound: Bound, maker: Maker) -> list[Flaw]:
    """Return the first flaws found among all real inputs of a few entries."""
    return [*everywhere(bound, maker, sizes(page), stop=True).flaws]


def on_edges(page: Selector, bound: Bound, maker: Maker) -> list[Flaw]:
    """Return the flaws found on numbers of all dtypes, with many that often go wrong."""
    return [flaw for example in examples(page) for flaw in on_numbers(bound, maker, *example)]


def on_gradients(page: Selector, bound: Bound, maker: Maker) -> list[Flaw]:
    """Return the flaws found on the shipped gradients, in the order of the training."""
    return [flaw for example in gradients(page) for flaw in on_numbers(bound, maker, *example)]


def on_bad(page: Selector, bound: Bound, maker: Maker) -> list[Flaw]:  # as all roads
    """Return a flaw for each bad argument that the code takes, and each parameter that page and code judge apart."""
    taken = [what for what, (k, xs) in REFUSED.items() if not refused(maker, xs, k=k)]
    tried = [{name: x} for name, value in page.params.items() if value is not None for x in (-1, 0)]
    unlike = [params for params in tried if refused(maker, [], **params) != refused(bound, [], **params)]
    return [Flaw(BAD, f"{what} is no error") for what in taken] + [
        Flaw(BAD, f"{params}: the page takes it, the code does not, or the other way round") for params in unlike
    ]


VECTOR = np.arange(4.0)
REFUSED: Mapping[str, tuple[Any, Sequence[Any]]] = {
    "two dimensions": (1, [VECTOR.reshape(2, 2)]),
    "no array": (1, [VECTOR.tolist()]),
    "a dtype of one byte": (1, [VECTOR.astype(np.int8)]),
    "another length in a later call": (1, [VECTOR, VECTOR[:-1]]),
    "another dtype in a later call": (1, [VECTOR, VECTOR.astype(np.float32)]),
    "a negative k": (-1, []),
    "a k that is no number": ("1", []),
}
"""Bad arguments: ``k``, and the vectors of some calls, of which the last one must be refused."""


def refused(maker: Callable[..., Any], xs: Sequence[Any], **params: Any) -> bool:
    """Return whether making the selector, or one of its calls, raises InputError."""
    try:
        kernel = maker(**params)
        for x in xs:
            kernel(x)
    except InputError:
        return True
    return False


def sizes(page: Selector) -> list[Size]:
    """Return the sizes of which all real inputs are tried."""
    return [Size(n, k, calls, way) for way in page.ways for n, calls in CALLED.items() for k in range(min(n, 2) + 1)]


def examples(page: Selector) -> list[Example]:
    """Return vectors of all dtypes, with ``k`` few, many, all or none of their entries; and vectors with long tails."""
    usual = [
        (vectors(dtype, 3, n), (0, 1, n // 4, n, 2 * n + 3)[(i + j) % 5])
        for i, n in enumerate(LENGTHS)
        for j, dtype in enumerate(DTYPES)
    ]
    first, *others = page.ways
    long = [(xs, k, first) for xs, k in tails(LONG)]
    return [*((xs, k, way) for way in (first, *others) for xs, k in (*usual, *tails(SHORT))), *long]


def tails(lengths: Tails) -> Iterator[tuple[Sequence[Any], int]]:
    """Yield vectors with long tails, and ``k``."""
    rng = np.random.default_rng(LENGTHS[-1])
    for n, calls, parts in lengths:
        for part in parts:
            yield [rng.standard_normal(n) ** 3 for _ in range(calls)], n // part


def gradients(page: Selector) -> list[Example]:
    """Return the shipped gradients of one worker."""
    xs = [digits(1, key)[0] for key in TRAINED]
    return [(xs, xs[0].size // KEPT, way) for way in page.ways]


def concerns(flaw: Flaw, prop: str) -> bool:
    """Return whether a flaw refutes a property; a flaw in *selection* refutes *dtypes* and *gradients*, too."""
    return flaw.property == prop or (flaw.property == "selection" and prop in ("dtypes", "gradients"))


def judge_property(page: Selector, prop: str, flaws: Sequence[Flaw], exact: Exhausted) -> Result:
    """Return the result of a property before any fault is planted."""
    wrong = next((flaw for flaw in flaws if concerns(flaw, prop)), None)
    if wrong:
        return Result(page.name, prop, REFUTED, wrong.detail)
    if prop == "selection" and exact.trouble:
        outside = isinstance(exact.trouble, NoForm)
        return Result(page.name, prop, NOT_COVERED if outside else UNDECIDED, str(exact.trouble))
    return Result(page.name, prop, *held(page, prop, exact))


def held(page: Selector, prop: str, exact: Exhausted) -> tuple[Verdict, str]:
    """Return the verdict on a property without a flaw, and what that rests on."""
    if prop == "gradients":
        part = f"the largest {100 // KEPT} %, {len(TRAINED)} calls"
        return tested(len(gradients(page))), f"a perceptron on the digits, {part}"
    if prop == BAD:
        return tested(len(REFUSED)), "vectors, later vectors and k"
    if prop in ("dtypes", "input untouched") or exact.trouble:
        told = f"{', '.join(DTYPES)}; n <= {LENGTHS[-1]}, 3 calls; long tails, n <= {LONG[0][0]}"
        return tested(len(examples(page))), told
    tried = ", ".join(f"n = {n} in {calls} call{'s' if calls > 1 else ''}" for n, calls in CALLED.items())
    words = f"every real input, ties included: {tried}"
    return proved_at(1), f"{words}, {exact.cells} cells; floats not covered"


def first_entries(page: Bound) -> Bound:
    """Return a page that selects as many entries as ``page``, but the first ones of the vector."""

    def wrong(**params: Any) -> Selector:
        right = page(**params)
        return replace(right, select=lambda x, state: [*range(len(right.select(x, state)))])

    return wrong


def one_less(page: Bound) -> Bound:
    """Return a page that promises one entry less."""

    def wrong(**params: Any) -> Selector:
        right = page(**params)
        return replace(right, most=lambda n: max(0, number(right.most(n)) - 1))

    return wrong


def short(maker: Maker) -> Maker:
    """Return code that leaves its last entry out."""

    def wrong(**params: Any) -> Callable[[Any], Any]:
        right = maker(**params)

        def select(x: Any) -> Sparse:
            y = right(x)
            return Sparse.made(y.indices[:-1].copy(), y.values[:-1].copy(), y.n)

        return select

    return wrong


def careless(maker: Maker) -> Maker:
    """Return code that overwrites the vector's first entry with zero."""

    def wrong(**params: Any) -> Callable[[Any], Any]:
        right = maker(**params)

        def select(x: Any) -> Any:
            y = right(x)
            x[:1] = 0
            return y

        return select

    return wrong


def lenient(maker: Maker) -> Maker:
    """Return code that takes every argument, bad ones, too."""

    def wrong(**params: Any) -> Callable[[Any], Any]:
        def select(x: Any) -> Any:
            with suppress(InputError):
                return right(x)

        with suppress(InputError):
            right = maker(**params)
        return select

    return wrong


SHORTENED = Fault("the last entry is left out", code=short)
PLANTED: Mapping[str, Fault] = {
    "order": Fault("the first entries are taken", page=first_entries),
    "bounds": Fault("one entry less is promised", page=one_less),
    "input untouched": Fault("the first entry is overwritten", code=careless),
    **dict.fromkeys(("selection", "dtypes", "gradients"), SHORTENED),
    BAD: Fault("bad vectors pass", code=lenient),
}
