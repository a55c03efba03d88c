"""Gradients of several workers, layer by layer, from files that may be larger than memory.

One file holds all workers: every array is a layer, its first axis the worker.  Or there is a file
a worker, and every array is a layer of that worker's.  Files are ``.npy``, ``.npz`` or
``.safetensors``; they are mapped, and one worker's part of one layer is read at a time.  Only what
is compressed has to be unpacked as a whole.
"""

from __future__ import annotations

import math
import struct
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sparring import inputs
from sparring.errors import InputError, MissingExtra

Vector = npt.NDArray[Any]

WIDTHS = {"bfloat16": 2, "float16": 2, "float32": 4, "float64": 8}
"""Bytes of a value, by dtype."""
LETTERS = {"BF16": "bfloat16", "F16": "float16", "F32": "float32", "F64": "float64"}
"""The dtypes' names in safetensors."""
BLOCK = 2**20  # entries that are looked at together
LARGEST = 2**46  # bytes of a file that is mapped
NPY, ZIP = b"\x93NUMPY", b"PK"
LOCAL = struct.Struct("<26x2H")  # of a zip's local header: how long the name is, and what follows it
WORKERS = 4096


class Stored(NamedTuple):
    """An array in a file."""

    shape: tuple[int, ...]
    dtype: str
    read: Callable[[Any], Vector]
    """A function that returns ``array[index]``."""


class Layer(NamedTuple):
    """A part of all workers' vectors: ``size`` entries of each worker; ``row(r)`` reads worker ``r``'s."""

    name: str
    size: int
    dtype: str
    row: Callable[[int], Vector]


class Gradients(NamedTuple):
    """The gradients of several workers, in layers: the vectors that an allreduce would add."""

    source: str
    workers: int
    layers: tuple[Layer, ...]

    @property
    def n(self) -> int:
        """The number of entries of a worker, over all layers."""
        return sum(layer.size for layer in self.layers)

    @property
    def width(self) -> int:
        """The bytes of a value of the widest layer."""
        return max(WIDTHS[layer.dtype] for layer in self.layers)

    def blocks(self, layers: Iterable[Layer], r: int) -> Iterator[Vector]:
        """Yield worker ``r``'s entries of these layers, some at a time: 1-D, float32 or, if any layer is, float64.

        Raises InputError where an entry is not finite.
        """
        dtype = np.float64 if self.width == 8 else np.float32
        for layer in layers:
            row = layer.row(r).reshape(-1)
            for start in range(0, layer.size, BLOCK):
                x = row[start : start + BLOCK].astype(dtype, copy=False)
                if not (finite := np.isfinite(x)).all():
                    at = int(finite.argmin())
                    told = f"worker {r}: entry {start + at} is {x[at]}; gradients are finite"
                    raise InputError(f"{self.source}: {layer.name}, {told}")
                yield x

    def vector(self, r: int) -> Vector:
        """Return worker ``r``'s entries of all layers, one after the other."""
        return np.concatenate([*self.blocks(self.layers, r)])


def load(paths: Sequence[str | Path], key: str | None = None) -> Gradients:
    """Return the gradients that these files hold; ``key`` names the one array that is wanted.

    Of one file every array with at least two axes is a layer, its first axis the worker; arrays
    named ``rank0``, ``rank1``, ... are the workers' whole vectors.  Of several files each is a
    worker's, with the same names and shapes.  dtypes: float16, bfloat16, float32, float64.

    Raises InputError: one sentence that says what is wrong, where, and what would be right;
    MissingExtra for a ``.safetensors`` file where the package of that name is not installed.
    """
    if not paths:
        raise InputError("there are no gradients; right: a file .npy, .npz or .safetensors, or a file a worker")
    files = [Path(path) for path in paths]
    if len(files) > WORKERS:
        raise InputError(f"{len(files)} files, one a worker; at most {WORKERS} are read")
    arrays = [wanted(path, stored(path), key) for path in files]
    if len(files) > 1:
        return Gradients(f"{files[0]} and {len(files) - 1} more", len(files), together(files, arrays))
    found = arrays[0]
    if "rank0" in found:
        names = [name for name in found if name.startswith("rank")]
        return Gradients(str(files[0]), len(names), by_rank(files[0], found, names))
    return Gradients(str(files[0]), *stacked(files[0], found))


