"""Derived costs against counted ones, for few and for many ranks, short and astronomically long vectors."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from sparring.costs.derivation.counted import Sends, Unlike, counts, schedule, unlike_a_run
from sparring.costs.derivation.step_ranges import Derivation
from sparring.costs.derivation.whole_vectors import SHARED
from sparring.costs.formulas.hypotheses import holds
from sparring.costs.formulas.symbols import exact
from sparring.spec.core.model import Page
from sparring.spec.core.schedule import number

RANKS = (*range(1, 34), 64)
"""Of more ranks there are ever more messages to count, and what is derived is proved of all."""
PATHS = 16  # V_path is counted too up to so many ranks
RUNS = 32  # and up to so many in the trace of a run, not from the page's formulas alone


def points(ranks: Iterable[int], seed: int = 0) -> Iterator[dict[str, int]]:
    """Yield for each number of ranks a short vector and an astronomically long one."""
    rng = random.Random(seed)
    for p in ranks:
        for n in (rng.randrange(3 * p), rng.randrange(10**18)):
            yield {"p": p, "n": n, "k": rng.randrange(n + 1)}


def compared(page: Page, derived: Derivation, ranks: Iterable[int] = RANKS) -> Unlike | None:
    """Return the first quantity that differs from what is counted, at two lengths for each number of ranks."""
    for p, found in groupby(points(ranks), key=lambda at: at["p"]):
        steps = schedule(page, p)
        for at in found:
            if unlike := next(compared_at(page, derived, even(page, derived, at), steps), None):
                return unlike
    return None


def even(page: Page, derived: Derivation, at: Mapping[str, int]) -> Mapping[str, int]:
    """Return the point, or one near it with equal chunks or parts of ``k``, where the forms are derived for these."""
    if SHARED in derived.given.split(", "):
        return {**at, "k": at["k"] - at["k"] % at["p"]}
    return {**at, "n": at["n"] + -at["n"] % number(page.chunks(at["p"]))} if derived.given else at


def compared_at(page: Page, derived: Derivation, at: Mapping[str, int], steps: Sequence[Sends]) -> Iterator[Unlike]:
    """Yield the quantities whose derived value is not the counted one."""
    found = counts(page, steps, at["p"], at["n"], at["k"], at["p"] <= PATHS)
    if at["n"] < 3 * at["p"] <= 3 * RUNS:
        yield from unlike_a_run(page, found, at)
    if not holds(derived.given, {**at, **derived.letters}):
        return  # what is counted there is in no closed form
    at = {**at, **derived.letters}
    for what, counted in (("sent", found.sent), ("received", found.received)):
        form = getattr(derived, what)
        for r, words in enumerate(counted if form is not None else ()):
            if (value := exact(form, {**at, "r": r})) != words:
                yield Unlike(f"words {what} by rank {r}", at, value, words)
    for what in ("steps", "messages", "most", "words", "path", "critical", "added", "added_critical"):
        form, counted = getattr(derived, what), getattr(found, what)
        form = derived.messages if form is None and what == "most" else form
        if form is not None and counted is not None and (value := exact(form, at)) != counted:
            yield Unlike(what, at, value, counted)
    if found.path is not None and not found.words <= found.path <= found.critical:
        yield Unlike("V_max <= V_path <= V_crit, where V_path is", at, found.words, found.path)
