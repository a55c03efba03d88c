"""Makes the inputs of ``verify``: edge sizes of all dtypes, and the shipped gradients; and runs them on real ranks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import starmap

import numpy as np

from sparring import sparse_lists
from sparring.checks.places import as_observed
from sparring.checks.ranks.group import Group
from sparring.impl.core.selection import top
from sparring.inputs import digits
from sparring.refinement import comparison, stateful
from sparring.refinement.bits import judge_bits, visible
from sparring.refinement.comparison import sizes
from sparring.refinement.example import Example
from sparring.spec.core.loading import load
from sparring.spec.core.model import Page

KEPT = 100  # of so many entries of a gradient one is kept, where vectors are sparse or entries are selected
SOME = 4  # ranks, up to which a stateful target gets all of its vectors in a first look
WORKERS = 8  # the shipped gradients are of so many
TRAINED = ("step0", "step30", "step300")
"""The shipped gradients, in the order in which a stateful target gets them."""


MISLED = "another input for the last rank"


def misled(example: Example) -> Example:
    """Return the example with the last rank's vector doubled: a fault for real ranks, whose code is their own."""
    *others, last = example.xs
    return example._replace(xs=[*others, sparse_lists.having(last, sparse_lists.values(last) * 2)])


def on_real_ranks(page: Page, target: str, example: Example, group: Group, given: Example) -> str:
    """Run ``given`` on real ranks; return how results differ from the page's on the example, "" if they do not."""
    own = {name: value for name, value in example.params.items() if name in page.params}
    page = load(page.module, **{**page.params, **own})
    asked = {**page.params, "shown": visible(page)} if example.iterated else {}
    seen = as_observed(group.examine(target, given.xs, rows=example.iterated, **asked))
    return "; ".join(judge_bits(page, example, seen, strict=True).values())


def edges(page: Page, ranks: Sequence[int], *, every: bool = True) -> Sequence[Example]:
    """Return edge sizes of all dtypes for each number of ranks; unless ``every``, each of one dtype in turn.

    In turn, a length still meets all dtypes, each with another number of ranks, and so does a number of ranks, and
    stateful targets beyond a few ranks are called twice.
    """
    kinds, sparse = page.dtypes, page.sparse and not page.stateful
    asked = [
        (p, n, dtype)
        for p in ranks
        for i, n in enumerate(sizes(p, sparse))
        for j, dtype in enumerate(kinds)
        if every or (p + i + j) % len(kinds) == 0
    ]
    if page.stateful:
        cases = starmap(stateful.edge, asked)
        return [case if every or case.p <= SOME else twice(case) for case in cases]
    inputs = (sparse_lists.page_inputs(page, comparison.vectors(dtype, p, n)) for p, n, dtype in asked)
    return [Example(xs, "dtypes") for xs in inputs]


def twice(case: Example) -> Example:
    """Return the case with two of its calls: one with small integers, one with numbers that often go wrong."""
    return case._replace(xs=[x[1:3] for x in case.xs])


def gradients(page: Page, ranks: Sequence[int]) -> Sequence[Example]:
    """Return the shipped gradients for each number of ranks that has workers; for sparse pages the largest entries."""
    few = [p for p in ranks if p <= WORKERS]
    if page.stateful:
        trained = [[np.stack(steps) for steps in zip(*(digits(p, key) for key in TRAINED))] for p in few]
        return [Example(xs, "gradients", {"k": xs[0].shape[1] // KEPT}) for xs in trained]
    dense = [digits(p) for p in few]
    return [Example([top(x, x.size // KEPT) for x in xs] if page.sparse else xs, "gradients") for xs in dense]


def describe_part(page: Page) -> str:
    """Return which part of the gradients is used, in words."""
    calls = f", {len(TRAINED)} calls" if page.stateful else ""
    return f", the largest {100 // KEPT} %{calls}" if page.sparse or page.selecting else calls