def sample() -> Gradients:
    """Return the shipped gradients: eight workers', of a perceptron on scikit-learn's digits, after 300 steps."""
    vectors = np.stack(inputs.digits(8, "step300"))
    hidden = (vectors.shape[1] - 10) // 75  # of 64 pixels and 10 digits; see examples/digits_gradients.py
    sizes = {"hidden.weight": 64 * hidden, "hidden.bias": hidden, "out.weight": 10 * hidden, "out.bias": 10}
    parts = np.split(vectors, np.cumsum([*sizes.values()])[:-1], axis=1)
    return held(dict(zip(sizes, parts)), "the shipped digits")


def held(arrays: Mapping[str, Any], source: str = "memory") -> Gradients:
    """Return arrays in memory as gradients, by name, the first axis the worker.  Raises InputError as :func:`load`."""
    found = {name: np.asarray(one) for name, one in arrays.items()}
    tables = {name: Stored(one.shape, native(one.dtype), one.__getitem__) for name, one in found.items()}
    return Gradients(source, *stacked(Path(source), wanted(Path(source), tables, None)))


def wanted(path: Path, arrays: Mapping[str, Stored], key: str | None) -> Mapping[str, Stored]:
    """Return the arrays that are asked for and may be gradients; scalars beside them are left out."""
    if key is not None and key not in arrays:
        raise InputError(f"{path}: no entry {key!r}; there are {inputs.listed(arrays)}")
    found = {name: one for name, one in arrays.items() if name == key or (key is None and one.shape)}
    if not found:
        raise InputError(f"{path}: there is no array in it; right: every array is a layer, its first axis the worker")
    for name, one in found.items():
        if one.dtype not in WIDTHS:
            right = inputs.either([*WIDTHS])
            raise InputError(f"{path}: entry {name[:60]!r} has dtype {one.dtype}; right: {right}")
    return found


def stacked(path: Path, arrays: Mapping[str, Stored]) -> tuple[int, tuple[Layer, ...]]:
    """Return the number of workers, and layers from arrays with the workers as the first axis."""
    first, *_ = arrays.values()
    workers = first.shape[0] if first.shape else 0
    for name, one in arrays.items():
        if len(one.shape) < 2 or one.shape[0] != workers:
            right = f"the first axis of every array is the worker, here {workers}; or give a file a worker"
            raise InputError(f"{path}: entry {name[:60]!r} has shape {one.shape}; right: {right}")
    if not 1 <= workers <= WORKERS:
        raise InputError(f"{path}: {workers} workers; right: 1 to {WORKERS}, the first axis (is it transposed?)")
    return workers, tuple(Layer(name, math.prod(one.shape[1:]), one.dtype, one.read) for name, one in arrays.items())


def by_rank(path: Path, arrays: Mapping[str, Stored], names: Sequence[str]) -> tuple[Layer, ...]:
    """Return one layer, made of the vectors ``rank0``, ``rank1``, ...."""
    first = arrays["rank0"]
    for r, name in enumerate(sorted(names, key=lambda name: (len(name), name))):
        if name != f"rank{r}":
            raise InputError(f"{path}: no entry 'rank{r}' among {len(names)}; number them from rank0 on")
        refuse_unlike(path, name, arrays[name], first)
    return (Layer("rank*", math.prod(first.shape), first.dtype, lambda r: arrays[f"rank{r}"].read(...)),)


def together(files: Sequence[Path], arrays: Sequence[Mapping[str, Stored]]) -> tuple[Layer, ...]:
    """Return the layers of workers that have a file each."""
    for path, found in zip(files, arrays):
        if missing := sorted(arrays[0].keys() ^ found.keys()):
            raise InputError(
                f"{path}: {missing[0][:60]!r} is in it or in {files[0]}, not in both; right: the same names"
            )
        for name, one in found.items():
            refuse_unlike(path, name, one, arrays[0][name])
    return tuple(Layer(name, math.prod(one.shape), one.dtype, reader(arrays, name)) for name, one in arrays[0].items())


def reader(arrays: Sequence[Mapping[str, Stored]], name: str) -> Callable[[int], Vector]:
    """Return a function that reads worker ``r``'s array of that name."""
    return lambda r: arrays[r][name].read(...)


