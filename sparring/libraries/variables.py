"""A process that prints a library's settings as JSON: ``python -m sparring.libraries.variables``; starts no MPI."""

from __future__ import annotations

import sys

import mpi4py
import msgspec

mpi4py.rc(initialize=False, finalize=False)


def main() -> None:
    """Print the name of the library, and its settings."""
    from mpi4py import MPI

    from sparring.libraries import tools_interface

    tools_interface.begin()
    told = {"library": MPI.Get_library_version().rstrip("\0"), "settings": tools_interface.settings()}
    sys.stdout.buffer.write(msgspec.json.encode(told))


if __name__ == "__main__":
    main()
