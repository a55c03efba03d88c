"""What an implementation must refuse: one that takes it all the same is found, and the right one is not."""

from __future__ import annotations

import importlib

import pytest

from sparring import page
from sparring.mutation.loading import SOURCES
from sparring.mutation.planting import planted
from sparring.proofs.mutants.syntax import mutants
from sparring.refinement.refusals import refusals
from sparring.verification.algorithm import find_target

NEVER = "if x.dtype not in DTYPES:"
TUPLE = "isinstance(x, tuple) and len(x) == 3"
TAKEN = {
    "entries of a byte": ("ring", "arguments", f"{NEVER} becomes if False:"),
    "a list": ("ring_sparse", "sparse_lists", f"{TUPLE} becomes {TUPLE.replace('and', 'or')}"),
}
"""What is taken: by which algorithm, and the fault in the module that should refuse it."""


def found(name):
    algorithm = page(name)
    return [flaw.detail for flaw in refusals(algorithm, str(find_target(algorithm)), 2)]


@pytest.mark.parametrize("what", TAKEN)
def test_what_is_taken_is_told(what):
    name, module, change = TAKEN[what]
    module = f"sparring.impl.core.{module}"
    source = SOURCES[module].read_text(encoding="utf-8")
    (fault,) = (one for one in mutants(source) if one.told == change)

    with planted(importlib.import_module(module), fault.tree):
        assert any(f"{what} is an error on" in flaw for flaw in found(name))
    assert found(name) == []
