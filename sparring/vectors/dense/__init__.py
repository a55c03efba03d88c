"""Programs on whole vectors: what they send is bytes or numbers, and what they keep is their own.

A module here, of a page's name, says how the page is tested: with which parameters, ``OTHERS``, besides those of
its proofs; with which numbers, ``RECIPES``, besides the usual ones; in which further tests, ``MORE``, each a comment,
ranks, entries and parameters; how long its vectors are, ``length(p)``, by default ``p + 5``; and what flags of its own
there are, ``FLAGS``.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from sparring.spec.core.model import Page


def own(page: Page) -> ModuleType | None:
    """Return the module here of the page's name; None for pages that are not ours, or not here."""
    name = f"{__name__}.{page.name}"
    ours = page.dense and page.module.__name__ == f"sparring.spec.{page.name}"
    return import_module(name) if ours and find_spec(name) else None
