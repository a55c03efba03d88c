"""Computes the length of coded messages, of entries of 4 and of 8 bytes, for every number of entries.

Of ``c`` entries of ``w`` bytes a message has ``ceil(c b / 8)`` bytes of codes, where ``b`` is a power of two, and
``2 w`` for each of ``ceil(c / g)`` groups: 8 bits in groups of 128 are 8.5 bits an entry of float32.  With the 16
bits that steps and zeros have in the public accounts, without a bound on the error by the range, it would
be ``4 ceil(c / g)``, and 8.25 bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from sparring.proofs.logic.obligations import Obligation
from sparring.spec.codecs.group_quantiser import Grouped
from sparring.spec.codecs.sign_codec import Signs
from sparring.spec.core.numbers import Sym
from sparring.spec.core.schedule import number

a, b, e = (Sym.var(name) for name in "abe")

WIDTHS = (4, 8)
"""Bytes of an entry."""


def of_groups(code: Grouped, width: int) -> Iterator[Obligation]:
    """Yield the obligations on the messages of one kind; ``8 g`` entries fill all bytes and groups."""
    what = f"{code.bits} bits, {width} bytes"
    planes = [unit for unit in (8, 4, 2, 1) if code.bits & unit]
    told = code.octets(1, width) - code.octets(0, width) - len(planes)  # of a group
    groups, size = (a + (code.g - 1)) // code.g, code.octets(a, width)
    yield Obligation(f"none, {what}", (), code.octets(0, width) == 0)
    yield Obligation(f"a group is told, {what}", (), told == metadata(code, width))
    yield Obligation(f"room for all codes, {what}", (a >= 0,), 8 * (size - told * groups) >= code.bits * a)
    yield Obligation(f"and no more, {what}", (a >= 0,), 8 * (size - told * groups) <= code.bits * a + 7 * len(planes))
    yield Obligation(f"fewer entries, {what}", (a >= 0, b >= a), size <= code.octets(b, width))
    full = (code.g * code.bits + 8 * told) * e
    yield Obligation(f"full groups, {what}", (e >= 0,), code.octets(8 * code.g * e, width) == full)


def metadata(code: Grouped, width: int) -> int:
    """Return the bytes of a group's step and zero; spikes take two more numbers and two places in the group."""
    place = next(octets for octets in (1, 2, 4) if code.g <= 256**octets)
    return 4 * width + 2 * place if code.spikes else 2 * width


def per_entry(code: Grouped, width: int) -> Fraction:
    """Return the bits an entry, where groups and bytes are full; each eight groups fill bytes."""
    return Fraction(8 * number(code.octets(8 * code.g, width)), 8 * code.g)


def of_signs(code: Signs, widths: Sequence[int] = WIDTHS) -> Iterator[Obligation]:
    """Yield the obligations on messages of a scale and a bit for each entry."""
    for width in widths:
        size, what = code.octets(a, width), f"{width} bytes"
        yield Obligation(f"a scale, {what}", (), code.octets(0, width) == width)
        yield Obligation(f"room for all signs, {what}", (a >= 0,), 8 * (size - width) >= a)
        yield Obligation(f"and no more, {what}", (a >= 0,), 8 * (size - width) <= a + 7)
        yield Obligation(f"fewer entries, {what}", (a >= 0, b >= a), size <= code.octets(b, width))
        yield Obligation(f"full bytes, {what}", (e >= 0,), code.octets(8 * e, width) == e + width)
