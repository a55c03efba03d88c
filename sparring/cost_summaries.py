"""Keeps what papers say of algorithms' costs from one call to the next, and makes several at a time."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from sparring.checks.doctor.ranks import cores
from sparring.disk_cache import digest, installed, keep, recall
from sparring.errors import Undecided
from sparring.parallel import spread
from sparring.present.costs.summary import Sheet, checked_sheet
from sparring.spec.core import pages
from sparring.spec.core.model import Page
from sparring.verification.plans import Track

JUDGES = ("sparring", "sympy", "mpmath", "z3-solver", "cvc5")
"""The packages whose versions a sheet depends on."""
ROOMS = (".", "spec", "impl", "proofs")  # all of sparring: in a checkout the last three are links
"""The folders of all code that derives and checks a cost, and of all on which this code rests."""


def sheets(algos: Sequence[str], support: str = "union", **params: Any) -> list[Sheet]:
    """Return the sheet of each page, checked; sheets that are not kept are made now, on all processors."""
    found = [pages.find(algo, **params) for algo in algos]
    by_name = dict(zip(algos, found))
    told = {algo: reused(page, support) for algo, page in by_name.items()}
    missing = [algo for algo, one in told.items() if one is None]
    missing.sort(key=lambda algo: not by_name[algo].stateful)  # these take longest, and none shall be left at the end
    work: list[str | Page] = [by_name[algo] for algo in missing] if params else [*missing]
    made = spread(partial(make, support), work, lambda items, _: items, cores()) if missing else []
    told |= dict(zip(missing, made))
    return [one for algo in algos if (one := told[algo])]


def make(support: str, page: Page, _: Track) -> list[Sheet]:
    """Make the page's sheet and keep it; return it in a list."""
    from sparring.costs import pricing

    try:
        one = checked_sheet(pricing.cost(page, support))
    except Undecided as why:
        one = Sheet(page.name, undecided=str(why))
    if key := identity(page, support):
        keep(cache_name(page, support), key, one)
    return [one]


def reused(page: Page, support: str) -> Sheet | None:
    """Return the page's sheet if it is kept, else None."""
    key = identity(page, support)
    return recall(cache_name(page, support), key, Sheet) if key else None


def cache_name(page: Page, support: str) -> str:
    """Return the name under which a sheet is kept; each page, support and choice of parameters has its own."""
    asked = [page.module.__name__, str(source(page)), support, format_parameters(page.params)]
    return f"cost-{page.name}-{digest(chr(0).join(asked).encode())[:16]}"


def format_parameters(params: Mapping[str, Any]) -> str:
    """Return a page's parameters as text."""
    return json.dumps(params, sort_keys=True, default=repr)


def identity(page: Page, support: str) -> str:
    """Return a digest of all that the sheet is made from; empty where not all of it is known.

    The digest covers the page's source, all of ``ROOMS`` and the versions of ``JUDGES``.  A user's own page
    counts as known where it imports nothing but sparring and Python's own modules.
    """
    file = source(page)
    if file is None:
        return ""
    text = file.read_bytes()
    if not page.module.__name__.startswith("sparring.") and not alone(text):
        return ""
    asked = chr(0).join([installed(ROOMS, JUDGES), page.name, support, format_parameters(page.params)])
    return digest(asked.encode() + text)


def source(page: Page) -> Path | None:
    """Return the path of the page's source file; None where there is none."""
    file = getattr(page.module, "__file__", None)
    return Path(file).resolve() if file and file.endswith(".py") and Path(file).is_file() else None


def alone(text: bytes) -> bool:
    """Return whether a module imports nothing but sparring and Python's own modules."""
    nodes = list(ast.walk(ast.parse(text)))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    known = {"sparring", *sys.stdlib_module_names}
    return {name.partition(".")[0] for name in names} <= known
