"""Faults on syntax: each operator makes what it says; what is wrong is killed, what is not is not."""

import ast
import inspect
from collections import Counter
from types import ModuleType

import pytest

import sparring
from sparring.impl import ring as implementation
from sparring.proofs.mutants import judging
from sparring.proofs.mutants.syntax import OPERATORS, Mutant, mutants
from sparring.proofs.world import modules

RING = sparring.page("ring")
OURS = "sparring.impl.ring:allreduce"


def made(source, operator):
    return [m.told for m in mutants(source) if m.operator == operator]


@pytest.mark.parametrize(
    ("operator", "body", "told"),
    [
        ("constant", "return 3", ["3 becomes 4", "3 becomes 2"]),
        ("value", "return r", ["return r becomes return r + 1", "return r becomes return r - 1"]),
        ("comparison", "return r < p", ["r < p becomes r <= p"]),
        ("arithmetic", "return r % p", ["r % p becomes r"]),
        ("arithmetic", "return r - p", ["r - p becomes r + p"]),
        ("branch", "return where(r, p, q)", ["where(r, p, q) becomes p", "where(r, p, q) becomes q"]),
        ("branch", "return r if p else q", ["r if p else q becomes r", "r if p else q becomes q"]),
        ("logic", "return both(r, p)", ["both(r, p) becomes either(r, p)"]),
        ("logic", "return negate(r)", ["negate(r) becomes r"]),
        ("overwrite", "np.add(r, p, out=q)", ["np.add(r, p, out=q) becomes np.copyto(q, r)"]),
        ("overwrite", "r += p", ["r += p becomes r = p"]),
        ("dropped", "send(r)", ["send(r) becomes nothing"]),
        ("dropped", "self.rest = r", ["self.rest = r becomes nothing"]),
        ("swapped", "send(r); wait(r)", ["send(r) becomes wait(r)"]),
    ],
)  # fmt: skip
def test_operators(operator, body, told):
    """What each makes of a line."""
    assert made(f"def f(r: Int, p: Int) -> Int:\n    'A text with 3.'\n    {body}\n", operator) == told


def test_what_is_no_site():
    """Texts, annotations and errors are left alone, and so is what stands in no function."""
    source = "LIMIT = 3\ndef f(x: int = 0) -> None:\n    '3'\n    y: list[3]\n    raise ValueError(3 + 4)\n"

    assert not list(mutants(source))


def test_every_mutant_is_another_program():
    """Each differs from the source, and no two of one operator are alike."""
    source = inspect.getsource(implementation)
    texts = [(m.operator, ast.unparse(m.tree)) for m in mutants(source)]

    assert {operator for operator, _ in texts} <= set(OPERATORS)
    assert ast.unparse(ast.parse(source)) not in {text for _, text in texts}
    assert max(Counter(texts).values()) == 1


def test_no_fault_in_a_page_goes_unseen():
    """Of the dense ring's page every mutant is killed."""
    fates = list(judging.of_page(RING, OURS))

    assert len(fates) > 40 and [str(f.mutant) for f in fates if f.word != "killed"] == []


def mutant(source, function, operator="constant"):
    return Mutant(operator, function, 1, "", ast.parse(source))


def changed(module, **lines):
    """The module's source with some lines in other words."""
    source = inspect.getsource(module)
    for old, new in lines.values():
        assert source.count(old) == 1
        source = source.replace(old, new)
    return source


def test_the_same_function_in_other_words_is_equivalent():
    """Two solvers prove it; nothing is called equivalent because nobody found a fault."""
    twin = mutant(changed(RING.module, a=("return 2 * (p - 1)", "return 2 * p - 2")), "steps")
    fate = judging.fate(twin, lambda m: judging.page_faults(RING, OURS, m), RING.module, "wrap")

    assert (fate.word, fate.why) == ("equivalent", "the same function for all arguments")


def test_what_nothing_finds_has_survived():
    """A fault that no check looks for is neither killed nor equivalent."""
    fate = judging.fate(
        mutant(changed(RING.module, a=("return 2 * (p - 1)", "return 2 * p - 1")), "steps"),
        lambda m: iter(()), RING.module, "wrap",
    )  # fmt: skip

    assert fate.word == "survived"


def test_a_planted_fault_is_there_for_all_and_then_gone():
    """Simulated ranks load the changed code, proofs see the changed functions, and afterwards neither does."""
    source = changed(implementation, a=("return (r + 1) % p", "return (r + 2) % p"))
    before = dict(vars(implementation))
    with judging.planted(implementation, ast.parse(source)):
        inside = implementation.right(0, 5)
        found = [f.property for f in judging.runs(RING, OURS)]

    assert inside == 2 and found
    assert implementation.right(0, 5) == 1 and vars(implementation) == before and not modules.PLANTED
    assert next(judging.runs(RING, OURS), None) is None


def test_an_endless_schedule_is_not_run():
    """Steps beyond reason count as wrong without being gone through."""
    source = changed(RING.module, a=("return 2 * (p - 1)", "return 10**9 * (p - 1)"))
    fault = next(judging.page_faults(RING, OURS, mutant(source, "steps")))

    assert fault == "at p=2 there are 1000000000 steps"


def test_built_modules_are_apart():
    """What is imported stays as it is."""
    module = judging.built(RING.module, ast.parse("def steps(p): return 7"))

    assert isinstance(module, ModuleType) and module.steps(1) == 7 and RING.module.steps(3) == 4
