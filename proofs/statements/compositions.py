"""Generates from a composition's text what has to be shown of it.

Nothing is stated beside it: *agreement* is that the result is the same on all ranks, *result* that it is what the page
``ensures``, *conservation* that with what is kept it makes up what was given, *deadlock* that all ranks yield the same
exchanges, whose pages never deadlock.  That sequences of such exchanges do not either is proved in
``proofs/coq/sequences.v``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any

from sparring.errors import Undecided
from sparring.proofs.exchanges import theorems
from sparring.proofs.logic.obligations import Obligation, during, implies, j, letters, p, r, some, t
from sparring.proofs.logic.obligations import i as other
from sparring.proofs.reading import averaging, loops
from sparring.proofs.reading.annotations import supplemented
from sparring.proofs.reading.exchange_promises import sizes
from sparring.proofs.reading.grid_sums import GridSum
from sparring.proofs.reading.held_values import function_codes
from sparring.proofs.reading.paths import Path, letters_of, regions_of, said_by
from sparring.proofs.reading.points import Apart, Point, parts, point
from sparring.proofs.reading.summands import nonzero, plus
from sparring.proofs.reading.symbols import free, same, values
from sparring.proofs.statements import formulas
from sparring.proofs.statements.played import weighs
from sparring.spec.core.balancing import uneven
from sparring.spec.core.exchanges import Allgather, Balance, served
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, both, negate
from sparring.spec.core.origins import home, trusted

Served = Callable[[str], Page]
"""The page of an exchange; with a fault, where one is planted."""


def false(path: Path, why: str) -> Obligation:
    """Return an obligation that cannot be shown."""
    return Obligation(f"{path.name}: {why}", path.hypotheses, False)


def about(path: Path, name: str, claim: Bool) -> Obligation:
    return Obligation(f"{path.name}: {name}", path.hypotheses, claim)


def following(found: Sequence[Path], claims: Callable[[Path], Iterator[Obligation]]) -> Iterator[Obligation]:
    """Yield each path's claims, unless no rank can go it; and that letters taken for one another are."""
    for path in found:
        if path.refused or path.unread:
            yield false(path, path.refused or path.unread)._replace(annotation=bool(path.unread))
            continue
        try:
            yield from map(of_values, [*path.same, *claims(path)])
        except Apart as why:
            yield false(path, str(why))
        except Undecided as why:  # the text may be right
            yield false(path, str(why))._replace(annotation=True)


def of_values(claim: Obligation) -> Obligation:
    """Return an obligation as one of values, which are any numbers; unless it says how it is read."""
    return claim if claim.encoding else claim._replace(encoding="values")


def equal(path: Path, name: str, a: Any, b: Any) -> Iterator[Obligation]:
    """State that two points are one number; where there is one rank, its sum over all ranks is one summand."""
    if isinstance(a, GridSum):
        yield false(path, f"{name}: {a!r}")
        return
    a, b = (point(path.given["x"].reading, one) for one in (a, b))
    unread = any(map(arithmetic, (a.each, a.rest, b.each, b.rest)))
    for claim in equalities(path, name, a, b):
        if unread:  # numbers may be equal though letters are not; whoever runs the text finds out
            yield claim._replace(annotation=True, claim=p < 1 if claim.claim is False else claim.claim)
        else:
            yield claim


def equalities(path: Path, name: str, a: Point, b: Point) -> Iterator[Obligation]:
    """State that two points are one number, where letters are read as what they stand for."""
    if path.alone:
        yield about(path, name, same(plus(a.each, a.rest), plus(b.each, b.rest)))
        return
    if nonzero(a.each) and nonzero(b.each) and a.mean != b.mean:
        yield false(path, f"{name}: {a!r}, and not {b!r}")
        return
    yield about(path, f"{name}, summand by summand", same(a.each, b.each))
    yield about(path, f"{name}, the rest", same(a.rest, b.rest))


def arithmetic(x: Any) -> bool:
    """Return whether a letter in it stands for an operator that is not read, such as a product of two numbers."""
    return any(re.fullmatch(r"_+[0-9]+_*", name) for name in free(x))


