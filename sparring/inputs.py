"""Vectors to reduce, read from a user's ``.npz``.  Such a file is a stranger's: data, never code.

It is a zip archive of ``.npy`` members.  What a member declares (its size, its dtype, its
shape) is checked before its entries are read, so that a small file cannot fill the memory; object
arrays, which only pickle could read, are refused.

Vectors stand in it whole: rows of one 2-D array, or 1-D arrays ``rank0``, ``rank1``, ....  Or sparse:
rank ``r`` has the 1-D arrays ``indices{r}`` (int32 or int64, strictly ascending, in [0, n)) and
``values{r}`` (as many, of one dtype on all ranks), and the scalar ``n`` is the length of all:
``numpy.savez("x.npz", n=6, indices0=[1, 4], values0=[2.5, 0.5], indices1=[0], values1=[1.0])``.
"""

from __future__ import annotations

import importlib.resources
import io
import math
import re
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sparring.errors import InputError
from sparring.sparse import INDICES, VALUES, Sparse

Vector = npt.NDArray[Any]

DTYPES = VALUES
SIZE = 2**30  # bytes, of the file and of everything in it when uncompressed
LENGTH = 2**46  # of an axis
RANKS = MEMBERS = 4096
HEADER = 16_384  # bytes within which a member's header must end; numpy's own limit is 10,000
WANTED = "one 2-D array (rank by entry), or 1-D arrays named rank0, rank1, ..."
SHIPPED = ("digits", "transformer")
"""Gradients that come with sparring."""
PARTS = "indices0, values0, indices1, values1, ..., and n"

# What zipfile and zlib raise on damaged archives, and numpy, a literal parser, on damaged headers.
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError)
GARBLED = (ValueError, TypeError, SyntaxError, TokenError, OverflowError, MemoryError, RecursionError)


class Header(NamedTuple):
    """The shape, order and dtype that a ``.npy`` member declares, and the byte at which its entries begin."""

    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype[Any]
    offset: int


class Archive:
    """An open ``.npz``: its members, their headers, and the arrays of those that are asked for."""

    def __init__(self, path: Path, file: zipfile.ZipFile, limit: int, dtypes: Sequence[str] = DTYPES) -> None:
        self.path, self.file, self.dtypes = path, file, dtypes
        members = file.infolist()
        if len(members) > MEMBERS:
            raise InputError(f"{path}: {len(members)} entries; at most {MEMBERS} are read")
        if (size := sum(m.file_size for m in members)) > limit:
            raise InputError(f"{path}: its entries take {size} bytes uncompressed; at most {limit} are read")
        self.members = {m.filename.removesuffix(".npy"): m for m in members}
        if len(self.members) < len(members):
            raise InputError(f"{path}: two entries have the same name; each name may occur once")
        self.headers = {name: self.header(name) for name in self.members}

    def fault(self, name: str, why: str) -> InputError:
        """Return the error that says what is wrong with the entry called ``name``."""
        return InputError(f"{self.path}: entry {name[:60]!r} {why}")

    def header(self, name: str) -> Header:
        """Read the entry's header; raises InputError where it has no ``.npy`` header."""
        member = self.members[name]
        if member.flag_bits & 1:
            raise self.fault(name, "is encrypted; right: a plain archive, as numpy.savez writes it")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise self.fault(name, "is not compressed by deflate; right: as numpy.savez_compressed writes it")
        try:
            with self.file.open(member) as stream:
                return parse(stream.read(HEADER))
        except DAMAGED as error:
            raise self.fault(name, f"is damaged or cut short ({error})") from error
        except GARBLED as error:
            raise self.fault(name, "is not an array in numpy's .npy format; write it with numpy.savez") from error

    def checked(self, name: str) -> Header:
        """Return the entry's header; raises InputError where its dtype is not wanted or its shape does not fit."""
        header = shape, _, dtype, offset = self.headers[name]
        right = either(self.dtypes)
        if dtype.hasobject:
            raise self.fault(name, f"holds Python objects, which need pickle and are not read; right: {right}")
        if dtype.newbyteorder("=").name not in self.dtypes:
            raise self.fault(name, f"has dtype {dtype}; right: {right}")
        size = self.members[name].file_size
        if not all(0 <= length <= LENGTH for length in shape) or offset + math.prod(shape) * dtype.itemsize != size:
            raise self.fault(name, f"is damaged: its shape does not fit its {size} bytes")
        return Header(*header)

    def read(self, name: str) -> Vector:
        """Return the entry's array, in native byte order.

        Raises InputError where its dtype is not wanted or its entries are not what it declares.
        """
        shape, fortran, dtype, offset = self.checked(name)
        size, count = self.members[name].file_size, math.prod(shape)
        try:
            data = self.file.read(self.members[name])
        except DAMAGED as error:
            raise self.fault(name, f"is damaged or cut short ({error})") from error
        if len(data) != size:
            raise self.fault(name, f"is damaged: it has {len(data)} bytes and declares {size}")
        array = np.frombuffer(data, dtype, count, offset).reshape(shape, order="F" if fortran else "C")
        return array.astype(dtype.newbyteorder("="), order="C")


