"""Pages whose costs are known."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import sparring

TEMPLATE = Path(sparring.__file__).parent / "templates" / "page.py"


@cache
def page(name, **params):
    """A page of ours; two laps of which the second sends one chunk again and again; a ring that passes nothing on."""
    if name == "backwards":
        return replace(page("ring"), chunk=lambda r, t, p: (r + t) % p)
    return sparring.page(str(TEMPLATE)) if name == "pairwise" else sparring.page(name, **params)


ring, selected = page("ring"), page("ring_topk")