def result(
    page: Page, found: Sequence[Path], pages: Sequence[Page], served_by: Served = served
) -> Iterator[Obligation]:
    """State that the result is as the page ensures, exchanges as they promise, and the state stays as it says.

    Where there are no numbers, nothing of that is kept: the next call begins as the first.
    """
    for one in pages:
        yield from exchanged(one, formulas.result(one))
        yield from exchanged(one, averaging.result(one))
    yield from beyond("result", found, served_by)

    def claims(path: Path) -> Iterator[Obligation]:
        yield from forgotten(page, path) if path.poisoned else (*ended(page, path), *remembered(page, path))

    yield from following(found, claims)
    if hasattr(page.module, "requires"):
        somewhere = any(not path.barred and not path.alone for path in found)
        yield Obligation("what is required can be", (p >= 2,), somewhere)


def forgotten(page: Page, path: Path) -> Iterator[Obligation]:
    """State that of what was no number nothing is kept."""
    for field, kept in path.after._asdict().items() if path.after is not None else ():
        yield from equal(path, f"nothing of it is in {field}", kept, getattr(page.module.State(), field))


def ended(page: Page, path: Path) -> Iterator[Obligation]:
    """State that the result, and the state if ensured, too, are what the page ensures, under what it requires.

    A rank alone has its own vector anyway.
    """
    for one in path.loops:
        yield from loops.faithful(path, one)
    if not path.barred or path.alone:
        under = path if path.alone else path._replace(hypotheses=(*path.hypotheses, *path.required))
        for claim in as_ensured(page, under):
            yield claim._replace(encoding="digits") if path.loops else claim
        for one in () if path.alone else path.loops:
            yield from loops.result(page, path, one)


def as_ensured(page: Page, path: Path) -> Iterator[Obligation]:
    """State what the call gives, and leaves if that is ensured, too."""
    result, *states = path.ensured if isinstance(path.ensured, tuple) else (path.ensured,)
    yield from equal(path, "the result is what the page ensures", path.ended.result, result)
    for field, says in (item for state in states for item in state._asdict().items()):
        yield from equal(path, f"{field} is what the page ensures", getattr(path.after, field), says)
    if not page.agrees and getattr(path.ended.result, "placement", "") in ("shard", "arrived") and not path.alone:
        yield false(path, "the result is what only the owner of an index has")


def remembered(page: Page, path: Path) -> Iterator[Obligation]:
    """State that what the state says of itself stays so; and that of each part of it something is said."""
    after = path.after
    for field in unsaid(page, path) if after is not None else ():
        yield about(path, f"nothing is said of what {field} is after a call", False)._replace(annotation=True)
    for field in regions_of(page) if after is not None else ():
        cuts = getattr(getattr(after, field), "cuts", "") == "bounds"
        yield about(path, f"{field} cuts the vector, as its type says", cuts)
    if hasattr(page.module, "told") and after is not None:
        for field, says in said_by(page, "told", {**path.given, "state": after})._asdict().items():
            yield from equal(path, f"{field} is what the state says of it", getattr(after, field), says)
    for field, says in path.leaves.items():
        yield from equal(path, f"{field} is what a call leaves", getattr(after, field), says)


def unsaid(page: Page, path: Path) -> Iterator[str]:
    """Yield the parts of the state of which no statement of the page says what they are, on this path.

    Statements are read on a state of letters: what is said of another part, or waits, speaks of all letters in it.
    """
    reading, fields = path.given["x"].reading, path.after._fields
    letters = path.after._replace(**{field: reading.fresh(field, "partial") for field in fields})
    given, found = {**path.given, "state": letters}, [*path.leaves]
    for state in path.ensured[1:] if isinstance(path.ensured, tuple) else ():
        found += state._fields
    said: list[Any] = [said_by(page, "waiting", given)] if hasattr(page.module, "waiting") else []
    if hasattr(page.module, "told"):
        told = said_by(page, "told", given)._asdict()
        changed = [field for field in fields if told[field] is not getattr(letters, field)]
        found, said = found + changed, said + [told[field] for field in changed]
    spoken = {name for one in said for term in parts(one) for value in values(term) for name in free(value)}
    yield from (field for field in fields if field not in found and field not in spoken)


