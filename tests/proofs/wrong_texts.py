"""Pages with a fault written into their text, and what proofs alone say of them."""

from __future__ import annotations

import ast
import inspect

import sparring
from sparring.proofs.core import kernel
from sparring.proofs.mutants.planting import built
from sparring.spec.core.model import Page, load


def wrong(name: str, old: str, new: str, **params: object) -> Page:
    """The page of that name whose source has ``new`` for ``old``, which it must have."""
    page = sparring.page(name, **params)
    source = inspect.getsource(page.module)
    assert old in source, f"{name} has no {old!r}"
    return load(built(page.module, ast.parse(source.replace(old, new))), **page.params)


def refusals(page: Page) -> dict[str, str]:
    """What is not proved of a page, each with the reason; nothing is run."""
    found = {one.name: one for one in kernel.prove(page, planted=False)}
    return {name: one.detail for name, one in found.items() if one.verdict not in kernel.PROOFS}
