"""A user's file gives vectors or one clear sentence, whatever its bytes are."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sparring.errors import InputError
from sparring.inputs import DTYPES, digits, load, load_vectors
from sparring.sparse import Sparse

EIGHT = np.arange(8, dtype=np.float32).reshape(2, 4)
Write = Callable[[Path], object]


def npz(**arrays: Any) -> Write:
    """Writes a file with these arrays, in this order."""
    return lambda path: np.savez(path, **arrays)


def raw(data: bytes) -> Write:
    """Writes a file of these bytes."""
    return lambda path: path.write_bytes(data)


def packed(*members: tuple[str, bytes], how: int = zipfile.ZIP_STORED) -> Write:
    """Writes a zip archive of these members."""

    def write(path: Path) -> None:
        with zipfile.ZipFile(path, "w", how) as archive:
            for name, data in members:
                archive.writestr(name, data)

    return write


def npy(array: Any) -> bytes:
    """The array as the bytes of an .npy file."""
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def declared(shape: str, descr: str = "'<f4'", data: bytes = b"") -> bytes:
    """An .npy file whose header says this, whatever the data are."""
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data


def good(**arrays: Any) -> bytes:
    """The bytes of a good file."""
    stream = io.BytesIO()
    np.savez(stream, **(arrays or {"a": EIGHT}))
    return stream.getvalue()


def flipped(data: bytes, at: int) -> bytes:
    """The bytes with one of them changed."""
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


def forge(path: Path, **fields: int) -> None:
    """Change what the archive's directory says of its first member."""
    places = {"flags": (8, 2), "size": (24, 4), "offset": (42, 4)}
    data = bytearray(path.read_bytes())
    for name, value in fields.items():
        at, wide = places[name]
        at += data.index(b"PK\1\2")
        data[at : at + wide] = value.to_bytes(wide, "little")
    path.write_bytes(bytes(data))


