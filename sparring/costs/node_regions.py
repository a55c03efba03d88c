"""Finds which algorithm costs least in nodes: as nodes grow in number and in size, or vectors in length or density.

Seconds are counted message by message (``links.levels``) at each point of a grid, of compositions as well; ranks are
``nodes`` times ``node``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache

from sparring.costs.formulas import units
from sparring.costs.links.levels import RANKS, counted
from sparring.costs.links.places import InNodes
from sparring.costs.regions import NODES, Phases, Point, Sizes, modelled, placed, places
from sparring.errors import InputError
from sparring.spec.core.model import Page

COUNT, SIZE = NODES
RIGHT = (*NODES, "n", "rho")
RATES = ("alpha", "beta", "alpha_in", "beta_in")
Sized = Callable[[int], Page]
"""The page of an algorithm in nodes of so many ranks."""


def phases(
    pages: Sequence[Sized], over: tuple[str, str], at: Mapping[str, units.Given], support: str = "independent",
    start: Sequence[units.Given | None] = (None, None), end: Sequence[units.Given | None] = (None, None),
) -> Phases:  # fmt: skip
    """Return the grid over two letters of ``RIGHT``, one of them of ``NODES``; the others are ``at``.

    Compared are seconds in lock step: ``alpha`` and ``beta`` are those between nodes, ``alpha_in`` and ``beta_in``
    those within a node.

    Raises InputError for a letter that is missing or of no use, and for more ranks than are counted; Undecided where
    it is not known how a page's messages share links.
    """
    if len(over) != 2 or not {*over} <= {*RIGHT} or over[0] == over[1]:
        raise InputError(f"--phase {','.join(over)}: right are two of {', '.join(RIGHT)}")
    if "p" in at:
        raise InputError(f"p={at['p']}: the number of ranks is nodes * node; leave p out")
    fixed = {letter: value for letter, value in units.full(at).items() if letter not in over}
    units.need({*NODES, "n", *RATES} - {*over}, fixed, f"costs over {' and '.join(over)} need")
    along, up = (places(*sides) for sides in zip(over, start, end))
    most = {**fixed, over[0]: along[-1], over[1]: up[-1]}
    if (p := most[COUNT] * most[SIZE]) > RANKS:
        raise InputError(f"{most[COUNT]} nodes of {most[SIZE]} are {p} ranks: messages are counted for at most {RANKS}")
    union, made = modelled(support), [cache(page) for page in pages]
    points = [[placed({**fixed, over[0]: x, over[1]: y}) for x in along] for y in up]
    grid = tuple(tuple(tuple(seconds(page, point, union) for page in made) for point in row) for row in points)
    return Phases(tuple(page(1).name for page in made), over, "time", support, along, up, grid)


def seconds(sized: Sized, at: Point, sizes: Sizes) -> Fraction | None:
    """Return an algorithm's cost at a point; None where a rank has more entries than there are."""
    page, p = sized(int(at[SIZE])), int(at[COUNT] * at[SIZE])
    n, k, width = (int(at.get(letter, 0)) for letter in ("n", "k", "width"))
    if page.data not in ("vector", "dense"):
        units.need("k", at, f"costs of {page.name} need")
        if k > n:
            return None
    place = InNodes()
    union = sizes(p, n, k) if page.data == "sparse" else None
    return counted(page, place.links(place.filled(at)), p=p, n=n, k=k, width=width, union=union).time
