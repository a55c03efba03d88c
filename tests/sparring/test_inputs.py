"""A user's file gives vectors or one clear sentence that says what is wrong with it."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparring.errors import InputError
from sparring.inputs import SHIPPED, digits, load_vectors, shipped, transformer
from tests.sparring.input_files import EIGHT, Write, declared, flipped, forge, good, npy, npz, packed, raw

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


@pytest.mark.parametrize("kind", ["<f4", ">f8", "<i4", ">i8"])
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_rows_come_back_bit_for_bit(kind: str, save: Any, tmp_path: Path) -> None:
    """Whatever dtype, byte order and layout: native, contiguous and one's own."""
    for table in (EIGHT.astype(kind), np.asfortranarray(EIGHT.astype(kind)), np.zeros((3, 0), kind)):
        save(path := tmp_path / "x.npz", a=table)
        for vector, row in zip(load_vectors(path), table, strict=True):
            assert vector.dtype == np.dtype(kind).newbyteorder("=")
            assert vector.flags.c_contiguous and vector.flags.writeable and vector.base is None
            assert vector.tobytes() == row.astype(vector.dtype).tobytes()


@pytest.mark.parametrize(("key", "message"), [("z", "no entry 'z'; there are a, s"), ("s", "'s' is 0-D; right: 2-D")])
def test_bad_key(key: str, message: str, tmp_path: Path) -> None:
    """A key that is not there, or names no 2-D array, is an error that says so."""
    np.savez(path := tmp_path / "x.npz", a=EIGHT, s=np.float32(0))
    with pytest.raises(InputError, match=message):
        load_vectors(path, key=key)


@pytest.mark.parametrize(("name", "entries"), [("digits", 9610), ("transformer", 11709)])
def test_shipped_gradients(name: str, entries: int) -> None:
    """Samples have eight workers' float32 gradients of three moments of training, and they differ."""
    assert name in SHIPPED
    for key in ("step0", "step30", "step300"):
        vectors = shipped(name, 8, key)
        assert [(x.shape, x.dtype.name) for x in vectors] == [((entries,), "float32")] * 8
        assert all(np.isfinite(x).all() and x.any() for x in vectors)
        assert len({x.tobytes() for x in vectors}) == 8


def test_shipped_gradients_of_fewer_workers() -> None:
    """The first moment, and the first workers."""
    assert np.array_equal(transformer(3), shipped("transformer", 8, "step0")[:3])
    assert np.array_equal(digits(3), digits(8, "step0")[:3])
    with pytest.raises(InputError, match="holds vectors for 8 ranks; 9 are asked for"):
        digits(9)
