"""Parses the points where costs are evaluated: ranks, words, entries, and times with their units, all exact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from sparring.errors import InputError

TIMES = {"alpha": "message", "beta": "byte", "gamma": "addition"}
"""Letters that are seconds for one such thing each."""

LEVELS = {
    f"{letter}_{level}": f"{what} {where}"
    for level, where in (("in", "within a node"), ("out", "between nodes"))
    for letter, what in (("alpha", "message"), ("beta", "byte"))
}
"""The same where ranks sit in nodes."""

LOGGP = {
    "L": "message on its way",
    "o": "message at each end",
    "g": "message, from one to the next",
    "G": "byte but the first",
}
"""The letters of A. Alexandrov, M. F. Ionescu, K. E. Schauser and C. Scheiman, "LogGP: incorporating long messages
into the LogP model", SPAA 1995: a message of m bytes takes L + 2 o + (m - 1) G.  They stand in the place of alpha and
beta; see :func:`folded`."""

NUMBERS = {"p": 1, "n": 0, "k": 0, "width": 1, "node": 1, "nodes": 1}
"""Letters that are integers, with the least that they may be; ``width`` is bytes a word, ``node`` ranks of a
node, ``nodes`` how many there are."""

WIDTH = 4
"""Bytes a word where nothing is said: float32, and indices of 32 bits."""

UNITS = {"s": 0, "ms": -3, "us": -6, "µs": -6, "ns": -9, "ps": -12}
BANDWIDTHS = {
    f"{prefix}{unit}/s": Fraction(bits * 1000**power, 8)
    for unit, bits in (("bit", 1), ("B", 8))
    for power, prefix in enumerate(("", "k", "M", "G", "T"))
}
"""Bytes a second: ``beta`` may be given as a bandwidth, of which it is the reciprocal."""

LARGEST_EXPONENT = 100  # of ten, so that no short text stands for a number that fills the memory

Given = int | float | str | Fraction


def parse(text: str) -> dict[str, Fraction]:
    """Return the point that ``p=8,n=1000000,alpha=5us`` names.

    >>> parse("p=8,alpha=5us")
    {'p': Fraction(8, 1), 'alpha': Fraction(1, 200000)}
    """
    parts = [part.partition("=") for part in text.split(",")]
    if bare := [letter for letter, equals, _ in parts if not equals]:
        raise InputError(f"{bare[0].strip()!r} in {text!r} names no value; write p=8,n=1000000,alpha=5us,beta=0.1ns")
    letters = [letter.strip() for letter, *_ in parts]
    if twice := [letter for i, letter in enumerate(letters) if letter in letters[:i]]:
        raise InputError(f"{twice[0]} twice in {text!r}; right: one value for each letter")
    return point({letter: value for letter, (_, _, value) in zip(letters, parts)})


def point(values: Mapping[str, Given]) -> dict[str, Fraction]:
    """Return each value as an exact number; raise InputError, naming the letter, where one is none."""
    return folded({letter: value(letter, given) for letter, given in values.items()})


def folded(values: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Return the values with the letters of LogGP as alpha and beta.

    In lock step a rank's next message begins when the last has arrived, or after the gap ``g`` if that
    is longer: a step with a message of m bytes takes max(L + 2 o, g) + (m - 1) G.

    Raises InputError where a letter of LogGP is missing, or alpha or beta is given too.

    >>> folded({"L": Fraction(5), "o": Fraction(1), "G": Fraction(1, 4)})
    {'alpha': Fraction(27, 4), 'beta': Fraction(1, 4)}
    """
    given = LOGGP.keys() & values.keys()
    if not given:
        return dict(values)
    if twice := sorted({"alpha", "beta"} & values.keys()):
        raise InputError(f"{twice[0]} and {min(given)}: a message takes alpha and beta, or L, o, g and G, not both")
    if missing := [letter for letter in "LoG" if letter not in values]:
        raise InputError(f"{min(given)} without {missing[0]}: LogGP needs L, o and G; g is 0 where it is not given")
    byte = values["G"]
    alpha = max(values["L"] + 2 * values["o"], values.get("g", Fraction(0))) - byte
    if alpha < 0:
        raise InputError("G: a byte takes longer than a message of one byte, which is L + 2 o")
    rest = {letter: value for letter, value in values.items() if letter not in LOGGP}
    return {**rest, "alpha": alpha, "beta": byte}


def full(values: Mapping[str, Given]) -> dict[str, Fraction]:
    """Return the point as :func:`point`, with defaults for the width and the time of an addition.

    Raises InputError for more entries than a vector has: costs would count all ``k``, which nobody can send.
    """
    at = {"width": Fraction(WIDTH), "gamma": Fraction(0), **point(values)}
    if "n" in at and at.get("k", 0) > at["n"]:
        raise InputError(f"k={at['k']}: a rank has at most n={at['n']} entries")
    return at


def need(letters: Iterable[str], at: Mapping[str, Any], what: str) -> None:
    """Raise InputError where one of the letters, which ``what`` is said to need, has no value."""
    if missing := sorted({*letters} - at.keys()):
        raise InputError(f"{what} a value for {missing[0]}: {missing[0]}=VALUE")


def value(letter: str, given: Given) -> Fraction:
    """Return one letter's value."""
    seconds = {**TIMES, **LEVELS, **LOGGP}
    if letter not in (*NUMBERS, *seconds):
        raise InputError(f"no letter {letter!r}; costs have {', '.join([*NUMBERS, *seconds])}")
    text = str(given).strip()
    if letter in ("beta", "beta_in", "beta_out", "G") and text.endswith("/s"):
        return 1 / bandwidth(text)
    unit = max((u for u in UNITS if text.endswith(u)), key=len, default="") if letter in seconds else ""
    number = fraction(text.removesuffix(unit).strip())
    if letter in seconds and (number is None or number < 0):
        raise InputError(
            f"{letter}={text}: seconds a {seconds[letter]} are a number, 0 or more, with {', '.join(UNITS)}"
        )
    if letter in NUMBERS and (number is None or number.denominator != 1 or number < NUMBERS[letter]):
        raise InputError(f"{letter}={text}: {letter} is an integer, at least {NUMBERS[letter]}")
    return (number or Fraction(0)) * Fraction(10) ** UNITS.get(unit, 0)


def bandwidth(text: str) -> Fraction:
    """Return a bandwidth in bytes a second.

    >>> bandwidth("25Gbit/s")
    Fraction(3125000000, 1)
    """
    unit = max((unit for unit in BANDWIDTHS if text.endswith(unit)), key=len, default="")
    number = fraction(text.removesuffix(unit).strip()) if unit else None
    if not number or number < 0:
        raise InputError(f"beta={text}: a bandwidth is a number above 0 with {', '.join(BANDWIDTHS)}")
    return number * BANDWIDTHS[unit]


def fraction(text: str) -> Fraction | None:
    """Return the number that ``text`` is, exactly; None where it is none or too large to write down."""
    digits, _, exponent = text.lower().partition("e")
    if len(text) > LARGEST_EXPONENT or (exponent and not exponent.lstrip("+-").isdigit()):
        return None
    try:
        return Fraction(text) if abs(int(exponent or 0)) <= LARGEST_EXPONENT and digits else None
    except (ValueError, ZeroDivisionError):
        return None
