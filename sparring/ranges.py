"""Numbers written as spans: ``1-8``, ``1-4,7``."""

from __future__ import annotations

from collections.abc import Sequence

from sparring.errors import InputError

LARGEST = 1024
"""The largest number of ranks that a command takes."""


def parse(text: str) -> tuple[int, ...]:
    """Return the numbers of ranks that ``text`` names; raises InputError where it names none.

    >>> parse("1-3,7")
    (1, 2, 3, 7)
    """
    numbers: set[int] = set()
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        if not low.isdigit() or (dash and not high.isdigit()):
            raise InputError(f"{text!r} names no numbers of ranks; write 8, 1-8 or 1-4,7")
        if int(high or low) > LARGEST:
            raise InputError(f"{text!r}: ranks go from 1 to {LARGEST}")
        numbers.update(range(int(low), int(high or low) + 1))
    if not numbers or min(numbers) < 1:
        raise InputError(f"{text!r}: ranks go from 1 to {LARGEST}")
    return tuple(sorted(numbers))


def spans(numbers: Sequence[int]) -> str:
    """Return ascending numbers as spans.

    >>> spans([1, 2, 3, 7, 9, 10])
    '1-3, 7, 9-10'
    """
    groups: list[list[int]] = []
    for x in numbers:
        if groups and x == groups[-1][-1] + 1:
            groups[-1].append(x)
        else:
            groups.append([x])
    return ", ".join(f"{g[0]}-{g[-1]}" if len(g) > 1 else str(g[0]) for g in groups)
