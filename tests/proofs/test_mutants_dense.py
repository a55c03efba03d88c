"""Faults on syntax in compositions on whole vectors: zeros with a sign, lists, bytes, what instances keep."""

import ast
import importlib
from functools import partial

import pytest

import sparring
from sparring.proofs.implementation import beside, conduct
from sparring.proofs.implementation.refusals import instances, ran
from sparring.proofs.mutants import judging, planting
from sparring.spec.core.model import load
from sparring.verification import judged
from tests.proofs.changes import changed

PLAIN = {
    "lists get one more": ("one_bit", "s = mean + state.server", 's = mean + (0 if hasattr(x.zero, "dtype") else 1)',
                           "lists"),
    "no bytes of empty pieces": ("one_bit", "v = x + state.worker\n    mean",
                                 "v = Vector([*(x + state.worker)])\n    mean", "bytes"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "right", "wrong", "told"), PLAIN.values(), ids=PLAIN)
def test_lists_and_arrays_are_the_same_numbers(name, right, wrong, told):
    """Which runs beside the implementation alone do not show, since they are of arrays."""
    page = sparring.page(name)
    new = planting.built(page.module, ast.parse(changed(page.module, a=(right, wrong))))

    assert told in next(judging.of_lists(load(new)))


@pytest.mark.parametrize("name", [name for name in sparring.pages() if sparring.page(name).dense])
def test_of_lists_our_pages_make_what_they_make_of_arrays(name):
    assert not any(judging.of_lists(sparring.page(name)))


ONE_BIT = sparring.page("one_bit")
TOLD = {
    "the worker's error never cleared": ("x[...] = 0", "pass"),
    "no error of the server's": ("return None if self._server is None else self._server.copy()", "return None"),
    "an error before there is one": (
        "return None if self._server is None else self._server.copy()", "return np.zeros_like(self._server)",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("right", "wrong"), TOLD.values(), ids=TOLD)
def test_what_an_instance_tells_of_what_it_keeps_is_the_pages(right, wrong):
    """Also after a call that found no scale."""
    target = judged(ONE_BIT)
    assert target and not any(upset(ONE_BIT, target))
    module = importlib.import_module("sparring.impl.one_bit")
    with planting.planted(module, ast.parse(changed(module, a=(right, wrong)))):
        assert any(upset(ONE_BIT, target))


def upset(page, target):
    """What is found beside the page on two ranks, and of what instances do."""
    yield from beside.beside(page, target, 2)
    yield from instances(partial(ran, conduct.unharmed), page, target, 2)


def test_zeros_with_a_sign_are_among_the_examples():
    """A sum on one rank that is its vector as it is, is found."""
    target = "sparring.impl.flash:allreduce"
    module, page = importlib.import_module("sparring.impl.flash"), sparring.page("flash")
    assert not any(beside.beside(page, target, 1))
    wrong = changed(module, a=("np.add(x, x.dtype.type(0), out=y)", "np.copyto(y, x)"))
    with planting.planted(module, ast.parse(wrong)):
        assert any("-0.0" in fault for fault in beside.beside(page, target, 1))


def test_messages_with_other_bytes_are_found():
    """Of the same length, and read as the same numbers: a zero with a sign."""
    page, module = sparring.page("qsgd"), importlib.import_module("sparring.impl.qsgd")
    target = judged(page)
    assert target and not any(beside.beside(page, target, 2))
    with planting.planted(module, ast.parse(changed(module, a=("(x < 0)", "(x <= 0)")))):
        assert any("sends" in fault for fault in beside.beside(page, target, 2))