def linear(found: Sequence[Path], claimed: set[str]) -> Iterator[Obligation]:
    """State that what is read as linear is sparring's own, and something that the page's proof module has claims of.

    A user's function is not believed: what proves it linear, nobody has looked at.
    """
    marked = {(one.__name__, home(inspect.unwrap(one))) for path in found for one in path.linear}
    for name, room in sorted(marked):
        owned = trusted(room, "")
        says = f"{name} is claimed to be linear" if owned else f"{name} says that it is linear, which nothing proves"
        yield Obligation(says, (p >= 1,), owned and name in claimed, annotation=not owned)


def exchanged(page: Page, claims: Iterator[Obligation]) -> Iterator[Obligation]:
    """Yield the obligations of an exchange's page, told by its name and read in its encoding."""
    for claim in claims:
        yield claim._replace(name=f"{page.name}: {claim.name}", encoding=page.encoding, annotation=False)


def agreement(found: Sequence[Path], pages: Sequence[Page]) -> Iterator[Obligation]:
    """State that all ranks have the result: it is replicate, or there is one rank.

    What an allreduce gives is the same bits on all ranks by the theorem of its page; an allgather gives copies.
    """
    for one in pages:
        if one.kind == "allreduce" and (same_terms := supplemented(one, {}).same):
            yield from exchanged(one, formulas.agreement(one, same_terms))
        elif one.kind == "allreduce":
            yield Obligation(f"{one.name} says which ranks hold identical terms", (p >= 1,), False)

    def claims(path: Path) -> Iterator[Obligation]:
        placement = getattr(path.ended.result, "placement", "replicate")
        if not path.alone:
            yield about(path, f"the result is {placement}", placement == "replicate")

    yield from following(found, claims)


def conservation(page: Page, found: Sequence[Path], pages: Served = served) -> Iterator[Obligation]:
    """State that the result, what stays behind and what waits make up the vectors and what waited before."""
    for one in serving(found, pages):
        yield from exchanged(one, averaging.conservation(one))

    def claims(path: Path) -> Iterator[Obligation]:
        if path.poisoned or silent(page, path):
            return
        if path.loops:
            yield from loops.conservation(path)
            return
        reading = path.given["x"].reading
        y = point(reading, path.ended.result)
        ends = y.total() if page.averages else y
        begins = path.given["x"].total()
        if page.selecting:
            ends = ends + point(reading, path.ended.residual).total()
        if hasattr(page.module, "waiting"):
            after, before = waits(page, path)
            ends, begins = ends + after, begins + before
        for claim in equal(path, "nothing is lost", ends, begins):
            yield claim if weighs(page) else claim._replace(annotation=False)  # no run compares: counterexamples count

    yield from following(found, claims)


OF_A_CALL = ("x", "call")
"""What is another in the next call: of what waits between two calls it says nothing."""


def waits(page: Page, path: Path) -> tuple[Any, Any]:
    """Return what the page says that waits after a call, and before it; raise Apart where it speaks of the call."""
    if asked := [name for name in letters_of(page.module.waiting) if name in OF_A_CALL]:
        raise Apart(f"waiting asks for {asked[0]}, of which the next call has another: what waits is in the state")
    after, before = (said_by(page, "waiting", {**path.given, "state": x}) for x in (path.after, path.before))
    return after, before


def silent(page: Page, path: Path) -> bool:
    """Return whether the page says of a call that what it does not send is lost: it names nothing that waits."""
    if not hasattr(page.module, "waiting") or path.refused or path.unread:
        return False
    states = ({**path.given, "state": x} for x in (path.after, path.before))
    return all(said_by(page, "waiting", given) is None for given in states)


def conserves(page: Page, found: Sequence[Path]) -> bool:
    """Return whether the page says of some call that nothing is lost."""
    said = page.selecting or hasattr(page.module, "waiting")
    return said and not all(silent(page, path) for path in found)


