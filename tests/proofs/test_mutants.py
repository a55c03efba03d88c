"""Faults on syntax: each operator makes what it says; what is wrong is killed, what is not is not."""

import ast
import importlib
import inspect
from collections import Counter
from contextlib import nullcontext
from types import ModuleType

import numpy as np
import pytest

import sparring
from sparring.errors import InputError, Refuted, Undecided
from sparring.impl import ring as implementation
from sparring.proofs import oktopk
from sparring.proofs.core import iterations
from sparring.proofs.core.iterations import Done
from sparring.proofs.core.questions import Memory
from sparring.proofs.core.refinement import Flaw
from sparring.proofs.implementation import beside, conduct, looks, running
from sparring.proofs.implementation.refusals import refusals
from sparring.proofs.mutants import arrays, judging, planting
from sparring.proofs.mutants.judging import Judges
from sparring.proofs.mutants.syntax import OPERATORS, Mutant, mutants
from sparring.proofs.mutants.trying import Trials
from sparring.proofs.world import modules, world
from sparring.sparse import Sparse
from sparring.spec.core.model import load
from sparring.spec.core.numbers import negate
from sparring.verification import judged
from tests.proofs.changes import changed
from tests.sweeps import third

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
        ("tag", "comm.Irecv(r, p); comm.Isend(r, p)", ["comm.Irecv(r, p) becomes comm.Irecv(r, p, tag=1)"]),
    ],
)  # fmt: skip
def test_operators(operator, body, told):
    """What each makes of a line."""
    assert made(f"def f(r: Int, p: Int) -> Int:\n    'A text with 3.'\n    {body}\n", operator) == told


def test_each_of_several_values_is_off_by_one():
    """Of the first chunk and how many there are."""
    source = "def block(r: Int, p: Int) -> tuple[Int, Int]:\n    return r, p\n"
    others = ("(r + 1, p)", "(r - 1, p)", "(r, p + 1)", "(r, p - 1)")

    assert made(source, "value") == [f"return (r, p) becomes return {other}" for other in others]


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


def test_the_same_function_in_other_words_is_equivalent():
    """Two solvers prove it; nothing is called equivalent because nobody found a fault."""
    twin = mutant(changed(RING.module, a=("return 2 * (p - 1)", "return 2 * p - 2")), "steps")
    fate = judging.fate(twin, judging.of_formulas(RING, OURS, twin, Trials(Memory())))

    assert (fate.word, fate.why) == ("equivalent", "the same formulas for all ranks, chunks and steps")


def nothing():
    """No fault is found."""
    yield from ()


def test_what_nothing_finds_has_survived():
    """A fault that no check looks for is neither killed nor equivalent."""
    wrong = mutant(changed(RING.module, a=("return 2 * (p - 1)", "return 2 * p - 1")), "steps")
    judges = judging.of_formulas(RING, OURS, wrong, Trials(Memory()))._replace(runs=nothing, theorems=nothing)

    assert judging.fate(wrong, judges).word == "survived"


def test_what_a_solver_cannot_decide_kills_nobody():
    """It is no fault that was found."""

    def faults():
        raise Undecided("too hard")
        yield

    fate = judging.fate(mutant("def f(): pass", "f"), Judges(faults, lambda: "", faults))

    assert fate.word == "survived"


def test_a_theorem_kills_what_no_run_upsets():
    """Solvers are asked once there is no certificate."""
    wrong = mutant(changed(RING.module, a=("return 2 * (p - 1)", "return 2 * p - 1")), "steps")
    judges = judging.of_formulas(RING, OURS, wrong, Trials(Memory()))._replace(runs=nothing)

    assert judging.fate(wrong, judges).word == "killed"


def test_a_planted_fault_is_there_for_all_and_then_gone():
    """Simulated ranks load the changed code, proofs see the changed functions, and afterwards neither does."""
    source = changed(implementation, a=("return (r + 1) % p", "return (r + 2) % p"))
    before = dict(vars(implementation))
    with planting.planted(implementation, ast.parse(source)):
        inside = implementation.right(0, 5)
        found = [*beside.once(RING, OURS, 3, ["float32"])]

    assert inside == 2 and found
    assert implementation.right(0, 5) == 1 and vars(implementation) == before and not modules.PLANTED
    assert not [*beside.once(RING, OURS, 3, ["float32"])]


def test_an_endless_schedule_is_not_run():
    """Steps beyond reason count as wrong without being gone through."""
    source = changed(RING.module, a=("return 2 * (p - 1)", "return 10**9 * (p - 1)"))
    fault = next(judging.of_formulas(RING, OURS, mutant(source, "steps"), Trials(Memory())).runs())

    assert fault == "at p=2 there are 1000000000 steps"


