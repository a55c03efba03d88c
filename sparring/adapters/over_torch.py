"""A communicator with mpi4py's names over a process group of torch: as much of it as our implementations use.

A message is two of torch's: its length and tag, then its bytes; a receive of MPI may have more room than it needs.
"""

from __future__ import annotations

from itertools import count
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sparring.adapters import extra

LENGTH, BYTES = 7001, 7002
"""The tags of lengths and of bytes: a user's own messages in the group have others."""


class MessageStatus:
    """What a receive tells of its message."""

    tag = 0

    def Get_tag(self) -> int:
        """Return the message's tag."""
        return self.tag


class Request:
    """A send or receive that has begun: torch's ``works``, and what must live until they are over."""

    def __init__(self, *works: Any, held: Any = None) -> None:
        self.works, self.held = works, held

    def Wait(self) -> None:
        """Return when it is over."""
        for work in self.works:
            work.wait()


class Receiving(Request):
    """A receive that asks for its bytes once their number has come; receives are waited for in the order of posting."""

    def __init__(self, comm: Comm, buffer: NDArray[Any], source: int) -> None:
        torch = extra.torch()
        self.comm, self.buffer, self.source = comm, buffer, source
        self.head = torch.empty(2, dtype=torch.int64)
        super().__init__(comm.receive(self.head, source, LENGTH))

    def Wait(self) -> None:
        super().Wait()
        octets = np.empty(int(self.head[0]), np.uint8)
        if octets.size:
            self.comm.receive(tensor(octets), self.source, BYTES).wait()
        self.buffer.reshape(-1).view(np.uint8)[: octets.size] = octets


class Comm:
    """The ranks of a process group; None is the default one.  Arrays must be contiguous."""

    keys: ClassVar[count[int]] = count()
    Status = MessageStatus

    def __init__(self, group: Any = None) -> None:
        dist = extra.torch("distributed")
        self.dist, self.group = dist, group if group is not None else dist.group.WORLD
        self.kept: dict[int, Any] = {}

    def Get_rank(self) -> int:
        """Return this process's rank in the group."""
        return int(self.dist.get_rank(self.group))

    def Get_size(self) -> int:
        """Return the number of ranks."""
        return int(self.dist.get_world_size(self.group))

    def Is_inter(self) -> bool:
        """Return False: torch has groups of one kind."""
        return False

    def Isend(self, buffer: NDArray[Any], dest: int, tag: int = 0) -> Request:
        """Begin to send what the buffer holds; it stays as it is until the request is over."""
        torch = extra.torch()
        octets = np.ascontiguousarray(buffer).reshape(-1).view(np.uint8)
        parts = [(torch.tensor([octets.size, tag], dtype=torch.int64), LENGTH)]
        parts += [(tensor(octets), BYTES)] if octets.size else []
        works = [self.dist.isend(part, group=self.group, group_dst=dest, tag=tag) for part, tag in parts]
        return Request(*works, held=parts)

    def Irecv(self, buffer: NDArray[Any], source: int) -> Receiving:
        """Begin to receive into the buffer, which has room for what comes or for more; of any tag."""
        return Receiving(self, buffer, source)

    def Send(self, buffer: NDArray[Any], dest: int, tag: int = 0) -> None:
        """Send, and wait until that is over."""
        self.Isend(buffer, dest, tag).Wait()

    def Recv(self, buffer: NDArray[Any], source: int, *, status: MessageStatus | None = None) -> None:
        """Receive."""
        request = self.Irecv(buffer, source)
        request.Wait()
        if status:
            status.tag = int(request.head[1])

    def Sendrecv(
        self, outgoing: NDArray[Any], dest: int, tag: int, incoming: NDArray[Any], source: int, *,
        status: MessageStatus | None = None,
    ) -> None:  # fmt: skip
        """Send and receive at once."""
        sending = self.Isend(outgoing, dest, tag)
        self.Recv(incoming, source, status=status)
        sending.Wait()

    def receive(self, part: Any, source: int, tag: int) -> Any:
        """Post torch's receive of exactly as many bytes as ``part`` has."""
        return self.dist.irecv(part, group=self.group, group_src=source, tag=tag)

    def Allgather(self, mine: NDArray[Any], all_of_us: NDArray[Any]) -> None:
        """Gather every rank's array as a row."""
        rows = [tensor(row) for row in all_of_us.reshape(self.Get_size(), -1)]
        self.dist.all_gather(rows, tensor(mine.reshape(-1)), group=self.group)

    @classmethod
    def Create_keyval(cls, **_: Any) -> int:
        """Return a key for :meth:`Set_attr`; what to do when it is freed is ignored, since nothing is."""
        return next(cls.keys)

    def Get_attr(self, key: int) -> Any:
        """Return what was kept under the key, or None."""
        return self.kept.get(key)

    def Set_attr(self, key: int, value: Any) -> None:
        """Keep a value under the key."""
        self.kept[key] = value

    def Dup(self) -> Comm:
        """Return another of the same group: its messages have tags of ours anyway."""
        return Comm(self.group)


def tensor(x: NDArray[Any]) -> Any:
    """Return a tensor in the array's memory; of a read-only array, in a copy's."""
    return extra.torch().from_numpy(x if x.flags.writeable else x.copy())
