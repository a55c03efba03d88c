"""Vectors as the largest entries of each chunk, with their places: the codes of DeMo [PQK24]_ and SparseLoCo [S25]_.

A vector is cut into chunks of ``chunk`` entries, the last of which is filled up with zeros.  Of each the ``top``
largest entries are told, or all, where there are fewer, in the order of :mod:`~sparring.spec.core.top_k`; others are
read as zeros.

With ``bits = 0`` these entries are told as they are; else as codes of so many bits (those of
:mod:`~sparring.spec.codecs.group_quantiser`), for which the entries told of a chunk are one group: with 2 bits what
is least there, what is greatest, and two numbers at equal distances between.  The last of these entries is told again
until the codes of a chunk fill bytes.

A message has the places of all chunks, of 1 byte where a chunk has at most 256 entries, else of 2 or 4; then the
entries, or the message of their codes.  Public ports send places as numbers of 8 bytes; how the papers pack them is
not known here.

>>> code = ChunkedTopK(chunk=4, top=2, bits=0)
>>> coded = code.encode(Vector([1, -5, 0, 3, 2, 7]))
>>> coded.places, code.written(coded), code.decode(coded)
([[1, 3], [0, 1]], [1, 3, 0, 1, -5, 3, 2, 7], [0, -5, 0, 3, 2, 7])
>>> rough = ChunkedTopK(chunk=8, top=4, bits=1)
>>> rough.decode(rough.encode(Vector([9, 1, 8, 1, 2, -7, 1, -6])))
[9.0, 0, 9.0, 0, 0, -7.0, 0, -7.0]

.. [PQK24] B. Peng, J. Quesnelle and D. P. Kingma, "DeMo: decoupled momentum optimization", arXiv:2411.19870, 2024.
.. [S25] A. Sarfi, B. Thérien, J. Lidin and E. Belilovsky, "Communication efficient LLM pre-training with SparseLoCo",
   arXiv:2508.15706, 2025.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from sparring.spec.codecs import bit_planes, group_quantiser
from sparring.spec.codecs.group_quantiser import place_octets
from sparring.spec.core.numbers import Int
from sparring.spec.core.top_k import top
from sparring.spec.core.vectors import Vector
from sparring.spec.core.wire_forms import Coding


class Coded(NamedTuple):
    """A coded vector, one that is ``like``; by chunk the places that are told; and the entries, or their codes."""

    like: Vector
    places: list[list[int]]
    entries: Any


def one_nan(v: Any) -> Any:
    """The entry, of NaN always the same bits."""
    return v if v == v else type(v)("nan")  # noqa: PLR0124  # NaN alone is not equal to itself


@dataclass(frozen=True)
class ChunkedTopK(Coding):
    """These codes as a form in which vectors travel."""

    chunk: int
    top: int
    bits: int

    @property
    def period(self) -> int:
        """So many entries fill a chunk."""
        return self.chunk

    @property
    def group(self) -> int:
        """How many entries are told of a whole chunk."""
        return min(self.top, self.chunk)

    @property
    def filled(self) -> int:
        """How many codes there are of it."""
        return -(-self.group // 8) * 8 if self.bits else self.group

    def encode(self, x: Vector) -> Coded:
        full = [*map(one_nan, x), *[x.zero] * (-len(x) % self.chunk)]
        places = [top(full[i : i + self.chunk], self.top) for i in range(0, len(full), self.chunk)]
        rows = [[full[i * self.chunk + at] for at in row] for i, row in enumerate(places)]
        told = [v for row in rows for v in row + row[-1:] * (self.filled - self.group)]
        like = x.having([x.zero] * len(x))
        return Coded(like, places, group_quantiser.encode(told, self.bits, self.filled) if self.bits else told)

    def decode(self, coded: Coded) -> Vector:
        told = group_quantiser.decode(coded.entries) if self.bits else coded.entries
        found = [coded.like.zero] * (len(coded.places) * self.chunk)
        for i, row in enumerate(coded.places):
            for j, at in enumerate(row):
                found[i * self.chunk + at] = told[i * self.filled + j]
        return coded.like.having(found[: len(coded.like)])

    def written(self, coded: Coded) -> Any:
        """The message: bytes where the entries have any, else a list of places and of what is after them."""
        flat = [at for row in coded.places for at in row]
        told = group_quantiser.written(coded.entries) if self.bits else coded.entries
        if hasattr(coded.like.zero, "tobytes"):
            places = b"".join(at.to_bytes(place_octets(self.chunk), "little") for at in flat)
            rest = told if isinstance(told, memoryview) else b"".join(v.tobytes() for v in told)
            return memoryview(places + rest)
        return [*flat, *told]

    def octets(self, c: Int, width: int) -> Int:
        entries = 2 * width + bit_planes.octets(self.filled, self.bits) if self.bits else self.group * width
        return (self.group * place_octets(self.chunk) + entries) * ((c + self.chunk - 1) // self.chunk)