def test_built_modules_are_apart():
    """What is imported stays as it is."""
    module = planting.built(RING.module, ast.parse("def steps(p): return 7"))

    assert isinstance(module, ModuleType) and module.steps(1) == 7 and RING.module.steps(3) == 4


def test_an_endless_loop_is_found_by_counting():
    """It ends after the same number of turns on every machine; a loop that ends by itself is left alone."""
    module = planting.built(RING.module, ast.parse("def f(n):\n    while n:\n        n += 1\n    return n"))
    planting.Counter.restart()

    assert module.f(0) == 0
    with pytest.raises(planting.Endless, match="300000"):
        module.f(1)


def test_turns_of_an_earlier_fault_do_not_count(monkeypatch):
    """Else the next one would be found endless, and so would code without a fault."""
    monkeypatch.setattr(planting.Counter, "turns", planting.TURNS)
    with planting.planted(implementation, judging.unharmed(inspect.getsource(implementation)).tree):
        outcome = world.run(OURS, 2, [np.ones(3)] * 2)

    assert outcome.findings == ()


def test_an_endless_loop_on_a_simulated_rank_ends():
    """Also between two MPI calls, where the world counts nothing."""
    old = "    for i in range(p - 1):\n        there"
    source = changed(implementation, a=(old, "    i = 0\n    while p > 1:\n        pass\n        there"))
    with planting.planted(
        implementation, ast.parse(source.replace("exchange(comm, y[there]", "p or exchange(comm, y"))
    ):
        outcome = world.run(OURS, 2, [np.ones(3)] * 2)

    assert {finding.call for finding in outcome.findings} == {"Endless"}


def stateful(comm, xs):
    """What calls of a stateful target leave: here the last one's vector itself."""
    return [Done(Sparse.of([0, 2], xs[-1][[0, 2]], 3), xs[-1])]


@pytest.mark.parametrize("function", [lambda comm, x: x.copy(), stateful], ids=["one call", "several calls"])
@pytest.mark.parametrize("prop", conduct.FAULTS)
def test_faults_of_conduct(prop, function):
    """Each is seen in one place alone: in the last rank's result, among messages, or in the input."""
    xs = [np.arange(1.0, 7.0).reshape(2, 3) + r for r in range(2)]
    outcome = world.run(function, 2, [x.copy() for x in xs], call=conduct.FAULTS[prop][1](world.plainly))
    kinds = {finding.kind.value for finding in outcome.findings}

    assert kinds == ({"unmatched message"} if prop == "hygiene" else set())
    if not kinds:
        first, last = (y[-1].result.values if isinstance(y, list) else y for y in outcome.results)
        right, wrong = (x[-1, [0, 2]] if function is stateful else x for x in xs)
        assert (first == right).all()
        assert (last == wrong).all() == (prop in ("input untouched", "steps", "bad input"))
        assert len(outcome.messages) == (prop == "steps")


def test_an_input_is_written_to():
    """On every rank, also where it is read-only."""
    given = [Sparse.of([1], [2.0], 3)]
    world.run(lambda comm, x: None, 1, given, call=conduct.written(world.plainly))

    assert given[0].values.tolist() == [np.nextafter(2.0, 3.0)]


@pytest.mark.parametrize("name", third(sparring.pages()))
def test_bad_arguments_are_refused(name):
    """Of our implementations nothing is found; a fault in their checks is."""
    page = sparring.page(name)
    target = judged(page)

    assert target and [flaw for p in (1, 2, 3) for flaw in refusals(page, target, p)] == []


CHECKS = {
    "lengths alike on all ranks": ("ring_topk", "alike(self._comm, x, refusal)", "pass"),
    "own arguments": ("ring_topk", "self._check_mine(x)\n        except", "pass\n        except"),
    "not exchanging them": ("ring_topk", "if self._validate:", "if True:"),
    "NaN": ("ring_topk", "if not self._allow_nan and", "if False and"),
    "residuals to be read": ("ring_topk", "view.flags.writeable = False", "pass"),
    "validating": ("ring_sparse", "if validate:", "if False:"),
    "the least radix": ("recursive_multiplying", "or radix < 2", "or radix < 1"),
    "the largest radix": ("recursive_multiplying", "if radix > np", "if radix >= np"),
    "a program's least period": ("oktopk", '"tau": (tau, 1)', '"tau": (tau, 0)'),
    "a program's least trigger": ("oktopk", '"trigger": (trigger, 0)', '"trigger": (trigger, -1)'),
    "a later dtype of whole vectors": ("lossy_two_shot", "self._replica is not None and", "False and"),
    "a dtype that the page does not take": ("moshpit", "if x.dtype not in FLOATS", "if False"),
    "a loss of more than all": ("lossy_two_shot", "int(number) > most", "False"),
    "whole numbers": ("flash", 'if x.dtype.kind != "f":', "if False:"),
    "an exchange of vectors' lengths": ("flash", "    if validate:\n        alike", "    if True:\n        alike"),
    "a greatest number of bits, on one rank": (
        "flash", "    settle(own,", "    limited({'b1': (b1, BITS)})\n    settle(own,"),
    "a seed that is no number": ("thc", '"seed": (seed, 0)', '"seed": (0, 0)'),
    "one radix on all ranks": ("recursive_multiplying", "x.size, radix]", "x.size, 2]"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "right", "wrong"), CHECKS.values(), ids=CHECKS)
