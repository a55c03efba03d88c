"""Broadcasts, reductions and what is made of them: proved for every p, with the peers that Open MPI's trees have."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import sparring
from sparring.proofs.kernel.kernel import Theorem
from sparring.proofs.logic.queries import Memory
from sparring.proofs.logic.verdicts import PROVED as EVERY_P
from sparring.proofs.logic.verdicts import REFUTED
from sparring.proofs.proving import proving
from sparring.spec.core.schedule import step_sends
from tests.algorithms.collectives import COLLECTIVES
from tests.spec.collectives.judging import judged, refuted

KINDS = ("allreduce", "bcast", "gather", "reduce", "scatter")
ROOM = "sparring.spec.collectives"
FOLDER = Path(sparring.__file__).parent / "spec" / "collectives"


PEERS = {name: one.peers for name, one in COLLECTIVES.items() if one.peers}
OF_EACH_KIND = (
    "linear_bcast", "binary_bcast", "linear_reduce", "halving_reduce", "linear_gather", "binomial_gather",
    "linear_scatter",
)  # fmt: skip
PROVED = [pytest.param(name, marks=[pytest.mark.slow] * COLLECTIVES[name].slow) for name in PEERS]


def found(name):
    return sparring.page(f"{ROOM}.{name}")


def test_every_page_of_the_room_is_tested():
    """Those of these kinds by their peers and a fault, the others by their messages."""
    assert all(one.peers or one.messages for one in COLLECTIVES.values())
    assert {name for name in COLLECTIVES if found(name).kind in KINDS} == PEERS.keys()
    assert all(COLLECTIVES[name].wrong_texts for name in PEERS)


@pytest.mark.parametrize("name", PEERS)
def test_messages_are_open_mpis(name):
    """Between each two ranks there are as many as in its trees, worked out rank by rank."""
    page = found(name)
    for p in (*range(1, 18), 31, 32, 33):
        sends = Counter((r, d) for t in range(page.steps(p)) for r, d, _ in step_sends(page, t, p))
        assert sends == PEERS[name](p)


@pytest.mark.parametrize("name", PEERS)
def test_results_are_what_the_collective_promises(name):
    """A broadcast gives all ranks the root's vector, a reduction gives the root the sum."""
    for p in (1, 2, 3, 5, 8):
        xs = [[10**r * (i + 1) for i in range(p)] for r in range(p)]
        results = sparring.run(f"{ROOM}.{name}", xs).results
        sums, kind = [sum(column) for column in zip(*xs)], found(name).kind
        if kind in ("bcast", "allreduce"):
            assert all([*y] == (xs[0] if kind == "bcast" else sums) for y in results)
        elif kind == "scatter":
            assert [y[r] for r, y in enumerate(results)] == xs[0]
        else:
            assert [*results[0]] == (sums if kind == "reduce" else [x[r] for r, x in enumerate(xs)])


@pytest.mark.parametrize("name", OF_EACH_KIND)
def test_one_of_each_kind_has_theorems(name):
    """By both solvers, each claim with a refuted fault of its own."""
    attempts = [one for one in proving.prove(found(name)) if one.name != "timing"]  # which is decided pair by pair

    assert {"result", "economy", "deadlock"} <= {one.name for one in attempts}
    assert all(isinstance(one, Theorem) and one.mutant for one in attempts)
    assert {one.verdict for one in attempts} == {EVERY_P}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", PROVED)
def test_it_is_proved_for_every_number_of_ranks_and_refuted_with_a_planted_fault(name, tmp_path):
    """And but for a few they send nothing in vain."""
    text, ((right, wrong),) = (FOLDER / f"{name}.py").read_text(encoding="utf-8"), COLLECTIVES[name].wrong_texts
    assert text.count(right) == 1
    file, memory = tmp_path / f"{name}.py", Memory()
    file.write_text(text.replace(right, wrong), encoding="utf-8")

    vain = {"economy"} if COLLECTIVES[name].in_vain else set()
    verdicts = dict(judged(found(name), memory))
    assert {"result", "economy", "deadlock"} <= verdicts.keys()
    assert verdicts == {about: REFUTED if about in vain else EVERY_P for about in verdicts}
    assert refuted(sparring.page(str(file)), memory=memory)
