"""MPI's tools interface (MPI 4.1, chapter 15): a library's settings, and the counters that it keeps of itself.

mpi4py does not have it, so it is called with ctypes, in the library that mpi4py has loaded.
"""

from __future__ import annotations

import ctypes
from ctypes import byref, c_char_p, c_int, c_size_t, c_void_p, create_string_buffer

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

from sparring.errors import InputError
from sparring.libraries.selection import Setting

TEXT = 1 << 14
"""The most bytes of a name or a description."""
CLASSES = range(16)
"""The values that a library may give the classes of performance variables; each has its own."""
LIBRARY = ctypes.CDLL(MPI.__file__)


def called(function: str, *arguments: object) -> None:
    """Call a function of the interface; raises InputError if it fails."""
    if code := getattr(LIBRARY, function)(*arguments):
        raise InputError(f"{function} of {MPI.Get_library_version().split(',')[0].strip()} fails with code {code}")


def begin() -> None:
    """Begin to use the interface; it may be begun before MPI, and more than once."""
    called("MPI_T_init_thread", MPI.THREAD_SINGLE, byref(c_int()))


def settings() -> list[Setting]:
    """Return all settings of the library."""
    number = c_int()
    called("MPI_T_cvar_get_num", byref(number))
    return [setting(i) for i in range(number.value)]


def setting(index: int) -> Setting:
    """Return the setting of this index."""
    name, text = create_string_buffer(TEXT), create_string_buffer(TEXT)
    kind, values = c_void_p(), c_void_p()
    lengths, rest = [c_int(TEXT), c_int(TEXT)], [c_int() for _ in range(3)]
    called(
        "MPI_T_cvar_get_info", index, name, byref(lengths[0]), byref(rest[0]), byref(kind), byref(values), text,
        byref(lengths[1]), byref(rest[1]), byref(rest[2]),
    )  # fmt: skip
    return Setting(name.value.decode(), listed(values), text.value.decode(errors="replace"), rest[2].value)


def listed(values: c_void_p) -> dict[str, int]:
    """Return the values of an enumeration by name; none if there is no enumeration."""
    number, found = c_int(), {}
    if not values.value or LIBRARY.MPI_T_enum_get_info(
        values, byref(number), create_string_buffer(TEXT), byref(c_int(TEXT))
    ):
        return {}
    for i in range(number.value):
        value, name = c_int(), create_string_buffer(TEXT)
        called("MPI_T_enum_get_item", values, i, byref(value), name, byref(c_int(TEXT)))
        found[name.value.decode()] = value.value
    return found


def write(name: str, value: int) -> None:
    """Set a setting whose values are numbers; raises InputError if there is none or it cannot be set now."""
    index, handle = c_int(), c_void_p()
    called("MPI_T_cvar_get_index", c_char_p(name.encode()), byref(index))
    called("MPI_T_cvar_handle_alloc", index, None, byref(handle), byref(c_int()))
    called("MPI_T_cvar_write", handle, byref(c_int(value)))
    called("MPI_T_cvar_handle_free", byref(handle))


class Counter:
    """A performance variable with a number for each rank of a communicator, such as messages sent to it."""

    def __init__(self, name: str, comm: MPI.Comm) -> None:
        self.session, self.handle, number = c_void_p(), c_void_p(), c_int()
        called("MPI_T_pvar_session_create", byref(self.session))
        bound = c_void_p(MPI._handleof(comm))
        called("MPI_T_pvar_handle_alloc", self.session, found(name), byref(bound), byref(self.handle), byref(number))
        called("MPI_T_pvar_start", self.session, self.handle)
        self.numbers = (c_size_t * number.value)()

    def read(self) -> NDArray[np.int64]:
        """Return the numbers up to now."""
        called("MPI_T_pvar_read", self.session, self.handle, self.numbers)
        return np.array(self.numbers, dtype=np.int64)


def found(name: str) -> int:
    """Return the index of a performance variable of any class; raises InputError if there is none."""
    index = c_int()
    for one in CLASSES:
        if LIBRARY.MPI_T_pvar_get_index(c_char_p(name.encode()), one, byref(index)) == 0:
            return index.value
    raise InputError(f"this MPI has no performance variable {name!r}")
