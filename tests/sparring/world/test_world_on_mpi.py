"""The simulated world beside the MPI that is installed: random programs and written ones, the same results."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring import world
from sparring.checks.ranks import launch
from sparring.world import Kind

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


PROGRAMS = [Path(__file__).with_name(name) for name in ("mpi_calls.py", "mpi_collectives.py")]
RUNNER = Path(__file__).with_name("on_real_ranks.py")


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """What three real processes return, by file of programs: one launch for all."""
    if launch.find() is None:
        pytest.skip("no mpiexec: install sparring[mpich]")
    out = tmp_path_factory.mktemp("mpi") / "results.json"
    done = launch.run([sys.executable, *map(str, (RUNNER, out, *PROGRAMS))], P, timeout=60)
    assert done.returncode == 0, done.stdout
    return json.loads(out.read_text())


@pytest.mark.mpi
@pytest.mark.parametrize("buffers", ["synchronous", "unbounded"])
@pytest.mark.parametrize("scheduler", ["round-robin", "seeded"])
@pytest.mark.parametrize("file", PROGRAMS, ids=lambda path: path.stem)
def test_simulated_ranks_return_what_real_ones_do(real, file, scheduler, buffers):
    """Every program has the same results on every rank, under both schedulers and buffers."""
    outcome = world.run(f"{file}:everything", P, scheduler=scheduler, seed=3, buffers=buffers)
    assert {finding.kind for finding in outcome.findings} <= {Kind.LEAK}  # they end, and then all is freed
    for rank, (simulated, wanted) in enumerate(zip(outcome.results, real[str(file)], strict=True)):
        assert simulated.keys() == wanted.keys()
        for name in wanted:
            assert simulated[name] == wanted[name], (rank, name)
