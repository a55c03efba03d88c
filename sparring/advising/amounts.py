"""Seconds, bytes and parts as people read them: three digits and a unit."""

from __future__ import annotations

from fractions import Fraction

TIMES = ((Fraction(1), "s"), (Fraction(1, 10**3), "ms"), (Fraction(1, 10**6), "us"), (Fraction(1, 10**9), "ns"))
BYTES = ("B", "kB", "MB", "GB", "TB")


def lasting(seconds: Fraction) -> str:
    """Return a time as text, with its unit.

    >>> lasting(Fraction(31, 10_000)), lasting(Fraction(3))
    ('3.1 ms', '3 s')
    """
    unit, name = next((one for one in TIMES if seconds >= one[0]), TIMES[-1])
    return f"{float(seconds / unit):.3g} {name}"


def amount(nbytes: Fraction | int) -> str:
    """Return a number of bytes as text, with its unit.

    >>> amount(1_234_000), amount(12)
    ('1.23 MB', '12 B')
    """
    size, unit = float(nbytes), 0
    while size >= 999.5 and unit < len(BYTES) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.3g} {BYTES[unit]}"


def percent(part: Fraction | float) -> str:
    """Return a part as text, in hundredths.

    >>> percent(Fraction(1, 3))
    '33.3 %'
    """
    return f"{100 * float(part):.3g} %"
