"""A user's file gives vectors or one clear sentence, whatever its bytes are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sparring.errors import InputError
from sparring.inputs import DTYPES, load_vectors
from tests.sparring.input_files import EIGHT, packed

tables = hnp.arrays(
    st.sampled_from([np.dtype(order + kind) for order in "<>" for kind in ("f4", "f8", "i4", "i8")]),
    hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=5) | st.just((3, 0)),
)


@given(table=tables, fortran=st.booleans(), compress=st.booleans())
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_good_file_round_trips(table: Any, fortran: bool, compress: bool, tmp_path: Path) -> None:
    """Whatever dtype, byte order and layout: the rows come back bit for bit, native and contiguous."""
    saved = np.asfortranarray(table) if fortran else table
    (np.savez_compressed if compress else np.savez)(path := tmp_path / "x.npz", a=saved)
    vectors = load_vectors(path)
    assert len(vectors) == len(table)
    for vector, row in zip(vectors, table, strict=True):
        assert vector.dtype == table.dtype.newbyteorder("=")
        assert vector.flags.c_contiguous
        assert vector.flags.writeable
        assert vector.base is None
        assert vector.tobytes() == row.astype(vector.dtype).tobytes()


def loads_or_refuses(path: Path, data: bytes) -> bool:
    """Whether the bytes, as a file, give vectors; anything but vectors or an InputError is raised."""
    path.write_bytes(data)
    try:
        return all(x.ndim == 1 and x.dtype.name in DTYPES for x in load_vectors(path, limit=100_000))
    except InputError:
        return False


@given(data=st.binary(max_size=300))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_bytes_are_refused(data: bytes, tmp_path: Path) -> None:
    """Random bytes raise InputError and nothing else; as a member's content too."""
    path = tmp_path / "x.npz"
    assert not loads_or_refuses(path, data)
    packed(("a.npy", b"\x93NUMPY\x01\x00" + data))(path)
    assert not loads_or_refuses(path, path.read_bytes())


@given(
    edits=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=6),
    cut=st.just(1.0) | st.floats(0, 1),
    compress=st.booleans(),
)
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_mutated_files_load_or_are_refused(
    edits: list[tuple[float, int]], cut: float, compress: bool, tmp_path: Path
) -> None:
    """A good file with some bytes changed or its end cut off gives vectors or InputError, nothing else."""
    (np.savez_compressed if compress else np.savez)(path := tmp_path / "x.npz", a=EIGHT, rank0=EIGHT[0], rank1=EIGHT[1])
    data = bytearray(path.read_bytes())
    assert loads_or_refuses(path, bytes(data))
    for at, value in edits:
        data[int(at * len(data))] = value
    loads_or_refuses(path, bytes(data[: int(cut * len(data))]))  # raises where it should refuse


PIECES = [*"(),'\"{}[]:09LO-\\\n\té", "descr", "shape", "<f4"]


@given(
    at=st.integers(0, 60),
    drop=st.integers(0, 8),
    put=st.lists(st.sampled_from(PIECES), max_size=5),
    major=st.integers(1, 4),
)
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_mutated_headers_load_or_are_refused(at: int, drop: int, put: list[str], major: int, tmp_path: Path) -> None:
    """A header with a piece exchanged, in an archive that is sound, gives vectors or InputError, without a warning."""
    text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }\n"
    header = (text[:at] + "".join(put) + text[at + drop :]).encode("latin1")
    size = len(header).to_bytes(2 if major == 1 else 4, "little")
    packed(("a.npy", b"\x93NUMPY" + bytes([major, 0]) + size + header + EIGHT.tobytes()))(path := tmp_path / "x.npz")
    loads_or_refuses(path, path.read_bytes())  # raises where it should refuse
