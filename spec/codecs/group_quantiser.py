"""Vectors in groups of ``g`` entries, each entry a code of a few bits: the quantiser of Flash Communication [FC]_.

The entries of a group are told by where they lie between its least and its greatest: with
``2**bits - 1 = L`` and ``step = (high - low) / L``, entry ``v`` has the code ``(v - low) / step``, rounded to
the nearest whole number, ties to the even one, and not above ``L``.  It is read as ``low + step * code``.
A group all of whose entries are equal has a step of 0 and is read as it was.

With ``spikes`` [FC2]_ the least and the greatest entry of a group are sent as they are, with their places,
and ``low`` and ``high`` are those of the other entries; of equal ones the first is the spike.  A group
without other entries is its spikes.

A group that holds NaN or an infinity, or whose range overflows, comes out as NaN in all of its entries.  Where the
range is within half a step of the largest number an entry may come out as an infinity, since ``step`` is rounded.

A message has for all groups their ``low``, then their ``step``; with spikes then their least and their
greatest entries, and the places of these in their groups, of 1 byte where ``g`` is at most 256, else of 2 or
4; then the codes' planes (:mod:`~sparring.spec.codecs.bit_planes`).  The public accounts of [FC]_ give a group's step
and zero 16 bits each.  Here both have the type of the vector: a least entry that is rounded is off by up to
2^-12 of itself, however small the range, so that no bound by the range would hold.

In exact arithmetic an entry is read within half a step of what it was; in floating point, within that and
a few roundings of numbers of the size of the group's entries.

>>> coded = encode([0, 3, 5, 15, 2, 2], bits=2, g=4)
>>> coded.metadata, list(coded.planes), decode(coded)
([[0, 2], [5.0, 0.0]], [212, 0], [0.0, 5.0, 5.0, 15.0, 2.0, 2.0])
>>> decode(encode([0, 3, 5, 90], bits=1, g=4, spikes=True))
[0, 3.0, 5.0, 90]

.. [FC] Q. Li, B. Zhang, L. Ye, Y. Zhang, W. Wu, Y. Sun, L. Ma and Y. Xie, "Flash Communication",
   arXiv:2412.04964, 2024.
.. [FC2] Q. Li, B. Zhang, S. Kang, L. Xu, X. Qian, Y. Xie and L. Ma, "Flash Communication V2",
   arXiv:2508.03760, 2025.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

from sparring.errors import InputError
from sparring.spec.codecs import bit_planes
from sparring.spec.core.numbers import Int
from sparring.spec.core.vectors import Vector
from sparring.spec.core.wire_forms import Coding


class Group(NamedTuple):
    """One group: what is told of it, where its spikes are (of a group told with spikes), and its codes."""

    metadata: list[Any]
    places: list[int]
    codes: list[int]


class Coded(NamedTuple):
    """A coded vector: of ``c`` entries, in groups of ``g``; by kind the groups' metadata and the places of spikes."""

    c: int
    bits: int
    g: int
    metadata: list[list[Any]]
    places: list[list[int]]
    planes: bytes


def levels(bits: int) -> int:
    """The greatest code."""
    return (1 << bits) - 1


def checked(bits: int, g: int) -> None:
    """Raises InputError where codes have no such width, or groups no such size."""
    bit_planes.widths(bits)
    if not 1 <= g <= 1 << 32:
        raise InputError(f"g = {g}: a group must have 1 to 2**32 entries")


def place_octets(g: int) -> int:
    """How many bytes a place in a group takes."""
    return next(width for width in (1, 2, 4) if g <= 1 << 8 * width)