def dealt_out(found: Sequence[Path]) -> Iterator[Obligation]:
    """State that sums from which entries were taken are dealt out where one rank may have too many, only there."""

    def claims(path: Path) -> Iterator[Obligation]:
        reading = path.given["x"].reading
        for e in () if path.alone else path.exchanges:
            too_many = [*reading.asked(uneven, sizes(reading, e.x))] if isinstance(e.x, Point) else []
            if isinstance(e, Balance):
                yield about(path, "what is dealt out anew lies unevenly", some(False, *too_many))
            elif type(e) is Allgather and getattr(e.x, "thinned", False):
                evenly = some(False, *map(negate, too_many))
                yield about(path, "what is gathered was dealt out anew, or lies evenly", evenly)

    yield from following(found, claims)


def deadlock(found: Sequence[Path], pages: Sequence[Page]) -> Iterator[Obligation]:
    """State that all ranks yield the same exchanges with the same terms, and each is a schedule."""
    for one in pages:
        yield from exchanged(one, formulas.schedule(one))

    def claims(path: Path) -> Iterator[Obligation]:
        if not path.alone:  # a path on which they do not is refused
            yield about(path, f"all ranks yield {len(path.exchanges)} exchanges alike", True)

    yield from following(found, claims)


def ports(found: Sequence[Path], pages: Sequence[Page], served_by: Served = served) -> Iterator[Obligation]:
    """State that in a step a rank sends at most one message to another and hears at most one from it."""
    for one in pages:
        yield from exchanged(one, apart(one))
    yield from beyond("contention", found, served_by)


def beyond(name: str, found: Sequence[Path], served_by: Served) -> Iterator[Obligation]:
    """Yield what is so of the exchanges of a text, beyond their pages' formulas, for a theorem of that name."""
    yield from theorems.beyond(name, (e for path in found for e in path.exchanges), served_by)


def apart(page: Page) -> Iterator[Obligation]:
    """State that the messages of a step are apart."""
    yield from formulas.schedule(page)
    if page.several:
        two = (*during(page), *letters(page, j, other))
        to, also = page.dst(r, t, p, j), page.dst(r, t, p, other)
        whence, too = page.src(r, t, p, j), page.src(r, t, p, other)
        active = both(page.active(r, t, p, j), page.active(r, t, p, other))
        yield Obligation("of two messages", two, implies(both(active, to == also), j == other))
        yield Obligation("from two messages", two, implies(whence == too, j == other))


class Spoken:
    """A page's module that remembers which of its functions were asked for."""

    def __init__(self, module: ModuleType) -> None:
        self._module, self.asked = module, set[str]()

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        if callable(value) and name not in ("Params", "State"):
            self.asked.add(name)
        return value


def idle(page: Page, spoken: Spoken, claims: Iterable[Obligation]) -> Iterator[Obligation]:
    """Yield the claims; and that they speak of functions of the page, which its text calls, all of them."""
    used = reached(page)
    yield from claims
    if not spoken.asked:
        yield Obligation("speaks of no function of the page", (p >= 1,), False)
    for name in sorted(spoken.asked - used):
        yield Obligation(f"the text does not call {name}", (p >= 1,), False)


def reached(page: Page) -> set[str]:
    """Return the names that a page's text speaks of, and those of which the functions do that it calls."""
    found, news = set[str](), {"program"}
    while news:
        found |= news
        functions = filter(inspect.isfunction, (own(page, name) for name in news))
        news = {name for f in functions for code in function_codes(f.__code__) for name in code.co_names} - found
    return found


def own(page: Page, name: str) -> Any:
    """Return what a page's module has of this name, without the marks that are put around functions."""
    found: Any = getattr(page.module, name, None)
    return inspect.unwrap(found) if callable(found) else found


def serving(found: Sequence[Path], pages: Served = served) -> list[Page]:
    """Return the pages of the exchanges that the text yields."""
    names = dict.fromkeys(e.through for path in found for e in path.exchanges if e.through)
    return [pages(name) for name in names]
