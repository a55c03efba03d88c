"""What the world adds to MPI's calls: planted faults in each kind of call, objects between ranks, places of choice."""

import re
from pathlib import Path

import numpy as np
import pytest

from sparring import world
from sparring.proofs.logic.terms import Table, leaves, raw
from sparring.world import Kind

HERE = Path(__file__)


def changes_what_it_gives(comm, wrong):
    x, y = np.ones(2), np.zeros(2)
    request = comm.Iallreduce(x, y)
    if wrong:
        x[0] = 5
    request.Wait()


def reads_a_collective_too_early(comm, wrong):
    y = np.zeros(2)
    request = comm.Ibcast(y, 0) if comm.rank else comm.Ibcast(np.ones(2), 0)
    if wrong and comm.rank:
        y[0] = 1
    request.Wait()


def mixes_objects_and_memory(comm, wrong):
    if comm.rank == 0:
        comm.Send(np.zeros(2), 1) if wrong else comm.send([1, 2], 1)
    else:
        comm.recv(source=0)


def never_receives_what_it_matched(comm, wrong):
    if comm.rank == 0:
        message = comm.Mprobe(1)
        if not wrong:
            message.Recv(np.empty(1))
    else:
        comm.Send(np.empty(1), 0)


def detaches_before_it_is_heard(comm, wrong):
    from mpi4py import MPI

    if comm.rank == 0:
        comm.Attach_buffer(bytearray(8 + MPI.BSEND_OVERHEAD))
        comm.Bsend(np.zeros(1), 1)
        comm.Detach_buffer()
    elif not wrong:
        comm.Recv(np.empty(1), 0)


def aborts(comm, wrong):
    if comm.rank and wrong:
        comm.Abort(7)
    comm.Barrier()


def talks_to_itself_alone(comm, wrong):
    from mpi4py import MPI

    if wrong:
        MPI.COMM_SELF.recv()


PLANTED = [
    (changes_what_it_gives, Kind.TOUCHED, r"rank 1 changed what it gives to its Iallreduce .*\(PLACE\)", "Iallreduce"),
    (reads_a_collective_too_early, Kind.TOUCHED, r"rank 1 wrote to the buffer of its Ibcast .*\(PLACE\)", "Ibcast"),
    (mixes_objects_and_memory, Kind.DATATYPE, r"2 float64 that rank 0 sent .* as an object \(PLACE\)", "recv("),
    (never_receives_what_it_matched, Kind.DEADLOCK, r"rank 1 waits in Send to rank 0 \(PLACE\) -> rank 0, w", "Send("),
    (detaches_before_it_is_heard, Kind.DEADLOCK, r"waits in Detach_buffer for Bsend to rank 1 \(PLACE\)", "Bsend("),
    (aborts, Kind.ABORTED, r"rank 1 calls Abort\(7\), PLACE: all ranks end", "Abort("),
    (talks_to_itself_alone, Kind.DEADLOCK, r"rank 0 waits in recv from any rank, rank 0 among them \(PLACE\)", "recv("),
]


@pytest.mark.parametrize(("target", "kind", "text", "line"), PLANTED, ids=[case[0].__name__ for case in PLANTED])
def test_a_planted_fault_has_its_finding_and_its_twin_has_none(target, kind, text, line):
    """With the kind, the rank, the call and the line."""
    first = world.run(target, 2, [True, True]).findings[0]
    found = re.search(text.replace("PLACE", rf"{re.escape(HERE.name)}:(\d+)"), first.text)
    assert first.kind is kind and found, first
    assert line in HERE.read_text().splitlines()[int(found[1]) - 1]
    assert world.run(target, 2, [False, False]).findings == ()


