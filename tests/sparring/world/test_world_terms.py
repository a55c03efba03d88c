"""Terms through the simulated world: the real ring, and arithmetic behind the terms' back."""

import re
from pathlib import Path

import numpy as np
import pytest

from sparring import world
from sparring.errors import SparringError
from sparring.proofs.logic.terms import Table, leaves, raw
from sparring.world import Kind

HERE = Path(__file__)


def inputs(table, p, n):
    return [leaves(table, [f"x{r}[{i}]" for i in range(n)]) for r in range(p)]


def passes_on(comm, x, how):
    """Each rank adds its vector to its left neighbour's and passes the sum on."""
    inbox = np.empty_like(x)
    request = comm.Irecv(inbox, (comm.rank - 1) % comm.size)
    comm.Isend(x, (comm.rank + 1) % comm.size).Wait()
    y = inbox + x if how == "early" else x
    request.Wait()
    if how == "raw":
        y = inbox.view(np.ndarray) + x.view(np.ndarray)
    elif how == "asarray":
        y = np.asarray(inbox) * 2
    elif how == "unwritten":
        y = np.zeros(x.size, x.dtype)
        y[:1] = x[:1]
    elif how == "right":
        y = inbox + x
    comm.Sendrecv(y, (comm.rank + 1) % comm.size, 0, inbox, (comm.rank - 1) % comm.size, 0)
    return inbox


@pytest.mark.parametrize(
    ("how", "text", "line"),
    [
        ("raw", "rank 2 sends no term at entry 0, PLACE: arithmetic on a raw buffer, or memory", "Sendrecv"),
        ("asarray", "rank 2 sends no term at entry 0, PLACE: arithmetic on a raw buffer", "Sendrecv"),
        ("unwritten", "rank 2 sends no term at entry 1, PLACE: arithmetic on a raw buffer", "Sendrecv"),
        ("early", "rank 2 adds no term at entry 0, PLACE: a receive buffer read before its time,", 'if how == "early"'),
    ],
)
def test_what_is_no_term_is_found_where_it_shows(how, text, line):
    """With rank, entry and line; the twin that adds properly passes, and what it receives are still terms."""
    table = Table()
    finding = world.run(passes_on, 3, inputs(table, 3, 4), [how] * 3, terms=table).findings[0]
    place = re.search(re.escape(text).replace("PLACE", rf"{re.escape(HERE.name)}:(\d+)"), finding.text)
    assert finding.kind is Kind.NO_TERM and place, finding
    assert line in HERE.read_text().splitlines()[int(place[1]) - 1]
    right = world.run(passes_on, 3, inputs(table, 3, 4), ["right"] * 3, terms=table).raise_if_found()
    assert [table.show(y[0]) for y in right.results] == ["(x1[0]+x2[0])", "(x0[0]+x2[0])", "(x0[0]+x1[0])"]


def test_a_librarys_allreduce_gives_a_sum_of_unknown_order():
    """The same on all ranks, the inputs' order does not matter, and it has no determined bits."""

    def library(comm, x, op):
        from mpi4py import MPI

        y = np.empty_like(x)
        comm.Allreduce(x, y, getattr(MPI, op))
        return y

    table = Table()
    outcome = world.run(library, 3, inputs(table, 3, 2), ["SUM"] * 3, terms=table).raise_if_found()
    assert [table.show(term) for term in outcome.results[2]] == [f"allreduce(x0[{i}],x1[{i}],x2[{i}])" for i in (0, 1)]
    assert len({raw(y).tobytes() for y in outcome.results}) == 1
    with pytest.raises(SparringError, match="a library chose the order"):
        table.evaluate(outcome.results[0][0], {}, float)
    refused = world.run(library, 3, inputs(table, 3, 2), ["MAX"] * 3, terms=table).findings[0]
    assert refused.kind is Kind.RAISED and "TypeError: terms know elementwise + alone, not MPI.MAX" in refused.text
    broken = world.run(library, 2, [x + y for x, y in zip(inputs(table, 2, 1), inputs(table, 2, 1))], ["SUM"] * 2)
    assert broken.findings == ()


def test_a_collective_refuses_what_is_no_term():
    """Poison, or anything else that is no term, does not enter a library's sum unseen."""

    def library(comm, x):
        x.view(np.ndarray)[comm.rank] += 1
        comm.Allreduce(x, np.empty_like(x))

    table = Table()
    finding = world.run(library, 2, inputs(table, 2, 2), terms=table).findings[0]
    assert finding.kind is Kind.NO_TERM and "rank 0 gives no term at entry 0 to Allreduce" in finding.text


def test_the_worlds_table_is_that_of_the_arguments():
    """Terms are checked also when the table is not given: their arrays know it."""
    table = Table()
    finding = world.run(passes_on, 2, inputs(table, 2, 2), ["early"] * 2).findings[0]
    assert finding.kind is Kind.NO_TERM
