"""Faults on syntax: what is wrong is killed, what is not is not; what is planted is gone afterwards.

What each operator makes is compared with what is published: tests/house/test_mutants_published.py, test_sampled.py.
"""

import ast
import importlib
import inspect
from collections import Counter
from contextlib import nullcontext
from functools import partial

import numpy as np
import pytest

import sparring
from sparring.errors import InputError, Refuted, Undecided
from sparring.impl import ring as implementation
from sparring.mutation import judging, memory
from sparring.mutation.judging import Judges
from sparring.mutation.planting import planted
from sparring.mutation.small_models import Trials
from sparring.proofs import oktopk
from sparring.proofs.logic.queries import Memory
from sparring.proofs.mutants import planting
from sparring.proofs.mutants.syntax import OPERATORS, Mutant, mutants
from sparring.refinement import differential, looks, running, runtime_faults, stateful
from sparring.refinement.comparison import Flaw
from sparring.refinement.playing import iterated
from sparring.refinement.refusals import instances, ran, refusals
from sparring.spec.core.loading import load
from sparring.spec.core.numbers import negate
from sparring.verification.algorithm import find_target
from sparring.world import modules, simulation
from tests.proofs.wrong_texts import changed
from tests.sweeps import third

RING = sparring.page("ring")
OURS = "sparring.impl.ring:allreduce"


def test_every_mutant_is_another_program():
    """Each differs from the source, and no two of one operator are alike."""
    source = inspect.getsource(implementation)
    texts = [(m.operator, ast.unparse(m.tree)) for m in mutants(source)]

    assert {operator for operator, _ in texts} <= set(OPERATORS)
    assert ast.unparse(ast.parse(source)) not in {text for _, text in texts}
    assert max(Counter(texts).values()) == 1


def mutant(tree, function="steps", operator="constant"):
    return Mutant(operator, function, 1, "", tree)


def nothing():
    """No fault is found."""
    yield from ()


def too_hard():
    raise Undecided("too hard")
    yield


SAME = "the same formulas for all ranks, chunks and steps"
FATES = [
    ("2 * p - 2", {}, "equivalent", SAME),
    ("2 * p - 1", {"runs": nothing, "theorems": nothing}, "survived", ""),
    ("2 * p - 1", {"runs": too_hard, "theorems": too_hard}, "survived", ""),
    ("2 * p - 1", {"runs": nothing}, "killed", ""),
]


@pytest.mark.parametrize(("steps", "judges", "word", "why"), FATES)
def test_fates(steps, judges, word, why):
    """Equivalent is what two solvers prove so, and not what nobody finds or can decide; theorems come last."""
    one = mutant(changed(RING.module, "return 2 * (p - 1)", f"return {steps}"))
    fate = judging.fate(one, judging.of_formulas(RING, OURS, one, Trials(Memory()))._replace(**judges))
    assert fate.word == word and fate.why.startswith(why)


def test_a_planted_fault_is_there_for_all_and_then_gone():
    """Simulated ranks load the changed code, proofs see the changed functions, and afterwards neither does."""
    before = dict(vars(implementation))
    with planted(implementation, changed(implementation, "return (r + 1) % p", "return (r + 2) % p")):
        inside = implementation.right(0, 5)
        found = [*differential.beside(RING, OURS, 3)]

    assert inside == 2 and found
    assert implementation.right(0, 5) == 1 and vars(implementation) == before and not modules.PLANTED
    assert not [*differential.beside(RING, OURS, 3)]


def test_an_endless_schedule_is_not_run():
    """Steps beyond reason count as wrong without being gone through."""
    endless = mutant(changed(RING.module, "return 2 * (p - 1)", "return 10**9 * (p - 1)"))
    fault = next(judging.of_formulas(RING, OURS, endless, Trials(Memory())).runs())

    assert fault == "at p=2 there are 1000000000 steps"


def test_an_endless_loop_is_found_by_counting():
    """After the same number of turns on every machine; what ends by itself, or is imported, is left alone."""
    module = planting.built(RING.module, ast.parse("def steps(p):\n    while p:\n        p += 1\n    return p"))
    planting.Counter.restart()

    assert (module.steps(0), RING.module.steps(3)) == (0, 4)
    with pytest.raises(planting.Endless, match="300000"):
        module.steps(1)


def test_turns_of_an_earlier_fault_do_not_count(monkeypatch):
    """Else the next one would be found endless, and so would code without a fault."""
    monkeypatch.setattr(planting.Counter, "turns", planting.TURNS)
    with planted(implementation, judging.unharmed(inspect.getsource(implementation)).tree):
        outcome = simulation.run(OURS, 2, [np.ones(3)] * 2)

    assert outcome.findings == ()


def test_an_endless_loop_on_a_simulated_rank_ends():
    """Also between two MPI calls, where the world counts nothing."""
    old = "    for i in range(p - 1):\n        there"
    with planted(implementation, changed(implementation, old, f"    while p > 1:\n        pass\n{old}")):
        outcome = simulation.run(OURS, 2, [np.ones(3)] * 2)

    assert {finding.call for finding in outcome.findings} == {"Endless"}