@pytest.mark.parametrize("call", ["Probe", "recv", "irecv", "Recv_init"])
def test_a_wildcard_leaves_the_fragment_whichever_call_has_it(call):
    """With a named source it does not."""

    def program(comm, call, source):
        if comm.rank:
            comm.send(None, 0) if call in ("recv", "irecv") else comm.Send(np.zeros(1), 0)
            return
        y = np.empty(1)
        if call == "Recv_init":
            request = comm.Recv_init(y, source)
            request.Start()
            request.Wait()
            request.Free()
        elif call == "recv":
            comm.recv(source=source)
        elif call == "irecv":
            comm.irecv(source=source).wait()
        else:
            comm.Probe(source)
            comm.Recv(y, 1)

    anyone = world.run(program, 2, [call] * 2, [-2] * 2)
    assert anyone.findings == () and anyone.why_not[0].startswith(f"{call} from any source (")
    assert world.run(program, 2, [call] * 2, [1] * 2).deterministic


def test_what_is_wrong_with_a_reduction_is_raised_in_every_rank():
    """Not only in the one that came last."""

    def program(comm):
        from mpi4py import MPI

        x = np.ones(2)
        with pytest.raises(MPI.Exception, match=r"MPI\.BAND does not know float64"):
            comm.Allreduce(MPI.IN_PLACE, x, MPI.BAND)
        return x.tolist()

    assert world.run(program, 3).raise_if_found().results == [[1.0, 1.0]] * 3


def test_terms_travel_as_objects_and_stay_terms():
    """Sent, broadcast, and reduced: in an order that is not told from the third part on."""

    def program(comm, x):
        got = comm.sendrecv({"x": x}, (comm.rank - 1) % 3, source=(comm.rank + 1) % 3)
        return got["x"], comm.bcast(x, 1), comm.allreduce(x)

    table = Table()
    xs = [leaves(table, [f"x{r}"]) for r in range(3)]
    results = world.run(program, 3, xs, terms=table).raise_if_found().results
    assert raw(results[0][0]).tolist() == raw(xs[1]).tolist() and results[0][0].table is table
    assert raw(results[2][1]).tolist() == raw(xs[1]).tolist()
    assert all(table.show(result[2][0]).startswith("allreduce(") for result in results)


def test_what_travels_is_a_copy_from_the_time_of_sending():
    """Deep, with cycles and what is shared inside; what belongs to one rank does not travel."""

    def program(comm):
        if comm.rank == 0:
            inner = [1]
            data = {"twice": [inner, inner], "set": {1, 2}, "text": "x", "raw": bytearray(b"ab")}
            data["me"] = data
            request = comm.isend(data, 1)
            inner.append(2)
            request.wait()
            with pytest.raises(ValueError, match="belongs to one rank"):
                comm.send([comm], 1)
            return None
        got = comm.recv(source=0)
        got["twice"][0].append(9)
        return got["twice"], got["me"] is got, got["set"], got["text"], got["raw"]

    found = world.run(program, 2).raise_if_found().results[1]
    assert found == ([[1, 9], [1, 9]], True, {1, 2}, "x", bytearray(b"ab"))


def test_an_array_is_logged_by_its_entries_however_it_travels():
    """As the recorder on real MPI does; any other object has no bytes here."""

    def program(comm):
        if comm.rank == 0:
            comm.send(np.arange(3, dtype="f"), 1)
            comm.send("text", 1)
            return None
        return [comm.recv(source=0), comm.recv(source=0)][1]

    outcome = world.run(program, 2, record=True).raise_if_found()
    array, text = outcome.messages
    assert (array.count, array.nbytes, array.dtype, list(np.asarray(array.payload))) == (3, 12, np.float32, [0, 1, 2])
    assert (text.count, text.nbytes, text.dtype) == (1, 0, object) and outcome.results[1] == "text"


def test_arrays_of_other_libraries_are_sent_from_their_memory():
    """What offers its memory by the DLPack protocol, as torch's tensors do, and has no buffer."""

    class Tensor:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    def program(comm):
        x, y = Tensor(np.arange(3.0) + comm.rank), Tensor(np.zeros(3))
        comm.Sendrecv(x, 1 - comm.rank, 0, y, 1 - comm.rank, 0)
        return y.array.tolist()

    assert world.run(program, 2).raise_if_found().results == [[1.0, 2.0, 3.0], [0.0, 1.0, 2.0]]
