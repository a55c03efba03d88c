"""``MPI.Status``: what is known of a message that was received or found."""

from __future__ import annotations

from typing import Any

from sparring.world.core.constants import ANY_SOURCE, ANY_TAG, PROC_NULL, UNDEFINED, unsupported
from sparring.world.core.datatypes import TYPES, Datatype
from sparring.world.core.operations import Incoming
from sparring.world.core.ranks import Operation


class Status:
    """The status of a message: ``source``, its rank in the communicator, ``tag``, ``count`` in bytes; of objects 0."""

    def __init__(self, status: Status | None = None) -> None:
        self.source, self.tag, self.count, self.error, self.cancelled = ANY_SOURCE, ANY_TAG, 0, 0, False
        if status is not None:
            vars(self).update(vars(status))

    def Get_source(self) -> int:
        return self.source

    def Set_source(self, source: int) -> None:
        self.source = source

    def Get_tag(self) -> int:
        return self.tag

    def Set_tag(self, tag: int) -> None:
        self.tag = tag

    def Get_error(self) -> int:
        return self.error

    def Set_error(self, error: int) -> None:
        self.error = error

    def Set_elements(self, datatype: Datatype, count: int) -> None:
        self.count = count * datatype.dtype.itemsize

    def Is_cancelled(self) -> bool:
        return self.cancelled

    def Set_cancelled(self, flag: bool) -> None:
        self.cancelled = flag

    def Get_count(self, datatype: Datatype = TYPES["BYTE"]) -> int:
        """Return the instances of ``datatype`` received; UNDEFINED where the bytes are no multiple."""
        size = datatype.Get_size()
        if not size:
            return 0
        return UNDEFINED if self.count % size else self.count // size

    def Get_elements(self, datatype: Datatype) -> int:
        """Return the entries received, of which ``datatype`` has one or several an instance."""
        return int(self.count // datatype.dtype.itemsize)

    def __getattr__(self, name: str) -> Any:
        raise unsupported("Status", name)

    def _set(self, operation: Operation | None) -> None:
        self.source, self.tag, self.count, self.error, self.cancelled = ANY_SOURCE, ANY_TAG, 0, 0, False
        if operation is not None:
            self.cancelled = operation.cancelled
        if isinstance(operation, Incoming):
            if operation.message is None:
                self.source = ANY_SOURCE if operation.cancelled else PROC_NULL
            else:
                send = operation.message
                self.source, self.tag, self.count = (
                    operation.group.index(send.rank.number),
                    send.tag,
                    send.buffer.nbytes,
                )