def load_vectors(
    path: str | Path, ranks: int | None = None, key: str | None = None, *, limit: int = SIZE
) -> list[Vector]:
    """Return one vector a rank from the ``.npz`` at ``path``: contiguous 1-D arrays of one length and dtype.

    The vectors are the first of these that there is:

    - with ``key``: the 2-D array of that name, row ``r`` for rank ``r``;
    - 1-D arrays named ``rank0``, ``rank1``, ... without a gap;
    - the 2-D array that comes first in the file (the order in which they were saved).

    Whatever else the file holds is left alone.  ``ranks=N`` takes the first N.  The dtype is
    float32, float64, int32 or int64, of either byte order.  ``limit`` bounds, in bytes, the file
    and what its entries take uncompressed.

    Raises InputError: one sentence that says what is wrong, where, and what would be right.
    """
    return loaded(path, ranks, limit, lambda archive: choose(archive, key))


def load(path: str | Path, ranks: int | None = None, key: str | None = None, *, limit: int = SIZE) -> list[Any]:
    """Load vectors as :func:`load_vectors`, or sparse ones where the file has ``indices0``, ``values0``, ... and ``n``.

    Sparse ones are read unless there is a ``key`` or a ``rank0``.

    Raises InputError, also where indices are not strictly ascending in [0, n), a part is missing, or
    there are not as many indices as values.
    """
    return loaded(path, ranks, limit, lambda archive: sparse(archive) if parts(archive, key) else choose(archive, key))


def loaded(path: str | Path, ranks: int | None, limit: int, pick: Callable[[Archive], list[Any]]) -> list[Any]:
    """Return the vectors that ``pick`` takes from the archive at ``path``, for the first ``ranks`` ranks."""
    path = Path(path)
    if ranks is not None and ranks < 1:
        raise InputError(f"ranks = {ranks}; right: 1 or more")
    with opened(path, limit) as stream:
        try:
            file = zipfile.ZipFile(stream)
        except (*DAMAGED, *GARBLED) as error:
            raise InputError(f"{path}: {instead(stream)}") from error
        with file:
            vectors = pick(Archive(path, file, limit))
    if len(vectors) < (ranks or 1):
        raise InputError(f"{path}: holds vectors for {len(vectors)} ranks; {ranks or 1} are asked for")
    return vectors[:ranks]


def digits(ranks: int, key: str | None = None) -> list[Vector]:
    """Return real gradients for up to 8 ranks, float32 of 9610 entries: a perceptron on scikit-learn's digits.

    ``key`` says how long the perceptron had been trained: ``step0`` (the default), ``step30`` or ``step300``.
    They ship with sparring; ``examples/digits_gradients.py`` made them.

    >>> [x.shape for x in digits(2)]
    [(9610,), (9610,)]
    """
    return shipped("digits", ranks, key)


def transformer(ranks: int, key: str | None = None) -> list[Vector]:
    """Return real gradients as :func:`digits` does, but of a small transformer on text: float32 of 11709 entries.

    They ship with sparring; ``examples/torch/transformer_gradients.py`` made them.

    >>> [x.shape for x in transformer(2, "step300")]
    [(11709,), (11709,)]
    """
    return shipped("transformer", ranks, key)


def shipped(name: str, ranks: int, key: str | None = None) -> list[Vector]:
    """Return the shipped gradients of that name, one of ``SHIPPED``; raises InputError as :func:`load_vectors`."""
    sample = importlib.resources.files("sparring") / "data" / f"{name}_gradients.npz"
    with importlib.resources.as_file(sample) as path:
        return load_vectors(path, ranks, key)


def opened(path: Path, limit: int) -> IO[bytes]:
    """Open the file; raises InputError unless it is a regular file of at most ``limit`` bytes."""
    try:
        if not path.exists():
            raise InputError(f"{path}: no such file")
        if not path.is_file():
            raise InputError(f"{path}: is no regular file; right: an .npz file, as numpy.savez writes it")
        if (size := path.stat().st_size) > limit:
            raise InputError(f"{path}: {size} bytes; at most {limit} are read")
        return path.open("rb")
    except InputError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from error


def instead(stream: IO[bytes]) -> str:
    """Return, in words, what a file that is no sound zip archive is, and what would be right."""
    stream.seek(0)
    start = stream.read(6)
    if start == b"\x93NUMPY":
        return "is one array, an .npy; right: an .npz, numpy.savez('x.npz', gradients=array)"
    what = "is a zip archive, but damaged or cut short" if start[:2] == b"PK" else "is no zip archive"
    return f"{what if start else 'is empty'}; right: an .npz, as numpy.savez writes it, with {WANTED}"


