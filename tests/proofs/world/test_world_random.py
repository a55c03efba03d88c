"""Random programs in the simulated world and on the MPI that is installed: the same results, bit for bit."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring import world

PROGRAM = f"{Path(__file__).with_name('random_programs.py')}:execute"
P = 3
WHOLE = ("Barrier", "Bcast", "Gather", "Scatter", "Allgather", "Alltoall")
UNEQUAL = ("Gatherv", "Scatterv", "Allgatherv", "Alltoallv")
REDUCING = ("Reduce", "Allreduce", "Scan", "Exscan", "Reduce_scatter_block", "Reduce_scatter")
OBJECTS = ("bcast", "gather", "scatter", "allgather", "alltoall", "reduce", "allreduce", "scan")
OPS = ("SUM", "PROD", "MAX", "MIN", "LAND", "LOR", "LXOR", "BAND", "BOR", "BXOR")
ranks, counts = st.integers(0, P - 1), st.integers(0, 3)
lengths = st.lists(counts, min_size=P, max_size=P)
message = st.fixed_dictionaries({
    "source": ranks, "dest": ranks, "tag": st.integers(0, 2), "count": counts,
    "how": st.sampled_from(["Isend", "Issend", "Send_init", "isend"]), "dtype": st.sampled_from("ifd"),
    "stride": st.integers(1, 3), "take": st.sampled_from(["Recv", "Irecv", "Recv_init", "Probe", "Mprobe"]),
})  # fmt: skip
collective = st.fixed_dictionaries({
    "call": st.sampled_from([*WHOLE, *UNEQUAL, *REDUCING, *OBJECTS]), "root": ranks, "count": counts, "counts": lengths,
    "form": st.sampled_from(["", "I", "_init"]), "op": st.sampled_from(OPS),
    "inside": st.booleans(),
})  # fmt: skip
step = st.one_of(
    st.fixed_dictionaries({"messages": st.lists(message, max_size=6)}),
    collective,
    st.fixed_dictionaries({"shift": st.integers(-2, 2), "replace": st.booleans(), "wrap": st.booleans()}),
    st.fixed_dictionaries({"colors": lengths, "keys": lengths, "collective": collective}),
)
plans = st.lists(step, max_size=5)


@pytest.mark.mpi
@settings(max_examples=60, deadline=None)
@given(plans, st.integers(0, 9), st.sampled_from(["synchronous", "unbounded"]))
def test_random_programs_do_the_same_on_real_ranks(group, plan, seed, buffers):
    """Whatever the schedule and the buffers, every rank receives what it does under mpiexec."""
    xs = [np.zeros(1)] * P
    outcome = world.run(PROGRAM, P, xs, [plan] * P, scheduler="seeded", seed=seed, buffers=buffers).raise_if_found()
    assert all(reason.startswith("Mprobe ") for reason in outcome.why_not)  # the others name all sources and only wait
    for simulated, real in zip(outcome.results, group.run(PROGRAM, xs, plan=plan), strict=True):
        assert simulated.tolist() == real.tolist()
