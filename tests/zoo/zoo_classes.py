"""Small wrong programs in mpi4py, each with its right twin: operation by operation, at several places of a program.

The classes are those of the MPI Bugs Initiative that Python programs can have; each names the kind
of finding that it must give.  In a wrong program the lines that may be blamed end with ``# bug``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from textwrap import indent

from zoo_parts import (
    COLLECTIVES,
    COPIED,
    OBJECT_RECEIVES,
    OBJECT_SENDS,
    RECEIVES,
    SENDS,
    Specimen,
    began,
    marked,
    pairs,
    ranks,
    specimen,
)

from sparring.world import Kind


def call_matching() -> Iterator[Specimen]:
    """Ranks call different collectives, or one calls none; messages lack their other side."""
    for (a, one), (b, other) in combinations(COLLECTIVES.items(), 2):
        yield specimen(f"{a} meets {b}", ranks(marked(one), marked(other)), one, Kind.COLLECTIVE)
    for a, one in COLLECTIVES.items():
        yield specimen(f"{a} by one rank", ranks("", marked(one)), one, Kind.DEADLOCK)
    for send, sending, receive, receiving in pairs():
        good = ranks(sending, receiving)
        yield specimen(f"{receive} without {send}", ranks("", began(receive, receiving)), good, Kind.DEADLOCK)
        alone = ranks(began(send, sending), "")
        yield specimen(f"{send} without {receive}", alone, good, Kind.DEADLOCK, buffers=("synchronous",))
        kind = Kind.UNMATCHED if send in COPIED else Kind.DEADLOCK
        yield specimen(f"{send} without {receive}, copied", alone, good, kind, buffers=("unbounded",))
        both = f"{began(receive, receiving)}\n{sending}"
        turns = ranks(f"{receiving}\n{sending}", f"{sending}\n{receiving}")
        yield specimen(f"{receive} before {send} on both ranks", both, turns, Kind.DEADLOCK)
        order = ranks(f"{marked('comm.Barrier()')}\n{sending}", f"{began(receive, receiving)}\ncomm.Barrier()")
        yield specimen(f"{receive} awaits {send} behind a barrier", order, good, Kind.DEADLOCK)


BEGUN = {
    "Isend": ("comm.Isend(x, 1)", "comm.Recv(y, 0)"),
    "Issend": ("comm.Issend(x, 1)", "comm.Recv(y, 0)"),
    "Irecv": ("comm.Irecv(y, 1)", "comm.Send(x, 0)"),
    "isend": ("comm.isend(x, 1)", "comm.recv(source=0)"),
    "irecv": ("comm.irecv(source=1)", "comm.send(x, 0)"),
    "Ibarrier": ("comm.Ibarrier()", "comm.Ibarrier().Wait()"),
    "Ibcast": ("comm.Ibcast(x, 0)", "comm.Ibcast(x, 0).Wait()"),
    "Iallreduce": ("comm.Iallreduce(x, y)", "comm.Iallreduce(x, y).Wait()"),
    "Iallgather": ("comm.Iallgather(x, z)", "comm.Iallgather(x, z).Wait()"),
    "Igather": ("comm.Igather(x, z, 0)", "comm.Igather(x, z, 0).Wait()"),
    "Iscatter": ("comm.Iscatter(z, x, 0)", "comm.Iscatter(z, x, 0).Wait()"),
    "Ialltoall": ("comm.Ialltoall(x, y)", "comm.Ialltoall(x, y).Wait()"),
    "Ireduce": ("comm.Ireduce(x, y, MPI.SUM, 0)", "comm.Ireduce(x, y, MPI.SUM, 0).Wait()"),
    "Iscan": ("comm.Iscan(x, y)", "comm.Iscan(x, y).Wait()"),
}
"""An operation that rank 0 begins, and what rank 1 does meanwhile."""


def missing_wait() -> Iterator[Specimen]:
    """A request that is never completed."""
    for call, (begin, other) in BEGUN.items():
        good = ranks(f"request = {begin}\nrequest.Wait()", other)
        yield specimen(call, ranks(f"request = {begin}  # bug", other), good, Kind.INCOMPLETE, real="ends")
        lost = ranks(f"for turn in range(3):\n    request = {begin}  # bug\nrequest.Wait()", "\n".join([other] * 3))
        kept = ranks(f"for turn in range(3):\n    request = {begin}\n    request.Wait()", "\n".join([other] * 3))
        yield specimen(f"{call}, all but the last", lost, kept, Kind.INCOMPLETE, real="ends")
    for call, start in (("Send_init", "comm.Send_init(x, 1)"), ("Recv_init", "comm.Recv_init(y, 1)")):
        other = "comm.Recv(y, 0)" if call == "Send_init" else "comm.Send(x, 0)"
        body = f"request = {start}\nrequest.Start()  # bug\n"
        good = ranks(f"{body}request.Wait()\nrequest.Free()".replace("  # bug", ""), other)
        yield specimen(call, ranks(f"{body}KEPT.append(request)", other), good, Kind.INCOMPLETE)


TOUCHES = {
    "Isend": "x += 1",
    "Issend": "x += 1",
    "Irecv": "y[1] = 7",
    "Ibcast": "x[0] = 9",
    "Iallreduce": "x -= 1",
    "Iallgather": "z[-1] = 5",
    "Ialltoall": "y[2] = 3",
    "Iscan": "x *= 2",
    "Ireduce": "y[:] = 0",
}


def local_concurrency() -> Iterator[Specimen]:
    """A buffer is used while it belongs to MPI."""
    for call, touch in TOUCHES.items():
        begin, other = BEGUN[call]
        bad = ranks(f"request = {begin}  # bug\n{touch}\nrequest.Wait()", other)
        good = ranks(f"request = {begin}\nrequest.Wait()\n{touch}", other)
        yield specimen(call, bad, good, Kind.TOUCHED, real="ends")
    for call, start, touch, other in (
        ("Send_init", "comm.Send_init(x, 1)", "x += 1", "comm.Recv(y, 0)"),
        ("Recv_init", "comm.Recv_init(y, 1)", "y[0] = 1", "comm.Send(x, 0)"),
    ):
        body = "request = {}\nrequest.Start(){}\n{}request.Wait()\n{}request.Free()"
        bad, good = body.format(start, "  # bug", f"{touch}\n", ""), body.format(start, "", "", f"{touch}\n")
        yield specimen(call, ranks(bad, other), ranks(good, other), Kind.TOUCHED, real="ends")


TWO_BUFFERS = {
    "Allreduce": ("comm.Allreduce({}, x)", "x", "MPI.IN_PLACE"),
    "Reduce": ("comm.Reduce({}, x)", "x", "MPI.IN_PLACE if me == 0 else x"),
    "Scan": ("comm.Scan({}, x)", "x[:]", "MPI.IN_PLACE"),
    "Exscan": ("comm.Exscan({}, x)", "x", "y"),
    "Allgather": ("comm.Allgather({}, z)", "z[4 * me : 4 * me + 4]", "MPI.IN_PLACE"),
    "Allgatherv": ("comm.Allgatherv({}, z)", "z[:4]", "x"),
    "Gather": ("comm.Gather({}, z)", "z[:4]", "y"),
    "Scatter": ("comm.Scatter(z, {})", "z[-4:]", "y"),
    "Alltoall": ("comm.Alltoall({}, y)", "y", "x"),
    "Reduce_scatter_block": ("comm.Reduce_scatter_block({}, x[:2])", "x", "y"),
    "Iallreduce": ("comm.Iallreduce({}, x).Wait()", "x", "MPI.IN_PLACE"),
}
"""What is begun with memory that it also takes, and what should stand there."""


def shared_memory() -> Iterator[Specimen]:
    """A collective gives memory that it takes, or takes some twice."""
    for name, (call, wrong, right) in TWO_BUFFERS.items():
        bad, good = (call.format(which) for which in (wrong, right))
        yield specimen(f"{name} from where it goes to", f"{bad}  # bug", good, Kind.SHARED)
    call = "comm.Allgatherv(x, [z, [4, 4], [0, {}], MPI.DOUBLE])"
    yield specimen("Allgatherv to one place", f"{call.format(3)}  # bug", call.format(4), Kind.SHARED)


def ready_sends() -> Iterator[Specimen]:
    """A ready send whose receive does not wait yet."""
    for send in ("comm.Rsend(x, 1)", "comm.Irsend(x, 1).Wait()"):
        bad = ranks(f"{send}  # bug", "comm.Barrier()\ncomm.Recv(y, 0)").replace(
            "  # bug", "  # bug\n    comm.Barrier()"
        )
        good = ranks(f"comm.Barrier()\n{send}", "request = comm.Irecv(y, 0)\ncomm.Barrier()\nrequest.Wait()")
        yield specimen(send[5:].partition("(")[0], bad, good, Kind.UNREADY)
    made = "request = comm.Rsend_init(x, 1)\n{}request.Start(){}\nrequest.Wait()\n{}request.Free()"
    bad = ranks(made.format("", "  # bug", "comm.Barrier()\n"), "comm.Barrier()\ncomm.Recv(y, 0)")
    good = ranks(made.format("comm.Barrier()\n", "", ""), "request = comm.Irecv(y, 0)\ncomm.Barrier()\nrequest.Wait()")
    yield specimen("Rsend_init", bad, good, Kind.UNREADY)


def buffering_hazard() -> Iterator[Specimen]:
    """All ranks send before they receive, which ends only where MPI copies what is sent."""
    for send, sending, receive, receives in pairs():
        receiving = receives.replace("you", "(me - 1) % p")
        for p in (2, 3) if send in COPIED else ():
            bad = f"{began(send, sending)}\n{receiving}"
            odd = indent(f"{receiving}\n{sending}", "    ")
            good = f"if me == 0:\n{odd}\nelse:\n{indent(f'{sending}{chr(10)}{receiving}', '    ')}"
            more = {"ranks": p, "buffers": ("synchronous",), "real": "ends"}
            yield specimen(f"{send}, then {receive}, on {p} ranks", bad, good, Kind.DEADLOCK, **more)


def buffer_needed() -> Iterator[Specimen]:
    """Where MPI must not copy, all ranks that send first wait for ever."""
    for send, sending, receive, receiving in pairs():
        if send not in COPIED:
            good = ranks(f"{receiving}\n{sending}", f"{sending}\n{receiving}")
            yield specimen(f"{send}, then {receive}", f"{began(send, sending)}\n{receiving}", good, Kind.DEADLOCK)


WILD = {
    "Recv": "comm.Recv(y, {})",
    "Irecv": "comm.Irecv(y, {}).Wait()",
    "Mprobe": "comm.Mprobe({}).Recv(y)",
    "recv": "y[:] = comm.recv(source={})",
    "Probe": "status = MPI.Status()\ncomm.Probe({}, status=status)\ncomm.Recv(y, status.Get_source())",
}


def message_race() -> Iterator[Specimen]:
    """The result is that of the rank whose message comes first."""
    for call, receive in WILD.items():
        send = "comm.send(x, 0)" if call == "recv" else "comm.Send(x, 0)"
        for sender, other in (1, 2), (2, 1):
            rest = receive.format(other if call != "Irecv" else "MPI.ANY_SOURCE")
            first = marked(receive.format("MPI.ANY_SOURCE"), "ANY_SOURCE")
            again = receive.format("MPI.ANY_SOURCE")
            bad = ranks(f"{first}\nfirst = y.tolist()\n{again}\nreturn first", send, send)
            good = ranks(f"{receive.format(sender)}\nfirst = y.tolist()\n{rest}\nreturn first", send, send)
            yield specimen(f"{call}, rank {sender} first", bad, good, Kind.RACE, ranks=3, real="ends")


def tags() -> Iterator[Specimen]:
    """Sender and receiver name different tags, or a tag that is none."""
    for send, give, receive, take in (
        ("Send", "comm.Send(x, 1, tag=%d)", "Recv", "comm.Recv(y, source=0, tag=%d)"),
        ("Ssend", "comm.Ssend(x, 1, tag=%d)", "Irecv", "comm.Irecv(y, source=0, tag=%d).Wait()"),
        ("Isend", "comm.Isend(x, 1, tag=%d).Wait()", "Recv", "comm.Recv(y, source=0, tag=%d)"),
        ("send", "comm.send(x, 1, tag=%d)", "recv", "comm.recv(source=0, tag=%d)"),
        ("issend", "comm.issend(x, 1, tag=%d).wait()", "irecv", "comm.irecv(source=0, tag=%d).wait()"),
    ):
        bad = ranks(f"{give % 5}  # bug", f"{take % 6}  # bug")
        yield specimen(f"{send} 5, {receive} 6", bad, ranks(give % 5, take % 5), Kind.DEADLOCK)
        for tag in (-7, 2**31 - 1):
            wrong = ranks(f"{give % tag}  # bug", "")
            yield specimen(f"{send} with tag {tag}", wrong, ranks(give % 5, take % 5), Kind.RAISED, real="raises")


def datatypes() -> Iterator[Specimen]:
    """What is sent and received are different things, or there is not room enough."""
    kinds = [("f4", 4), ("i8", 4), ("i4", 8), ("c16", 4), ("u1", 32)]
    for send, sending in SENDS.items():
        for dtype, n in kinds:
            take = f"comm.Recv(np.empty({n}, '{dtype}'), 0)"
            bad, good = ranks(sending, f"{take}  # bug"), ranks(sending, "comm.Recv(y, 0)")
            kind = Kind.DATATYPE
            yield specimen(f"{send} of f8, Recv of {dtype}", bad, good, kind)
        short = ranks(sending, "comm.Recv(y[:3], 0)  # bug")
        yield specimen(f"{send} of 4, Recv of 3", short, ranks(sending, "comm.Recv(y, 0)"), Kind.TRUNCATED)
    column = "kind = MPI.DOUBLE.Create_vector(2, 1, 2)\n"
    bad = ranks(f"{column}comm.Send([x, 1, kind], 1)  # bug\nkind.Free()", "")
    good = ranks(f"{column}kind.Commit()\ncomm.Send([x, 1, kind], 1)\nkind.Free()", "comm.Recv(y[:2], 0)")
    yield specimen("a type not committed", bad, good, Kind.RAISED, real="raises")
    bad = ranks(f"{column}kind.Commit()\nkind.Free()\ncomm.Send([x, 1, kind], 1)  # bug", "")
    yield specimen("a type that was freed", bad, good, Kind.RAISED, real="raises")
    for call in (
        "Bcast(%s, 0)",
        "Allreduce(%s, %s.copy())",
        "Scan(%s, %s.copy())",
        "Allgather(%s, np.empty(8, %s.dtype))",
    ):
        good, name = f"comm.{call.replace('%s', 'x')}", call.partition("(")[0]
        bad = f"v = x if me else x.astype('f4')\ncomm.{call.replace('%s', 'v')}  # bug"
        yield specimen(f"{name} of f4 and f8", bad, good, Kind.COLLECTIVE)


def roots() -> Iterator[Specimen]:
    """Ranks name different roots, or one that is no rank."""
    calls = {
        "Bcast": "comm.Bcast(x, {})",
        "Reduce": "comm.Reduce(x, y, MPI.SUM, {})",
        "Gather": "comm.Gather(x, z, {})",
        "Scatter": "comm.Scatter(z, x, {})",
        "Ibcast": "comm.Ibcast(x, {}).Wait()",
        "Ireduce": "comm.Ireduce(x, y, MPI.SUM, {}).Wait()",
        "Igather": "comm.Igather(x, z, {}).Wait()",
        "Iscatter": "comm.Iscatter(z, x, {}).Wait()",
        "bcast": "comm.bcast(me, {})",
        "reduce": "comm.reduce(me, MPI.SUM, {})",
        "gather": "comm.gather(me, {})",
        "scatter": "comm.scatter([1, 2], {})",
    }
    for name, call in calls.items():
        good = call.format("0")
        yield specimen(f"{name} with two roots", f"{call.format('me')}  # bug", good, Kind.COLLECTIVE)
        for root in (2, -9):
            wrong = f"{call.format(root)}  # bug"
            yield specimen(f"{name} with root {root}", wrong, good, Kind.RAISED, real="raises")


def operators() -> Iterator[Specimen]:
    """Ranks name different operations, or one that does not know the type."""
    calls = {
        "Reduce": "comm.Reduce(x, y, {}, 0)",
        "Allreduce": "comm.Allreduce(x, y, {})",
        "Scan": "comm.Scan(x, y, {})",
        "Exscan": "comm.Exscan(x, y, {})",
        "Reduce_scatter_block": "comm.Reduce_scatter_block(x, y[:2], {})",
        "Iallreduce": "comm.Iallreduce(x, y, {}).Wait()",
        "Ireduce": "comm.Ireduce(x, y, {}, 0).Wait()",
    }
    for name, call in calls.items():
        good = call.format("MPI.SUM")
        two = f"{call.format('MPI.MAX if me else MPI.SUM')}  # bug"
        yield specimen(f"{name} with two operations", two, good, Kind.COLLECTIVE)
        yield specimen(
            f"{name} of bits of floats", f"{call.format('MPI.BAND')}  # bug", good, Kind.RAISED, real="raises"
        )
        freed = f"op = MPI.Op.Create(lambda a, b, t: None)\nop.Free()\n{call.format('op')}  # bug"
        yield specimen(f"{name} with an operation that was freed", freed, good, Kind.RAISED, real="raises")


def communicators() -> Iterator[Specimen]:
    """Ranks use different communicators, or one that was freed."""
    for name, call in {**COLLECTIVES, **SENDS, **RECEIVES, **OBJECT_SENDS, **OBJECT_RECEIVES}.items():
        made = "own = comm.Dup()\n"
        if name in COLLECTIVES:
            here, there = call, call.replace("comm.", "own.")
            good = f"{made}{here}\n{there}\nown.Free()"
            order = ranks(f"{marked(here)}\n{there}", f"{marked(there)}\n{here}")
            yield specimen(f"{name} on two communicators", f"{made}{order}own.Free()", good, Kind.DEADLOCK)
        freed = call.replace("comm.", "own.")
        bad = f"{made}own.Free()\n{marked(freed)}"
        good = "comm.Barrier()"
        yield specimen(f"{name} on a communicator that was freed", bad, good, Kind.RAISED, real="raises")
    for send, sending, receive, receiving in pairs():
        made, other = "own = comm.Dup()\n", receiving.replace("comm.", "own.")
        bad = f"{made}{ranks(began(send, sending), began(receive, other))}own.Free()"
        good = f"{made}{ranks(sending.replace('comm.', 'own.'), other)}own.Free()"
        yield specimen(f"{send} and {receive} on two communicators", bad, good, Kind.DEADLOCK, buffers=("synchronous",))


MADE = {
    "Dup": "comm.Dup()",
    "Split": "comm.Split(me % 2)",
    "Split_type": "comm.Split_type(MPI.COMM_TYPE_SHARED)",
    "Create_cart": "comm.Create_cart([p])",
    "Get_group": "comm.Get_group()",
    "Create_contiguous": "MPI.DOUBLE.Create_contiguous(3)",
    "Create_vector": "MPI.DOUBLE.Create_vector(2, 1, 2)",
    "Create_indexed": "MPI.DOUBLE.Create_indexed([1, 2], [0, 3])",
    "Create_resized": "MPI.DOUBLE.Create_resized(0, 16)",
    "Create_subarray": "MPI.DOUBLE.Create_subarray([3, 3], [1, 2], [0, 1])",
    "Op.Create": "MPI.Op.Create(lambda a, b, t: None)",
    "Send_init": "comm.Send_init(x, you)",
    "Recv_init": "comm.Recv_init(y, you)",
    "Allreduce_init": "comm.Allreduce_init(x, y)",
}


def resource_leak() -> Iterator[Specimen]:
    """What a rank made and lost, and never freed."""
    for name, call in MADE.items():
        good = f"made = {call}\nmade.Free()"
        yield specimen(name, f"made = {call}  # bug", good, Kind.LEAK, real="ends")
        loop = "for turn in range(3):\n    made = {}{}\n    {}"
        bad, right = loop.format(call, "  # bug", "if turn:\n        made.Free()"), loop.format(call, "", "made.Free()")
        yield specimen(f"{name}, once of three times", bad, right, Kind.LEAK, real="ends")
        if name not in ("Dup", "Split", "Split_type", "Create_cart"):  # which are freed by all ranks or by none
            one = f"made = {call}  # bug\nif me:\n    made.Free()"
            yield specimen(f"{name} by one rank", one, good, Kind.LEAK, real="ends")


def request_lifecycle() -> Iterator[Specimen]:
    """Persistent requests that are started twice, or not at all, or were freed."""
    for call, made, other in (
        ("Send_init", "comm.Send_init(x, 1)", "comm.Recv(y, 0)"),
        ("Ssend_init", "comm.Ssend_init(x, 1)", "comm.Recv(y, 0)"),
        ("Recv_init", "comm.Recv_init(y, 1)", "comm.Send(x, 0)"),
    ):
        body = f"request = {made}\n{{}}request.Wait()\nrequest.Free()"
        good = ranks(body.format("request.Start()\n"), other)
        never, one = ranks(body.format(""), marked(other)), ("synchronous",)
        yield specimen(f"{call} never started", never, good, Kind.DEADLOCK, buffers=one)
        twice = body.format("request.Start()\nrequest.Start()  # bug\n")
        yield specimen(f"{call} started twice", ranks(twice, other), good, Kind.RAISED)
        freed = f"request = {made}\nrequest.Free()\nrequest.Start()  # bug"
        yield specimen(f"{call} started when freed", ranks(freed, ""), good, Kind.RAISED)


def invalid_arguments() -> Iterator[Specimen]:
    """Ranks, counts and memory that are none."""
    for name, call in {**SENDS, **OBJECT_SENDS}.items():
        for peer in (2, -9):
            bad = ranks(marked(call.replace("you", str(peer))), "")
            yield specimen(f"{name} to rank {peer}", bad, "comm.Barrier()", Kind.RAISED, real="raises")
    memory = {
        "an object": "comm.{}(object(), {})",
        "gaps": "comm.{}(np.arange(8.0)[::2], {})",
        "objects": "comm.{}(np.array([None, 1]), {})",
        "three entries of two": "comm.{}([np.empty(2), 3, MPI.DOUBLE], {})",
    }
    for name, call in memory.items():
        for send in ("Send", "Isend", "Bcast", "Recv"):
            bad = ranks(f"{call.format(send, 0 if send == 'Bcast' else 1)}  # bug", "")
            real = "" if "two" in name else "raises"  # real MPI reads on, behind the array
            yield specimen(f"{send} of {name}", bad, "comm.Barrier()", Kind.RAISED, real=real)


CLASSES: dict[str, Callable[[], Iterator[Specimen]]] = {
    "call matching": call_matching,
    "missing wait": missing_wait,
    "local concurrency": local_concurrency,
    "shared memory": shared_memory,
    "ready send": ready_sends,
    "buffering hazard": buffering_hazard,
    "synchronous sends in a cycle": buffer_needed,
    "message race": message_race,
    "tag": tags,
    "datatype": datatypes,
    "root": roots,
    "operator": operators,
    "communicator": communicators,
    "resource leak": resource_leak,
    "request lifecycle": request_lifecycle,
    "invalid argument": invalid_arguments,
}
