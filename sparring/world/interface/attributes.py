"""Attributes of communicators, by which libraries keep what is theirs, such as a private duplicate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

from sparring.world.core.constants import KEYVAL_INVALID, MPIException, Unsupported
from sparring.world.core.leaks import end
from sparring.world.core.ranks import Rank, running
from sparring.world.interface.handle import Handle

MADE: list[int] = []
"""The numbers of all keys, of all runs: an object that several runs use may keep one."""


class Keyval(NamedTuple):
    """The key of an attribute: what happens to its value on ``Dup`` and at its deletion."""

    copy: Callable[[Any, int, Any], Any] | bool | None
    delete: Callable[[Any, int, Any], None] | None


class Attributes(Handle):
    """The values of attributes by key, per rank and communicator."""

    def __init__(self, rank: Any = None, context: int = -1, group: Sequence[int] = ()) -> None:
        self._attributes: dict[int, tuple[Keyval, Any]] = {}
        super().__init__(rank, context, group)

    @classmethod
    def Create_keyval(
        cls,
        copy_fn: Callable[[Any, int, Any], Any] | bool | None = None,
        delete_fn: Callable[[Any, int, Any], None] | None = None,
    ) -> int:
        MADE.append(key := len(MADE) + 1)
        running().keyvals[key] = Keyval(copy_fn, delete_fn)
        return key

    @classmethod
    def Free_keyval(cls, keyval: int) -> int:
        """Free the key: no new attribute can have it; those that are set stay."""
        _keyval(running(), keyval)
        running().keyvals[keyval] = None
        return KEYVAL_INVALID

    def Get_attr(self, keyval: int) -> Any:
        _keyval(self._alive(), keyval)
        return self._attributes.get(keyval, (None, None))[1]

    def Set_attr(self, keyval: int, attrval: Any) -> None:
        key = _keyval(self._alive(), keyval)
        if keyval in self._attributes:
            self._forget(keyval, *self._attributes[keyval])
        self._attributes[keyval] = key, attrval
        end(attrval)

    def Delete_attr(self, keyval: int) -> None:
        self._alive()
        if keyval in self._attributes:
            self._forget(keyval, *self._attributes.pop(keyval))

    def _delete_all(self) -> None:
        """Delete all attributes, the last set first."""
        for key in reversed(list(self._attributes)):
            self.Delete_attr(key)

    def _copy_to(self, twin: Self) -> None:
        for key, (keyval, value) in self._attributes.items():
            copied = keyval.copy(self, key, value) if callable(keyval.copy) else value
            if keyval.copy and copied is not NotImplemented:
                twin._attributes[key] = keyval, copied

    def _forget(self, key: int, keyval: Keyval, value: Any) -> None:
        if keyval.delete:
            keyval.delete(self, key, value)


def _keyval(rank: Rank, key: int) -> Keyval:
    keyval = rank.keyvals.get(key)
    if not isinstance(keyval, Keyval):
        raise _unknown(rank, key)
    return keyval


def _unknown(rank: Rank, key: int) -> Exception:
    """Return the error for a key that the rank has not; another run's or rank's is no fault of the code."""
    if key not in rank.keyvals and 0 < key <= len(MADE):
        return Unsupported(f"keyval={key} of another run or rank (code given as 'file.py:name' is each rank's own)")
    return MPIException(f"keyval={key} is no keyval, or was freed, or is real MPI's (give 'file.py:name')", "KEYVAL")