CHECKS = {
    "lengths alike on all ranks": ("ring_topk", "alike(self._comm, x, refusal)", "pass"),
    "own arguments": ("ring_topk", "self._check_mine(x)\n        except", "pass\n        except"),
    "not exchanging them": ("ring_topk", "if self._validate:", "if True:"),
    "NaN": ("ring_topk", "if not self._allow_nan and", "if False and"),
    "residuals to be read": ("ring_topk", "view.flags.writeable = False", "pass"),
    "the least radix": ("recursive_multiplying", "or radix < 2", "or radix < 1"),
    "a program's least period": ("oktopk", '"tau": (tau, 1)', '"tau": (tau, 0)'),
    "a later dtype of whole vectors": ("lossy_two_shot", "self._replica is not None and", "False and"),
    "a dtype that the page does not take": ("moshpit", "if x.dtype not in FLOATS", "if False"),
    "a greatest number of bits, on one rank": (
        "flash",
        "    settle(own,",
        "    limited({'b1': (b1, BITS)})\n    settle(own,",
    ),
    "a seed that is no number": ("thc", '"seed": (seed, 0)', '"seed": (0, 0)'),
    "one radix on all ranks": ("recursive_multiplying", "x.size, radix]", "x.size, 2]"),
}


@pytest.mark.parametrize(("name", "right", "wrong"), third(CHECKS.values()), ids=CHECKS)
def test_what_is_not_checked_is_found(name, right, wrong):
    """Bad arguments that nobody refuses, an exchange that nobody asked for; without the fault nothing is."""
    page = sparring.page(name)
    target = str(find_target(page))
    assert not [*refusals(page, target, 2)]
    module = importlib.import_module(f"sparring.impl.{name}")
    with planted(module, changed(module, right, wrong)):
        found = [flaw.property for flaw in refusals(page, target, 2)]

    assert found and {*found} <= {"bad input", "residual"}


PROGRAM = sparring.page("oktopk")
KEPT = {
    "a region too few": (
        "params), bounds)\n    return y",
        "params), bounds[:-1])\n    return y",
        "regions begin at [0",
    ),
    "a call before the first": ("if due(call, params.tau):", "if due(call - 1, params.tau):", "is asked for"),
}


@pytest.mark.parametrize(("right", "wrong", "told"), KEPT.values(), ids=KEPT)
def test_what_a_program_keeps_and_asks_for_is_looked_at(right, wrong, told):
    """What no result shows."""
    planting.Counter.restart()
    new = planting.built(PROGRAM.module, changed(PROGRAM.module, right, wrong))
    with pytest.raises(InputError, match="is asked for") if told == "is asked for" else nullcontext():
        assert told in next(judging.wrong_state(load(new, trigger=0), 2))
    assert not any(judging.wrong_state(PROGRAM, 2))


def test_a_check_that_finds_faults_in_what_is_right_counts_nothing(monkeypatch):
    """It would kill every mutant."""

    def wrong():
        yield "all wrong"

    def broken():
        yield 1 // 0

    judging.sound(Judges(nothing, lambda: "", nothing))
    for faults, told in {wrong: "all wrong", broken: "ZeroDivisionError"}.items():
        with pytest.raises(Refuted, match=f"a fault is found where none is planted: {told}"):
            judging.sound(Judges(faults, lambda: "", nothing))
    monkeypatch.setattr(judging, "page_faults", lambda page, target: wrong())
    flaw = Flaw("sum", "all wrong")
    for counts in (judging.of_page(RING, OURS), judging.of_implementation(RING, OURS, lambda *_: [flaw])):
        with pytest.raises(Refuted, match="all wrong"):
            next(counts)


def test_guarded_functions_are_themselves_again():
    before = PROGRAM.module.due
    with planting.guarded(PROGRAM.module, {"due": lambda call, period: call >= 0}):  # what due takes
        assert PROGRAM.module.due(6, 3)
        with pytest.raises(InputError, match=r"due\(-1, 3\) is asked for"):
            PROGRAM.module.due(-1, 3)
    assert PROGRAM.module.due is before


def test_a_certificate_is_worth_what_it_rests_on(monkeypatch):
    """What the proof module says is equivalent is so only if the solvers prove why; and of that change alone."""
    ((line, change), (why, claims)), *_ = oktopk.certificates(PROGRAM).items()
    there = mutant(ast.parse(inspect.getsource(PROGRAM.module)), "balance")._replace(text=line, told=change)
    assert judging.stated(PROGRAM, there, Memory()) == why
    assert judging.stated(PROGRAM, there._replace(told="0 becomes 2"), Memory()) == ""
    assert judging.stated(RING, there, Memory()) == ""
    false = tuple(one._replace(claim=negate(one.claim)) for one in claims)
    monkeypatch.setattr(oktopk, "certificates", lambda _: {(line, change): (why, false)})
    assert judging.stated(PROGRAM, there, Memory()) == ""