BAD: dict[str, tuple[Write, str]] = {
    "missing": (lambda path: None, r"bad\.npz: no such file"),
    "folder": (lambda path: path.mkdir(), "is no regular file; right: an .npz"),
    "pipe": (os.mkfifo, "is no regular file; right: an .npz"),
    "empty": (raw(b""), "is empty; right: an .npz"),
    "not a zip": (raw(b"1.0, 2.0\n"), "is no zip archive; right: an .npz"),
    "npy": (raw(npy(EIGHT)), r"is one array, an \.npy; right: an \.npz"),
    "cut short": (raw(good()[:-40]), "is a zip archive, but damaged or cut short; right"),
    "bad crc": (raw(flipped(good(), good().index(EIGHT.tobytes()))), r"'a' is damaged or cut short \(Bad CRC"),
    "no arrays": (packed(), "no vectors to reduce; right: one 2-D array .* there are none"),
    "not an npy": (packed(("a.txt", b"hello")), r"'a\.txt' is not an array in numpy's \.npy format"),
    "objects": (npz(a=np.array([[1, "x"]], dtype=object)), "'a' holds Python objects, which need pickle"),
    "0-D": (npz(a=np.float32(1)), r"no vectors to reduce; .* there are a \(0-D\)"),
    "3-D": (npz(a=np.zeros((2, 2, 2))), r"no vectors to reduce; .* there are a \(3-D\)"),
    "1-D of no rank": (npz(a=np.zeros(3)), r"no vectors to reduce; .* there are a \(1-D\)"),
    "no ranks": (npz(a=np.zeros((0, 3))), "holds vectors for 0 ranks; 1 are asked for"),
    "float16": (npz(a=np.zeros((2, 2), "f2")), "'a' has dtype float16; right: float32, float64, int32 or int64"),
    "complex": (npz(a=np.zeros((2, 2), "c8")), "'a' has dtype complex64; right"),
    "text": (npz(a=np.array([["x"]])), "'a' has dtype <U1; right"),
    "records": (npz(a=np.zeros((2, 2), [("x", "f4")])), "'a' has dtype .*; right"),
    "gap": (npz(rank0=np.zeros(3), rank2=np.zeros(3)), "no entry 'rank1' among 2; number them from rank0 on"),
    "2-D rank": (npz(rank0=np.zeros(3), rank1=np.zeros((1, 3))), "'rank1' is 2-D; right: 1-D"),
    "lengths": (npz(rank0=np.zeros(3), rank1=np.zeros(4)), "'rank1' has 4 entries, rank0 has 3; right: one length"),
    "dtypes": (npz(rank0=np.zeros(3), rank1=np.zeros(3, "f4")), "'rank1' has dtype float32, rank0 has float64"),
    "transposed": (npz(a=np.zeros((5000, 2))), r"'a' has 5000 rows, one a rank; at most 4096"),
    "empty rows": (packed(("a.npy", declared("(1000000000, 0)"))), "'a' has 1000000000 rows"),
    "endless rows": (packed(("a.npy", declared(f"(0, {'9' * 4000})"))), "'a' is damaged: its shape"),
    "negative": (packed(("a.npy", declared("(-2, -2)", data=bytes(16)))), "'a' is damaged: its shape does not fit"),
    "too little": (packed(("a.npy", declared("(2, 1000000000000)", data=bytes(16)))), "'a' is damaged: its shape"),
    "too much": (packed(("a.npy", declared("(2, 1)", data=bytes(16)))), "'a' is damaged: its shape does not fit"),
    "code": (packed(("a.npy", declared("(__import__('os').getpid(), 1)"))), "'a' is not an array in numpy's .npy"),
    "deep": (packed(("a.npy", declared("(" * 4000 + ")" * 4000))), "'a' is not an array in numpy's .npy"),
    "long header": (packed(("a.npy", declared("(2, 2)" + " " * 20_000))), "'a' is not an array in numpy's .npy"),
    "lzma": (packed(("a.npy", npy(EIGHT)), how=zipfile.ZIP_LZMA), "'a' is not compressed by deflate"),
    "twice": (packed(("a.npy", npy(EIGHT)), ("a", npy(EIGHT))), "two entries have the same name"),
    "many": (packed(*((f"{i}.npy", b"") for i in range(4097))), "4097 entries; at most 4096 are read"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_file_gives_one_sentence(case: str, tmp_path: Path) -> None:
    """The error names the file, the entry and what is wrong, in one line that a person can read."""
    write, message = BAD[case]
    write(path := tmp_path / "bad.npz")
    with pytest.raises(InputError, match=message) as caught:
        load_vectors(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < len(str(path)) + 250


def test_encrypted_is_refused(tmp_path: Path) -> None:
    """An archive that says it is encrypted is refused, instead of asking for a password."""
    np.savez(path := tmp_path / "x.npz", a=EIGHT)
    forge(path, flags=1)
    with pytest.raises(InputError, match="'a' is encrypted"):
        load_vectors(path)


def test_directory_that_points_beyond_the_file_is_refused(tmp_path: Path) -> None:
    """A member said to begin at the very end of the file is damaged, not a crash of the zip reader."""
    np.savez(path := tmp_path / "x.npz", a=EIGHT)
    forge(path, offset=path.stat().st_size - 10)
    with pytest.raises(InputError, match="'a' is damaged or cut short"):
        load_vectors(path)


def test_short_member_is_refused(tmp_path: Path) -> None:
    """A member with fewer bytes than header and directory both declare is refused, though its checksum is right."""
    whole = declared("(2, 2)", data=bytes(16))
    packed(("a.npy", whole[:-8]))(path := tmp_path / "x.npz")
    forge(path, size=len(whole))
    with pytest.raises(InputError, match=f"'a' is damaged: it has {len(whole) - 8} bytes and declares {len(whole)}"):
        load_vectors(path)


def test_header_of_old_python_is_read(tmp_path: Path) -> None:
    """Files from Python 2 (a shape of long integers) are good, and numpy's warning about them stays inside."""
    packed(("a.npy", declared("(2L, 4L)", data=EIGHT.tobytes())))(path := tmp_path / "x.npz")
    assert np.array_equal(load_vectors(path), EIGHT)


def test_bomb_is_refused_before_it_is_read(tmp_path: Path) -> None:
    """A small file whose entries would be large is refused by what they declare; a limit that fits lets it in."""
    np.savez_compressed(path := tmp_path / "x.npz", a=np.zeros((2, 500_000)))
    assert path.stat().st_size < 20_000
    with pytest.raises(InputError, match="its entries take 8000128 bytes uncompressed; at most 1000000 are read"):
        load_vectors(path, limit=1_000_000)
    assert len(load_vectors(path, limit=8_000_128)) == 2


def test_bomb_that_lies_is_refused(tmp_path: Path) -> None:
    """Entries that declare less than they hold are never expanded beyond what they declare."""
    np.savez_compressed(path := tmp_path / "x.npz", a=np.zeros((2, 500_000)))
    forge(path, size=100_000)
    with pytest.raises(InputError, match="'a' is damaged: its shape does not fit its 100000 bytes"):
        load_vectors(path, limit=1_000_000)


def test_large_file_is_refused(tmp_path: Path) -> None:
    """A file larger than the limit is not even opened as an archive."""
    (path := tmp_path / "x.npz").write_bytes(good() + bytes(1000))
    with pytest.raises(InputError, match="bytes; at most 1000 are read"):
        load_vectors(path, limit=1000)


@pytest.mark.parametrize(
    ("ranks", "message"), [(0, "right: 1 or more"), (-1, "right: 1 or more"), (3, "for 2 ranks; 3 are asked for")]
)
def test_ranks_out_of_range(ranks: int, message: str, tmp_path: Path) -> None:
    """Asking for no rank, or for more than the file has, is an error."""
    np.savez(path := tmp_path / "x.npz", a=EIGHT)
    with pytest.raises(InputError, match=message):
        load_vectors(path, ranks=ranks)


def test_what_is_chosen(tmp_path: Path) -> None:
    """A key chooses; else rank0, rank1, ... go before the first 2-D array; the rest is left alone."""
    extras: dict[str, Any] = {"note": np.array("hello"), "objects": np.array([None]), "cube": np.zeros((1, 1, 1))}
    np.savez(path := tmp_path / "x.npz", **extras, b=EIGHT + 1, a=EIGHT)
    assert np.array_equal(load_vectors(path), EIGHT + 1)
    assert np.array_equal(load_vectors(path, key="a"), EIGHT)
    assert np.array_equal(load_vectors(path, ranks=1, key="a"), EIGHT[:1])
    np.savez(path, b=EIGHT, rank1=np.ones(3), rank0=np.zeros(3))
    assert np.array_equal(load_vectors(path), [np.zeros(3), np.ones(3)])


@pytest.mark.parametrize(("key", "message"), [("z", "no entry 'z'; there are a, s"), ("s", "'s' is 0-D; right: 2-D")])
def test_bad_key(key: str, message: str, tmp_path: Path) -> None:
    """A key that is not there, or names no 2-D array, is an error that says so."""
    np.savez(path := tmp_path / "x.npz", a=EIGHT, s=np.float32(0))
    with pytest.raises(InputError, match=message):
        load_vectors(path, key=key)


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


def test_shipped_gradients() -> None:
    """The sample has eight workers' float32 gradients of three moments of training, and they differ."""
    keys = ["step0", "step30", "step300"]
    for key in keys:
        vectors = digits(8, key)
        assert [(x.shape, x.dtype.name) for x in vectors] == [((9610,), "float32")] * 8
        assert all(np.isfinite(x).all() and x.any() for x in vectors)
        assert len({x.tobytes() for x in vectors}) == 8
    assert np.array_equal(digits(3), digits(8, "step0")[:3])
    with pytest.raises(InputError, match="holds vectors for 8 ranks; 9 are asked for"):
        digits(9)


PARTS: dict[str, Any] = {
    "indices0": np.array([1, 4], np.int32), "values0": np.array([1.0, 2.0]),
    "indices1": np.array([0, 2, 5]), "values1": np.array([3.0, 4.0, 5.0]), "n": np.array(6),
}  # fmt: skip
"""What makes two sparse vectors."""

BAD_PARTS: dict[str, tuple[dict[str, Any], str]] = {
    "no n": ({"n": None}, r"no entry 'n' \(the length of all vectors\); right: indices0, values0"),
    "no indices": ({"indices1": None}, r"no entry 'indices1' \(rank 1\); right"),
    "no values": ({"values1": None}, r"no entry 'values1' \(rank 1\); right"),
    "gap": ({"indices0": None, "values0": None}, r"no entry 'indices0' \(rank 0\); right"),
    "lengths": ({"n": np.array([6, 6])}, r"'n' \(the length of all vectors\) is 1-D; right: 0-D"),
    "half": ({"n": np.array(6.5)}, r"'n' \(the length of all vectors\) has dtype float64; right: int32 or int64"),
    "negative n": ({"n": np.array(-1)}, r"'indices0' \(rank 0\): n = -1: it must be a whole number, 0 or more"),
    "short": ({"n": np.array(5)}, r"'indices1' \(rank 1\): index out of range: indices\[2\]=5, but n=5"),
    "negative": ({"indices1": np.array([-1, 2, 5])}, r"'indices1' \(rank 1\): index out of range: indices\[0\]=-1"),
    "unsorted": (
        {"indices1": np.array([2, 0, 5])},
        r"'indices1' \(rank 1\): indices not .*\[1\]=0 follows 2",
    ),
    "twice": ({"indices0": np.array([4, 4])}, r"'indices0' \(rank 0\): indices not strictly ascending.*=4 follows 4"),
    "counts": ({"values1": np.zeros(2)}, r"'indices1' \(rank 1\): 3 indices and 2 values"),
    "2-D": ({"indices0": np.array([[1, 4]])}, r"'indices0' \(rank 0\) is 2-D; right: 1-D"),
    "unsigned": (
        {"indices1": np.array([0, 2, 5], "u4")},
        r"'indices1' \(rank 1\) has dtype uint32; right: int32 or",
    ),
    "float indices": ({"indices1": np.zeros(3)}, r"'indices1' \(rank 1\) has dtype float64; right: int32 or int64"),
    "float16": (
        {"values0": np.zeros(2, "f2")},
        r"'values0' \(rank 0\) has dtype float16; right: float32, float64",
    ),
    "objects": ({"values0": np.array([None, 1])}, r"'values0' \(rank 0\) has dtype object; right: float32"),
    "mixed": (
        {"values1": np.zeros(3, "f4")},
        r"'values1' \(rank 1\) has dtype float32, rank 0 has float64; right",
    ),
}


@pytest.mark.parametrize("case", BAD_PARTS)
def test_bad_parts_give_one_sentence(case: str, tmp_path: Path) -> None:
    """The error names the file, the part and the rank, in one line that a person can read."""
    change, message = BAD_PARTS[case]
    npz(**{name: part for name, part in {**PARTS, **change}.items() if part is not None})(path := tmp_path / "bad.npz")
    with pytest.raises(InputError, match=message) as caught:
        load(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < len(str(path)) + 250


def test_which_vectors_a_file_has(tmp_path: Path) -> None:
    """A key or a ``rank0`` stands for whole vectors, parts go before a 2-D array; the rest is left alone."""
    npz(a=EIGHT, note=np.array("hello"), **PARTS)(path := tmp_path / "x.npz")
    first, second = load(path)
    assert isinstance(first, Sparse)
    assert isinstance(second, Sparse)
    assert (first.n, first.indices.dtype, first.dense().tolist()) == (6, np.int32, [0, 1, 0, 0, 2, 0])
    assert second.dense().tolist() == [3, 0, 4, 0, 0, 5]
    assert len(load(path, ranks=1)) == 1
    assert np.array_equal(load(path, key="a"), EIGHT)
    assert np.array_equal(load_vectors(path), EIGHT)
    npz(rank0=np.zeros(3), **PARTS)(path)
    assert np.array_equal(load(path), [np.zeros(3)])
    npz(a=EIGHT, values="text")(path)
    assert np.array_equal(load(path), EIGHT)
    with pytest.raises(InputError, match="for 2 ranks; 3 are asked for"):
        load(path, ranks=3)


supports = st.lists(st.sets(st.integers(0, 9)).map(sorted), min_size=1, max_size=4)


@given(
    supports=supports,
    index=st.sampled_from(["<i4", ">i4", "<i8", ">i8"]),
    value=st.sampled_from(["<f4", ">f8", "<i4", ">i8"]),
    compress=st.booleans(),
)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_good_parts_round_trip(supports: Any, index: str, value: str, compress: bool, tmp_path: Path) -> None:
    """Of either width and byte order; ranks may have no entries."""
    parts: dict[str, Any] = {f"indices{r}": np.array(at, index) for r, at in enumerate(supports)}
    parts |= {f"values{r}": np.arange(len(at)).astype(value) for r, at in enumerate(supports)}
    (np.savez_compressed if compress else np.savez)(path := tmp_path / "x.npz", n=10, **parts)
    for r, x in enumerate(vectors := load(path)):
        assert isinstance(x, Sparse)
        assert (x.n, x.indices.tolist(), x.values.tolist()) == (10, supports[r], list(range(len(supports[r]))))
        assert (x.dtype, x.indices.dtype) == (np.dtype(value).newbyteorder("="), np.dtype(index).newbyteorder("="))
    assert len(vectors) == len(supports)


members = hnp.arrays(
    st.sampled_from(["i4", "i8", "u4", "f4", "f8", "f2"]),
    hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3),
    elements=st.integers(0, 3),
)


@given(
    change=st.dictionaries(
        st.sampled_from([*PARTS, "indices2", "values2", "values00"]), st.none() | members, max_size=4
    ),
    at=st.floats(0, 1, exclude_max=True),
    byte=st.none() | st.integers(0, 255),
)
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_malformed_parts_load_or_are_refused(change: Any, at: float, byte: int | None, tmp_path: Path) -> None:
    """Members exchanged, left out or added, and a byte changed: sound vectors or InputError, nothing else."""
    parts = {name: part for name, part in {**PARTS, **change}.items() if part is not None}
    path = tmp_path / "x.npz"
    data = bytearray(good(**parts))
    if byte is not None:
        data[int(at * len(data))] = byte
    path.write_bytes(bytes(data))
    why, vectors = "", []
    try:
        vectors = load(path, limit=100_000)
    except InputError as error:
        why = str(error)
    assert bool(vectors) != bool(why)
    assert not why or (str(path) in why and "\n" not in why)
    for x in vectors:
        if isinstance(x, Sparse):
            assert (x.n, x.dtype) == (vectors[0].size, vectors[0].dtype)
            Sparse(x.indices, x.values, x.n)
