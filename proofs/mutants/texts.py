"""Faults planted in a composition: in its text, from the syntax tree of the page; and in the pages of its exchanges."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from sparring.proofs.core.conjectures import Conjecture
from sparring.proofs.core.supplement import Subject, subject
from sparring.proofs.mutants.planting import built
from sparring.proofs.mutants.schedules import MUTATIONS
from sparring.proofs.mutants.syntax import IN_PAGES, Mutant, mutants
from sparring.spec.core.model import Page, load
from sparring.spec.core.numbers import Node, Truth

Fault = Callable[[Subject], Subject]


def mutations(whole: Subject) -> Mapping[str, Fault]:
    """By name: faults of exchanges, then those of the text, each as the line says that is changed."""
    exchanged: dict[str, Fault] = {
        f"exchanges: {name}": partial(in_exchanges, fault=fault) for name, fault in MUTATIONS.items()
    }
    planted: dict[str, Fault] = {
        f"{one}": partial(in_text, mutant=one) for one in mutants(inspect.getsource(whole.page.module), IN_PAGES)
    }
    chunks: dict[str, Fault] = {"remainder dropped": MUTATIONS["remainder dropped"]}
    return {**planted, **exchanged, **chunks}


def in_exchanges(whole: Subject, fault: Fault) -> Subject:
    """The same composition, carried out by pages with a fault."""

    def served(name: str) -> Page:
        return fault(subject(whole.served(name))).page

    return replace(whole, served=served)


def in_text(whole: Subject, mutant: Mutant) -> Subject:
    """The composition with a fault in its text."""
    changed = load(built(whole.page.module, mutant.tree), **whole.page.params)
    return replace(whole, page=changed)


def tighter(conjecture: Conjecture) -> Iterator[tuple[str, Conjecture]]:
    """The conjecture with one of its claims made sharper: one that stays true says less than it could."""
    for one in conjecture.obligations:
        if (sharp := sharper(one.claim)) is not None:
            yield f"sharper: {one.name}", conjecture._replace(obligations=(one._replace(claim=sharp),))


def sharper(claim: Any) -> Any:
    """The claim with ``<`` for a ``<=`` that is not negated, or with one more on a side of ``==``; else None."""
    if not isinstance(claim, Node):
        return None
    if claim.op == "<=":
        return Truth("<", *claim.args)
    if claim.op == "==":
        return Truth("==", claim.args[0] + 1, claim.args[1])
    if claim.op in ("and", "or"):
        first = sharper(claim.args[-1])
        return None if first is None else Truth(claim.op, *claim.args[:-1], first)
    return None
