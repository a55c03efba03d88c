"""What programs do seldom: each of these was a fault in the world that none of its tests saw."""

from __future__ import annotations

import gc
import sys

import numpy as np
import pytest

from sparring import world
from sparring.errors import InputError
from sparring.world import Kind, module_cache, modules
from sparring.world.core.ranks import NoTarget
from sparring.world.simulation import seldom_collecting
from sparring.world.targets import module_of


def test_a_part_beyond_the_buffer_is_refused():
    """Displacements of a gather that would write behind the last entry."""

    def gathers(comm):
        comm.Gatherv(np.ones(2), [np.empty(3), ((2, 2), (0, 2))] if comm.rank == 0 else None)

    (found,) = world.run(gathers, 2).findings
    assert found.kind is Kind.RAISED and "entries 2..3 of a buffer that has 3" in found.text


@pytest.mark.parametrize(("count", "begin"), [(1, -1), (-1, 1)])
def test_a_part_before_the_buffer_is_refused(count, begin):
    """By one byte, too, and one of fewer bytes than none."""

    def gathers(comm, count, begin):
        from mpi4py import MPI

        place = [np.empty(3, np.uint8), (1, count), (0, begin), MPI.BYTE] if comm.rank == 0 else None
        comm.Gatherv(np.ones(1, np.uint8), place)

    (found,) = world.run(gathers, 2, (count, count), (begin, begin)).findings
    assert found.kind is Kind.RAISED and "negative count or displacement" in found.text


@pytest.mark.parametrize("dtype", ["complex128", "float16"])
def test_entries_for_which_python_has_no_bytes(dtype):
    """Numpy's own types are sent as others are."""

    def passes(comm):
        y = np.empty(2, dtype)
        comm.Sendrecv(np.array([comm.rank, 2], dtype), 1 - comm.rank, recvbuf=y)
        return y.tolist()

    assert world.run(passes, 2).results == [[1, 2], [0, 2]]


def test_memory_for_one_message_serves_one_after_the_other():
    """What was received needs no room any more."""

    def sends(comm):
        from mpi4py import MPI

        if comm.rank == 0:
            MPI.Attach_buffer(bytearray(8 + MPI.BSEND_OVERHEAD))
            for _ in range(3):
                comm.Bsend(np.ones(1), 1)
                comm.Recv(np.empty(0), 1)
            MPI.Detach_buffer()
        else:
            for _ in range(3):
                comm.Recv(np.empty(1), 0)
                comm.Send(np.empty(0), 0)

    assert world.run(sends, 2).findings == ()


def test_how_far_nothing_reaches():
    """A type without entries begins at 0 and ends there."""

    def asks(comm):
        from mpi4py import MPI

        kind = MPI.INT.Create_contiguous(0)
        found = kind.Get_true_extent()
        kind.Free()
        return found

    assert world.run(asks, 1).results == [(0, 0)]


def test_the_communicator_of_all_cannot_be_freed():
    """That of a part can."""

    def frees(comm, mine):
        (comm.Dup() if mine else comm).Free()

    assert world.run(frees, 2, (True, True)).findings == ()
    found = world.run(frees, 2, (False, False)).findings
    assert [one.kind for one in found] == [Kind.RAISED] * 2 and "COMM_WORLD cannot be freed" in found[0].text


def test_what_is_freed_is_not_lost_and_what_is_lost_has_its_call():
    """A group is a thing to free, as a communicator is."""

    def groups(comm, frees):
        one = comm.Get_group()
        if frees:
            one.Free()

    assert world.run(groups, 2, (True, True)).findings == ()
    (found,) = world.run(groups, 2, (False, False)).findings
    assert (found.kind, found.call) == (Kind.LEAK, "Get_group")


def test_who_is_in_no_group_has_no_rank_there():
    """Neither the one that asks nor the other."""

    def places(comm):
        from mpi4py import MPI

        every = comm.Get_group()
        first = every.Incl([0])
        found = first.Get_rank(), first.Translate_ranks([0], every), every.Translate_ranks([0, 1], first)
        first.Free()
        every.Free()
        return [found[0] == MPI.UNDEFINED, list(found[1]), [r == MPI.UNDEFINED for r in found[2]]]

    assert world.run(places, 2).results == [[False, [0], [False, True]], [True, [0], [False, True]]]


def test_of_two_receives_that_a_message_fits_the_first_has_it():
    """Though the other one names its tag."""

    def receives(comm):
        from mpi4py import MPI

        if comm.rank == 1:
            comm.Send(np.array([1.0]), 0, 5)
            comm.Send(np.array([2.0]), 0, 5)
            return None
        first, second = np.empty(1), np.empty(1)
        MPI.Request.Waitall([comm.Irecv(first, 1, MPI.ANY_TAG), comm.Irecv(second, 1, 5)])
        return [*first, *second]

    assert world.run(receives, 2).results[0] == [1, 2]