def test_vectors_longer_than_a_block_are_looked_at(monkeypatch):
    """More than any implementation looks at together: one that drops what comes after is found on these alone."""
    target = str(find_target(PROGRAM))
    assert not any(any(trial.flaws(runtime_faults.unharmed)) for trial in looks.long(PROGRAM, target, (1, 2)))
    monkeypatch.setattr(running, "iterated", forgetful)
    assert any(any(trial.flaws(runtime_faults.unharmed)) for trial in looks.long(PROGRAM, target, (1, 2)))
    assert not any(running.on_calls(PROGRAM, target, stateful.edges([2])[0]))


def forgetful(kind, comm, xs, shown, **params):
    """Knows only of the first 65536 entries."""
    cut = xs.copy()
    cut[:, 1 << 16 :] = 0
    return iterated(kind, comm, cut, shown, **params)._replace(given=xs)


IN_PLACE, WHOLE = "in place, p=3, 102 entries", "p=3, 102 entries"
WASTED = [
    ("n // p + 1]", "n // p + 2]", IN_PLACE),
    (" if same_memory(x, y) else None", "", WHOLE),
    ("sums = x\n", "sums = x.copy()\n", WHOLE),
]
"""A spare block that is too long, or that nobody needs, and a vector that is copied."""


def test_wasted_memory_is_found():
    """A ring takes none beside the result; in place a block of a third, and an entry, on each of three ranks.

    What ranks tell each other of their arguments are six integers and two, on each.  Less memory is no fault.
    """
    usual = memory.held(RING, OURS)
    assert (usual[WHOLE], usual[IN_PLACE]) == (3 * (102 + 6 + 2) * 8, 3 * (35 + 6 + 2) * 8)
    for right, wrong, where in WASTED:
        with planted(implementation, changed(implementation, right, wrong)):
            now = memory.held(RING, OURS)
        assert any(told.startswith(f"{where}: ") for told in memory.wasted(usual, now))
        assert not [*memory.wasted(now, usual)]
    assert memory.held(RING, OURS) == usual


LISTS = {
    "lists get one more": ("s = mean + state.server", 's = mean + (0 if hasattr(x.zero, "dtype") else 1)', "lists"),
    "no bytes of empty pieces": (
        "v = x + state.worker\n    mean",
        "v = Vector([*(x + state.worker)])\n    mean",
        "bytes",
    ),
}


@pytest.mark.parametrize(("right", "wrong", "told"), LISTS.values(), ids=LISTS)
def test_lists_and_arrays_are_the_same_numbers(right, wrong, told):
    """Which runs beside the implementation alone do not show, since they are of arrays."""
    page = sparring.page("one_bit").module
    assert told in next(judging.of_lists(load(planting.built(page, changed(page, right, wrong)))))


@pytest.mark.parametrize("name", [name for name in sparring.pages() if sparring.page(name).dense])
def test_of_lists_our_pages_make_what_they_make_of_arrays(name):
    assert not any(judging.of_lists(sparring.page(name)))


SERVER = "return None if self._server is None else self._server.copy()"
BESIDE = {
    "the worker's error never cleared": ("one_bit", 2, "x[...] = 0", "pass", ""),
    "no error of the server's": ("one_bit", 2, SERVER, "return None", ""),
    "an error before there is one": ("one_bit", 2, SERVER, "return np.zeros_like(self._server)", ""),
    "a velocity that cannot be read before there is one": (
        "dgc",
        1,
        "None if self._velocity is None else self._velocity.copy()",
        "self._velocity.copy()",
        "before the first call",
    ),
    "a negative k that the first call alone refuses": ("dgc", 1, '"k": (k, 0)', '"k": (k, -1)', "before any call"),
    "a sum on one rank that is its vector": (
        "flash",
        1,
        "np.add(x, x.dtype.type(0), out=y)",
        "np.copyto(y, x)",
        "-0.",
    ),
    "other bytes, read as the same numbers": ("qsgd", 2, "(x < 0)", "(x <= 0)", "sends"),
}


@pytest.mark.parametrize(("name", "ranks", "right", "wrong", "told"), BESIDE.values(), ids=BESIDE)
def test_what_is_not_the_pages_is_found(name, ranks, right, wrong, told):
    """What instances tell of what they keep, also after a call that found no scale; zeros with a sign, and messages."""
    page, module = sparring.page(name), importlib.import_module(f"sparring.impl.{name}")
    assert not any(upset(page, ranks))
    with planted(module, changed(module, right, wrong)):
        assert any(told in fault for fault in upset(page, ranks))


def upset(page, ranks):
    """What is found beside the page, and of what instances do."""
    target = str(find_target(page))
    yield from differential.beside(page, target, ranks)
    for flaw in instances(partial(ran, runtime_faults.unharmed), page, target, ranks) if page.stateful else ():
        yield flaw.detail