def octets(c: Int, bits: int, g: int, spikes: bool, width: int) -> Int:
    """How many bytes a message of ``c`` entries has, each of ``width`` bytes where it is told as it is."""
    each = 2 * (2 * width + place_octets(g)) if spikes else 2 * width
    planes: Int = bit_planes.octets(c, bits)
    return planes + each * ((c + g - 1) // g)


def rounded(v: Any, low: Any, step: Any, most: int) -> int:
    """The code of an entry."""
    return min(round((v - low) / step), most) if step else 0


def plain(values: Sequence[Any], most: int) -> Group:
    """A group of finite entries."""
    low, high = min(values) + 0, max(values) + 0  # of no two zeros with different signs
    step = (high - low) / most
    return Group([low, step], [], [rounded(v, low, step, most) for v in values])


def spiked(values: Sequence[Any], most: int) -> Group:
    """The same with spikes, whose codes are 0."""
    at = [min(range(len(values)), key=values.__getitem__), max(range(len(values)), key=values.__getitem__)]
    kept = [values[i] + 0 for i in at]
    others = [v for i, v in enumerate(values) if i not in at]
    inner = plain(others or kept[:1], most)
    rest = iter(inner.codes)
    return Group([*inner.metadata, *kept], at, [0 if i in at else next(rest) for i in range(len(values))])


def poisoned(values: Sequence[Any], spikes: bool) -> Group:
    """A group that is NaN."""
    nothing = type(values[0])("nan")
    return Group([nothing] * (4 if spikes else 2), [0, 0] if spikes else [], [0] * len(values))


def group(values: Sequence[Any], bits: int, spikes: bool) -> Group:
    """Any group."""
    if not all(map(isfinite, values)) or not isfinite(max(values) - min(values)):
        return poisoned(values, spikes)
    return (spiked if spikes else plain)(values, levels(bits))


def encode(x: Any, bits: int, g: int, spikes: bool = False) -> Coded:
    """``x`` in groups, of which the last may have fewer entries; raises InputError as :func:`checked` does."""
    checked(bits, g)
    found = [group(x[i : i + g], bits, spikes) for i in range(0, len(x), g)]
    metadata = [[one.metadata[kind] for one in found] for kind in range(4 if spikes else 2)]
    places = [[one.places[kind] for one in found] for kind in range(2 if spikes else 0)]
    return Coded(len(x), bits, g, metadata, places, bit_planes.packed([q for one in found for q in one.codes], bits))


def decode(coded: Coded) -> list[Any]:
    """What is read from these codes."""
    lows, steps, *kept = coded.metadata
    numbers = enumerate(bit_planes.unpacked(coded.planes, coded.c, coded.bits))
    found = [lows[i // coded.g] + steps[i // coded.g] * q for i, q in numbers]
    for places, values in zip(coded.places, kept):
        for i, (at, value) in enumerate(zip(places, values)):
            found[i * coded.g + at] = value
    return found


def written(coded: Coded) -> Any:
    """The message: bytes where the entries have any, else a list of what is told and of the bytes after it."""
    width = place_octets(coded.g)
    places = b"".join(at.to_bytes(width, "little") for kind in coded.places for at in kind)
    told = [value for kind in coded.metadata for value in kind]
    if all(hasattr(value, "tobytes") for value in told):
        return memoryview(b"".join(value.tobytes() for value in told) + places + coded.planes)
    return [*told, *places, *coded.planes]




@dataclass(frozen=True)
class Grouped(Coding):
    """These codes as a form in which vectors travel."""

    bits: int
    g: int
    spikes: int

    @property
    def period(self) -> int:
        """So many entries fill groups and bytes."""
        return 8 * self.g

    @property
    def most(self) -> int:
        """The greatest code: how many steps a group's range has."""
        return levels(self.bits)

    def encode(self, x: Vector) -> Coded:
        return encode(x, self.bits, self.g, bool(self.spikes))

    def decode(self, coded: Coded) -> Vector:
        return Vector(decode(coded))

    def written(self, coded: Coded) -> Any:
        return written(coded)

    def octets(self, c: Int, width: int) -> Int:
        return octets(c, self.bits, self.g, bool(self.spikes), width)
