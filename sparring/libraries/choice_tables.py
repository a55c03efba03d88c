"""What ``check --library --selection`` prints: which pages are chosen where, and what the own choice loses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from sparring.libraries.choice_audit import ChoiceAudit, Taken
from sparring.libraries.choices import DOUBT, Choice, Loss, by_chance
from sparring.libraries.selection import OWN

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))


def lines(found: ChoiceAudit) -> Iterator[str]:
    """Yield the answer, line by line."""
    yield f"{found.collective} of {found.library}, which is left to choose; entries are float64"
    yield from chosen(found)
    for taken in found.taken:
        yield ""
        losses = [loss for loss in found.losses if loss.ranks == taken.ranks]
        yield from beside(taken, found.sizes, losses, found.choices)
    if not found.taken:
        yield f"nothing was timed: {found.machine['cores']} core is less than two ranks need"
    elif float(found.machine["load"]) > float(found.machine["cores"]):
        yield (
            f"{found.machine['load']:g} processes wanted the {found.machine['cores']} cores before it began: "
            "times scatter, and some are those of waiting for a core"
        )


def chosen(found: ChoiceAudit) -> Iterator[str]:
    """Yield which pages are chosen, and where derived costs choose others."""
    if not found.choices:
        yield "what it sends it does not tell"
        return
    for p, row in groupby(found.choices, key=lambda one: one.ranks):
        cells = [*row]
        for i, label in enumerate(dict.fromkeys(one.label for one in cells)):
            head = f"p = {p}" if not i else ""
            yield f"  {head.ljust(6)} {label}: n = {spans(cells, label)}"
    odd = [[*some] for alike, some in groupby(found.choices, otherwise) if alike]
    letters = ", ".join(f"{letter} = {seconds(value)}" for letter, value in found.letters.items())
    yield f"derived costs ({letters}) choose {'otherwise at' if odd else 'the same, where there are any'}"
    for first, *others in odd:
        last = others[-1] if others else first
        where = entries(first.size) + (f" to {entries(last.size)}" if others else "")
        factors = [f"{one.factor:.2f}" for one in (first, *others)]
        much = " to ".join(dict.fromkeys([min(factors, key=float), max(factors, key=float)]))
        yield f"  p = {first.ranks} n = {where}: {first.derived}; {first.page} costs {much} times as much"


def otherwise(choice: Choice) -> tuple[int, str, str] | None:
    """Return the ranks, and the pages that are chosen and that derived costs choose; None where these are the same."""
    return (choice.ranks, choice.page, choice.derived) if choice.otherwise else None


def spans(cells: Sequence[Choice], label: str) -> str:
    """Write the lengths at which a row has this label, neighbours as spans."""
    runs = ([*run] for key, run in groupby(cells, key=lambda one: one.label) if key == label)
    return ", ".join(
        f"{entries(run[0].size)} to {entries(run[-1].size)}" if len(run) > 1 else entries(run[0].size) for run in runs
    )


def entries(n: int) -> str:
    """Write a number of entries; large powers of two as such.

    >>> entries(512), entries(3000), entries(1 << 20)
    ('512', '3000', '2^20')
    """
    return f"2^{n.bit_length() - 1}" if n > 1000 and n.bit_count() == 1 else str(n)


def beside(taken: Taken, sizes: Sequence[int], losses: Sequence[Loss], choices: Sequence[Choice]) -> Iterator[str]:
    """Yield a row a length: the own choice, the fastest algorithm, and what is lost."""
    yield f"times on p = {taken.ranks} ranks: medians of {taken.rounds} launches; own / fastest with quartiles"
    if by_chance(taken.rounds, taken.rounds) > DOUBT:
        yield f"{taken.rounds} launches are too few to be sure of a loss; right: more --budget"
    yield f"  {'n':>8} {'own choice':>10} {'fastest':>10} {'own / fastest':>18}   slower"
    same = {(one.ranks, one.size): one.alike for one in choices}
    for loss in losses:
        i = sizes.index(loss.size)
        own, best = (seconds(told[1]) if (told := taken.seconds[name][i]) else "" for name in (OWN, loss.best))
        low, middle, high = loss.factor
        factor, often = f"{middle:.2f} ({low:.2f}-{high:.2f})", f"{loss.slower} of {loss.rounds}"
        mark = ", the same messages" if loss.best in same.get((loss.ranks, loss.size), ()) else ""
        mark += ": lost" if loss.sure else ""
        yield f"  {entries(loss.size):>8} {own:>10} {best:>10} {factor:>18} {often:>8} {loss.best}{mark}"
    for name, why in taken.failed.items():
        yield f"  {name}: {why}"


def seconds(x: float) -> str:
    """Write seconds with three digits.

    >>> seconds(2.5e-6), seconds(0.0123), seconds(0.0)
    ('2.5 us', '12.3 ms', '0 s')
    """
    unit, name = next(((unit, name) for unit, name in UNITS if x >= unit), (1e-9, "ns") if x else (1.0, "s"))
    return f"{x / unit:.3g} {name}"
