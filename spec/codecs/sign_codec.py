"""Vectors as one sign an entry and one scale for all: the codes of 1-bit Adam [TG21]_.

Entry ``v`` has the sign ``+`` if ``v >= 0``, zeros of both kinds included, else ``-``; it is read as ``s`` or
``-s``.  With ``norm = 2`` the scale of a vector of ``d`` entries is ``|v|_2 / sqrt(d)``, as in the published code;
with ``norm = 1`` it is ``|v|_1 / d``, the scale that leaves least.  A vector without entries has the scale 0.

A scale is found in 64 bits, whatever the type of the vector, and rounded once, to that type.  What is added
up, squares or magnitudes, is folded: the later half, which is the shorter one if they differ, is added to
the earlier, and so on until one number is left.  Then it is divided by ``d``, and a root is taken.  This order
is this module's own: the published code has that of its library.

Where an entry is NaN or infinite, or the sum overflows, the scale is NaN, and all that is read is.

A message has the scale, then the signs: bit ``i % 8``, from the lowest, of byte ``i // 8`` is set if entry
``i`` has the sign ``+``.

>>> m = signed([3.0, -1.0, 0.0, -2.0, 5.0], norm=1)
>>> m, read(m), written(m)
(Signed(scale=2.2, signs=[1, 0, 1, 0, 1]), [2.2, -2.2, 2.2, -2.2, 2.2], [2.2, 21])

.. [TG21] H. Tang, S. Gan, A. A. Awan, S. Rajbhandari, C. Li, X. Lian, J. Liu, C. Zhang and Y. He, "1-bit Adam",
   ICML 2021, arXiv:2102.02888.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, isqrt, sqrt
from typing import Any, ClassVar, NamedTuple

from sparring.errors import InputError
from sparring.spec.codecs import bit_planes
from sparring.spec.core.numbers import Int
from sparring.spec.core.vectors import Vector
from sparring.spec.core.wire_forms import Coding


class Signed(NamedTuple):
    """A coded vector; ``signs``: 1 for ``+``, 0 for ``-``."""

    scale: Any
    signs: list[int]


def octets(c: Int, width: int) -> Int:
    """How many bytes a message of ``c`` entries takes, with a scale of ``width`` bytes."""
    return width + bit_planes.octets(c, 1)


def sign(v: Any) -> int:
    return 1 if v >= 0 else 0


def folded(values: Sequence[Any]) -> Any:
    """The sum of these, of at least one, in the order that is told above."""
    while len(values) > 1:
        half = (len(values) + 1) // 2
        values = [a + b for a, b in zip(values, values[half:])] + [*values[len(values) // 2 : half]]
    return values[0]


def floating(v: Any) -> bool:
    return isinstance(v, float) or hasattr(v, "dtype")


def exact(v: Any) -> Any:
    """A number of 64 bits, or a fraction."""
    return float(v) if floating(v) else Fraction(v)


def root(v: Any) -> Any:
    """The square root; raises InputError for a fraction that has none among fractions."""
    if isinstance(v, float):
        return sqrt(v)
    found = Fraction(isqrt(v.numerator), isqrt(v.denominator))
    if found * found != v:
        raise InputError(f"a mean square of {v} has no rational root: norm=1 needs none, and floats have one")
    return found


def mean_size(x: Sequence[Any], norm: int) -> Any:
    """The scale, before it is rounded."""
    sizes = [abs(exact(v)) for v in x]
    return folded(sizes) / len(x) if norm == 1 else root(folded([v * v for v in sizes]) / len(x))


def scale(x: Sequence[Any], norm: int, none: Any = 0) -> Any:
    """The scale, in the type of the entries; ``none``: where there are none."""
    if len(x) == 0:
        return none
    found, kind = mean_size(x, norm), type(x[0])
    if not floating(x[0]):
        return found
    return kind(found) if isfinite(found) else kind("nan")


def signed(x: Sequence[Any], norm: int, none: Any = 0) -> Signed:
    """The codes of a vector."""
    return Signed(scale(x, norm, none), [sign(v) for v in x])


def part(coded: Signed, cut: slice) -> Signed:
    """The codes of a piece, with the scale of the whole."""
    return Signed(coded.scale, coded.signs[cut])


def read(coded: Signed) -> list[Any]:
    """What is read from these codes."""
    return [coded.scale if one else -coded.scale for one in coded.signs]


def written(coded: Signed) -> Any:
    """The message: bytes where the scale has any, else a list of the scale and of the bytes after it."""
    planes = bit_planes.packed(coded.signs, 1)
    return memoryview(coded.scale.tobytes() + planes) if hasattr(coded.scale, "tobytes") else [coded.scale, *planes]


@dataclass(frozen=True)
class Signs(Coding):
    """These codes as a form in which vectors travel; a piece has the scale of the whole vector."""

    norm: int
    whole: ClassVar[bool] = True

    def encode(self, x: Vector) -> Signed:
        return signed(x.entries, self.norm, x.zero)

    def pieces(self, x: Vector, cuts: Sequence[slice]) -> list[Signed]:
        coded = self.encode(x)
        return [part(coded, cut) for cut in cuts]

    def decode(self, coded: Signed) -> Vector:
        return Vector(read(coded), type(coded.scale)(0))

    def written(self, coded: Signed) -> Any:
        return written(coded)

    def octets(self, c: Int, width: int) -> Int:
        return octets(c, width)