def parse(start: bytes) -> Header:
    """Read the header at the start of a ``.npy`` file; raises one of GARBLED where there is none."""
    stream = io.BytesIO(start)
    version = np.lib.format.read_magic(stream)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    with warnings.catch_warnings(action="ignore"):  # what a stranger's header makes the parser say
        shape, fortran, dtype = read(stream)
    return Header(tuple(map(int, shape)), fortran, dtype, stream.tell())


def choose(archive: Archive, key: str | None) -> list[Vector]:
    """Return the vectors that :func:`load_vectors` describes, each contiguous."""
    headers = archive.headers
    if key is not None:
        if key not in headers:
            raise InputError(f"{archive.path}: no entry {key!r}; there are {listed(headers)}")
        return rows(archive, key)
    if "rank0" in headers:
        return by_rank(archive)
    for name, header in headers.items():
        if len(header.shape) == 2:
            return rows(archive, name)
    found = listed(f"{name} ({len(header.shape)}-D)" for name, header in headers.items())
    raise InputError(f"{archive.path}: no vectors to reduce; right: {WANTED}; there are {found}")


def rows(archive: Archive, name: str) -> list[Vector]:
    """Return the rows of one 2-D array."""
    shape = archive.headers[name].shape
    if len(shape) != 2:
        raise archive.fault(name, f"is {len(shape)}-D; right: 2-D, rank by entry")
    if shape[0] > RANKS:
        raise archive.fault(name, f"has {shape[0]} rows, one a rank; at most {RANKS} are read (is it transposed?)")
    return [row.copy() for row in archive.read(name)]


def by_rank(archive: Archive) -> list[Vector]:
    """Return the arrays named rank0, rank1, ..., which must agree in length and dtype."""
    named = {name for name in archive.headers if name.startswith("rank") and name[4:].isdecimal()}
    names = [f"rank{r}" for r in range(len(named))]
    if missing := [name for name in names if name not in named]:
        raise InputError(f"{archive.path}: no entry {missing[0]!r} among {len(named)}; number them from rank0 on")
    first = archive.headers["rank0"]
    for name in names:
        shape, _, dtype, _ = archive.headers[name]
        if len(shape) != 1:
            raise archive.fault(name, f"is {len(shape)}-D; right: 1-D, one vector a rank")
        if shape != first.shape:
            raise archive.fault(name, f"has {shape[0]} entries, rank0 has {first.shape[0]}; right: one length for all")
        if dtype != first.dtype:
            raise archive.fault(name, f"has dtype {dtype}, rank0 has {first.dtype}; right: one dtype for all")
    return [archive.read(name) for name in names]


def parts(archive: Archive, key: str | None) -> list[str]:
    """Return the names of the entries that hold sparse vectors; none where the vectors are whole."""
    if key is not None or "rank0" in archive.headers:
        return []
    return [name for name in archive.headers if re.fullmatch("(indices|values)[0-9]+", name)]


def sparse(archive: Archive) -> list[Sparse]:
    """Return the sparse vectors of all ranks, which must agree in dtype."""
    names = parts(archive, None)
    count = max(sum(name.startswith(kind) for name in names) for kind in ("indices", "values"))
    n = int(read_array(archive, "n", 0, INDICES, "the length of all vectors"))
    vectors: list[Sparse] = []
    for r in range(count):
        indices, values = (
            read_array(archive, f"{kind}{r}", 1, dtypes, f"rank {r}")
            for kind, dtypes in (("indices", INDICES), ("values", VALUES))
        )
        if vectors and values.dtype != (first := vectors[0].dtype):
            raise archive.fault(
                f"values{r}", f"(rank {r}) has dtype {values.dtype}, rank 0 has {first}; right: one dtype for all"
            )
        try:
            vectors.append(Sparse(indices, values, n))
        except InputError as error:
            raise archive.fault(f"indices{r}", f"(rank {r}): {error}") from error
    return vectors


def read_array(archive: Archive, name: str, dimensions: int, dtypes: tuple[str, ...], what: str) -> Vector:
    """Return the array of that name; raises InputError unless it is there, of these dimensions and dtypes."""
    if name not in archive.headers:
        raise InputError(f"{archive.path}: no entry {name!r} ({what}); right: {PARTS}")
    header = archive.headers[name]
    if len(header.shape) != dimensions:
        raise archive.fault(name, f"({what}) is {len(header.shape)}-D; right: {dimensions}-D")
    if header.dtype.newbyteorder("=").name not in dtypes:
        raise archive.fault(name, f"({what}) has dtype {header.dtype}; right: {either(dtypes)}")
    return archive.read(name)


def either(words: Sequence[str]) -> str:
    """Return the words as a choice, in prose."""
    return f"{', '.join(words[:-1])} or {words[-1]}"


def listed(names: Iterable[str]) -> str:
    """Return the first few names, in prose."""
    shown = [name[:60] for name in names]
    more = f", ... ({len(shown)} in all)" if len(shown) > 8 else ""
    return (", ".join(shown[:8]) or "none") + more