def test_ranks_give_way_in_the_midst_of_their_work():
    """With seeds also between calls that need not wait; in turn, only where they wait."""

    def sends(comm, order):
        requests = []
        for _ in range(3):
            order.append(comm.rank)
            requests.append(comm.Isend(np.ones(1), comm.rank))
        for request in requests:
            comm.Recv(np.empty(1), comm.rank)
            request.Wait()

    def orders(**how):
        found = set()
        for seed in range(6):
            order: list[int] = []
            assert world.run(sends, 2, (order, order), seed=seed, **how).findings == ()
            found.add(tuple(order))
        return found

    alone = {(0, 0, 0, 1, 1, 1), (1, 1, 1, 0, 0, 0)}
    assert orders(scheduler="seeded") - alone
    assert orders(scheduler="round-robin") <= alone


def test_the_host_is_as_it_was():
    """Its modules, how it finds them, and how often it collects."""
    before, usual = [*sys.meta_path], gc.get_threshold()
    world.run("sparring.impl.ring:allreduce", 2, [np.ones(3)] * 2)
    with seldom_collecting():
        assert gc.get_threshold() > usual
    assert sys.meta_path == before and gc.get_threshold() == usual
    assert not any(isinstance(one, modules.Finder) for one in sys.meta_path)


def test_arguments_are_one_for_each_rank():
    """Neither fewer nor more."""
    for values in ([1], [1, 2, 3]):
        with pytest.raises(InputError, match=f"argument 0 has {len(values)} values for 2 ranks"):
            world.run(lambda comm, x: x, 2, values)


def test_a_file_has_its_functions_or_is_not_there(tmp_path):
    """As this process reads it."""
    file = tmp_path / "mine.py"
    file.write_text("def allreduce(comm, x):\n    return x\n", encoding="utf-8")
    assert module_of(f"{file}:allreduce").allreduce(None, 3) == 3
    with pytest.raises(NoTarget, match=r"no file .*other\.py"):
        module_of(f"{tmp_path / 'other.py'}:allreduce")


def test_what_ranks_change_in_the_simulated_mpi4py_is_not_kept():
    """Their modules have seen it: none is told again to the next run."""

    def changes(target, comm, x):
        import mpi4py

        mpi4py.__dict__["planted"] = True
        return target(comm, x)

    xs = [np.ones(3)] * 2
    world.run("sparring.impl.ring:allreduce", 2, xs)
    assert module_cache.STORES[0].ranks
    world.run("sparring.impl.ring:allreduce", 2, xs, call=changes)
    assert not module_cache.STORES[0].ranks
    module_cache.forget()


def test_who_was_asked_least_is_answered_next():
    """Of two ranks that look again and again, the one whose message the other waits for is not left behind."""

    def looks(comm):
        if comm.rank:
            for _ in range(5):
                comm.Iprobe(0)
            comm.Send(np.ones(1), 0)
            return
        while not comm.Iprobe(1):
            pass
        comm.Recv(np.empty(1), 1)

    assert world.run(looks, 2).findings == ()


def test_nobody_finds_modules_for_ranks_once_they_have_ended():
    """Whoever imports afterwards gets the host's own."""
    before = [*sys.meta_path]
    world.run("sparring.impl.ring:allreduce", 2, [np.ones(2)] * 2)
    assert sys.meta_path == before


def test_each_rank_has_its_arguments():
    """Neither fewer nor more."""
    for many in (1, 3):
        with pytest.raises(InputError, match=f"argument 0 has {many} values for 2 ranks: one for each is needed"):
            world.run(lambda comm, x: x, 2, (1,) * many)


@pytest.mark.parametrize(
    ("node", "members"), [(0, [[0, 1, 2, 3, 4]]), (2, [[0, 1], [2, 3], [4]]), (7, [[0, 1, 2, 3, 4]])]
)
def test_ranks_on_several_machines(node, members):
    """Memory is shared by the ranks of one, and each has a name of its own."""

    def asks(comm):
        from mpi4py import MPI

        own = comm.Split_type(MPI.COMM_TYPE_SHARED)
        told = own.allgather((comm.rank, MPI.Get_processor_name()))
        own.Free()
        return told

    results = world.run(asks, 5, node=node).raise_if_found().results
    assert [[r for r, _ in told] for told in results] == [part for part in members for _ in part]
    names = {tuple({name for _, name in told}) for told in results}
    assert {len(one) for one in names} == {1} and len(names) == len(members)


def test_no_machine_of_fewer_ranks_than_one():
    """One sentence."""
    with pytest.raises(InputError, match="node=-1 ranks: at least 1, or 0 for all"):
        world.run(lambda comm: None, 2, node=-1)