def test_what_is_not_checked_is_found(name, right, wrong):
    """Bad arguments that nobody refuses, an exchange that nobody asked for."""
    page = sparring.page(name)
    target = judged(page)
    assert target
    module = importlib.import_module(f"sparring.impl.{name}")
    with planting.planted(module, ast.parse(changed(module, a=(right, wrong)))):
        found = [flaw.property for flaw in refusals(page, target, 2)]

    assert found and {*found} <= {"bad input", "residual"}


PROGRAM = sparring.page("oktopk")
KEPT = {
    "a region too few": ("params), bounds)\n    return y", "params), bounds[:-1])\n    return y",
                         "regions begin at [0"),
    "a call before the first": ("if due(call, params.tau):", "if due(call - 1, params.tau):", "is asked for"),
}  # fmt: skip


@pytest.mark.parametrize(("right", "wrong", "told"), KEPT.values(), ids=KEPT)
def test_what_a_program_keeps_and_asks_for_is_looked_at(right, wrong, told):
    """What no result shows."""
    planting.Counter.restart()
    new = planting.built(PROGRAM.module, ast.parse(changed(PROGRAM.module, a=(right, wrong))))
    with pytest.raises(InputError, match="is asked for") if told == "is asked for" else nullcontext():
        assert told in next(judging.kept(load(new, trigger=0), 2))
    assert not any(judging.kept(PROGRAM, 2))


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
    there = mutant(inspect.getsource(PROGRAM.module), "balance")._replace(text=line, told=change)
    assert judging.stated(PROGRAM, there, Memory()) == why
    assert judging.stated(PROGRAM, there._replace(told="0 becomes 2"), Memory()) == ""
    assert judging.stated(RING, there, Memory()) == ""
    false = tuple(one._replace(claim=negate(one.claim)) for one in claims)
    monkeypatch.setattr(oktopk, "certificates", lambda _: {(line, change): (why, false)})
    assert judging.stated(PROGRAM, there, Memory()) == ""


def test_vectors_longer_than_a_block_are_looked_at(monkeypatch):
    """More than any implementation looks at together: one that drops what comes after is found on these alone."""
    target = str(judged(PROGRAM))
    assert not any(any(trial.flaws(conduct.unharmed)) for trial in looks.long(PROGRAM, target, (1, 2)))
    monkeypatch.setattr(iterations, "iterate", forgetful)
    assert any(any(trial.flaws(conduct.unharmed)) for trial in looks.long(PROGRAM, target, (1, 2)))
    assert not any(running.on_calls(PROGRAM, target, iterations.edges([2])[0], "dtypes"))


def forgetful(kind, comm, xs, **params):
    """Knows only of the first 65536 entries."""
    cut = xs.copy()
    cut[:, 1 << 16 :] = 0
    instance = kind(comm, xs.shape[1], **params)
    return [iterations.checked(instance(x), instance.residual, x) for x in cut]


IN_PLACE = "in place, p=3, 102 entries"


def test_the_memory_of_a_ring():
    """Beside the result there is nothing; in place there is a block of a third, and an entry, on each of three ranks.

    What ranks tell each other of their arguments are six integers and two, on each.
    """
    usual = arrays.held(RING, OURS)

    assert usual["p=3, 102 entries"] == 3 * (102 + 6 + 2) * 8
    assert usual[IN_PLACE] == 3 * (35 + 6 + 2) * 8
    assert arrays.held(RING, OURS) == usual


@pytest.mark.parametrize(
    ("right", "wrong", "where"),
    [
        ("n // p + 1]", "n // p + 2]", IN_PLACE),
        (" if same_memory(x, y) else None", "", "p=3, 102 entries"),
        ("sums = x\n", "sums = x.copy()\n", "p=3, 102 entries"),
    ],
)
def test_wasted_memory_is_found(right, wrong, where):
    """A spare block that is too long, or that nobody needs, and a vector that is copied; less is no fault."""
    usual = arrays.held(RING, OURS)
    with planting.planted(implementation, ast.parse(changed(implementation, a=(right, wrong)))):
        now = arrays.held(RING, OURS)

    assert any(told.startswith(f"{where}: ") for told in arrays.wasted(usual, now))
    assert not [*arrays.wasted(now, usual)]