def refuse_unlike(path: Path, name: str, one: Stored, first: Stored) -> None:
    """Raise InputError unless two workers' arrays have the same shape and dtype."""
    if (one.shape, one.dtype) != (first.shape, first.dtype):
        told = f"has shape {one.shape} and dtype {one.dtype}, that of the first worker {first.shape} and {first.dtype}"
        raise InputError(f"{path}: entry {name[:60]!r} {told}; right: the same for all workers")


def stored(path: Path) -> Mapping[str, Stored]:
    """Return the arrays of a file, from their headers alone."""
    with inputs.opened(path, LARGEST) as stream:
        start = stream.read(len(NPY))
    if start == NPY:
        return {path.stem: array(path)}
    if start.startswith(ZIP):
        return members(path)
    if path.suffix == ".safetensors":
        return tensors(path)
    raise InputError(f"{path}: neither an .npy nor an .npz file; right: .npy, .npz, or .safetensors by that name")


def array(path: Path) -> Stored:
    """Return the array of an ``.npy`` file, mapped."""
    try:
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    except (*inputs.DAMAGED, *inputs.GARBLED) as error:
        raise InputError(f"{path}: is damaged or cut short ({error}); right: as numpy.save writes it") from error
    return Stored(mapped.shape, native(mapped.dtype), mapped.__getitem__)


def members(path: Path) -> Mapping[str, Stored]:
    """Return the arrays of an ``.npz`` file."""
    with archive(path) as file:
        found = inputs.Archive(path, file, LARGEST, tuple(WIDTHS))
    return {name: Stored(one.shape, native(one.dtype), taken(path, name)) for name, one in found.headers.items()}


def native(dtype: np.dtype[Any]) -> str:
    """Return the name of the dtype, whatever its byte order."""
    return dtype.newbyteorder("=").name


def taken(path: Path, name: str) -> Callable[[Any], Vector]:
    """Return a function that reads that entry, or a part of it."""
    return lambda index: member(path, name)[index]


@lru_cache(maxsize=1)
def member(path: Path, name: str) -> Vector:
    """Return an array of an ``.npz`` file: mapped where it is stored as it is, else unpacked."""
    with archive(path) as file:
        found = inputs.Archive(path, file, LARGEST, tuple(WIDTHS))
        header, info = found.checked(name), found.members[name]
        if info.compress_type == zipfile.ZIP_STORED and 0 not in header.shape:
            with path.open("rb") as stream:
                stream.seek(info.header_offset)
                start = info.header_offset + LOCAL.size + sum(LOCAL.unpack(stream.read(LOCAL.size)))
            order: Any = "F" if header.fortran else "C"
            return np.memmap(path, header.dtype, "r", start + header.offset, header.shape, order)
        if info.file_size > inputs.SIZE:
            raise found.fault(name, f"takes {info.file_size} bytes unpacked; right: numpy.savez, not compressed")
        return found.read(name)


def archive(path: Path) -> zipfile.ZipFile:
    """Open the zip archive at ``path``."""
    try:
        return zipfile.ZipFile(path)
    except (*inputs.DAMAGED, *inputs.GARBLED) as error:
        raise InputError(f"{path}: is a zip archive, but damaged; right: as numpy.savez writes it") from error


def tensors(path: Path) -> Mapping[str, Stored]:
    """Return the tensors of a ``.safetensors`` file, mapped."""
    if missing := [name for name in ("safetensors", "ml_dtypes") if find_spec(name) is None]:
        raise MissingExtra(f'{path}: no {missing[0]} here; to install it: pip install "sparring[safetensors]"')
    import ml_dtypes  # noqa: F401  # numpy learns bfloat16 from it
    from safetensors import SafetensorError, safe_open

    try:
        file: Any = safe_open(path, framework="numpy")
        slices: dict[str, Any] = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118  # it is no mapping
    except (SafetensorError, *inputs.DAMAGED) as error:
        raise InputError(f"{path}: is no safetensors file: {error}") from error
    return {
        name: Stored(
            tuple(one.get_shape()),
            LETTERS.get(str(one.get_dtype()), str(one.get_dtype())),
            tensor_reader(file, name, one),
        )
        for name, one in slices.items()
    }


def tensor_reader(file: Any, name: str, view: Any) -> Callable[[Any], Vector]:
    """Return a function that reads a tensor, or worker ``r``'s part of it alone."""
    return lambda index: file.get_tensor(name) if index is ... else view[index : index + 1]
