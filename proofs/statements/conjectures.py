"""Lists what the kernel tries to prove of a page, in a fixed order, each with its sentence."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from sparring.errors import Undecided
from sparring.proofs.contention import claims, networks
from sparring.proofs.logic.obligations import Obligation, with_lemmas
from sparring.proofs.logic.queries import Answer
from sparring.proofs.reading import averaging, integer_room, local_functions
from sparring.proofs.reading.annotations import Subject
from sparring.proofs.reading.paths import Path
from sparring.proofs.statements import compositions, execution, formulas, played
from sparring.proofs.statements.volume import volume
from sparring.spec.core.model import Page

CLAIM = "claim: "
"""With this begins the name of what a proof module claims further of a composition."""
PEERS = "peers"


class Conjecture(NamedTuple):
    """A claim and the obligations from which it follows."""

    name: str
    statement: str
    obligations: Iterable[Obligation]
    """Of one that :func:`conjectures` gives, a tuple."""
    check: execution.Check | None
    """Decides by running, where an obligation about an annotation fails; None: there is none."""
    encoding: str = "wrap"
    """How its obligations are read."""
    contended: bool = False
    """It is expected to be refuted: messages meet."""
    general: bool = True
    """It speaks of all values of the parameters, as far as the page's theorems do; else of those that it has."""
    played: execution.Check | None = None
    """What a few runs of a composition must not find wrong where its text is proved; of formulas that is ``check``."""
    chosen: bool = False
    """Something that it rests on is proved for chosen values alone, though for every number of ranks."""


class Found(NamedTuple):
    """A fault that refutes an obligation: what is changed, the page with it, and the solver's counterexample."""

    told: str
    subject: Subject
    conjecture: Conjecture
    answer: Answer


def conjectures(subject: Subject, only: str = "") -> Iterator[Conjecture]:
    """Yield the subject's conjectures, all or the one of that name, one by one, since building one reads formulas."""
    apart = subject.page.composed and (only == PEERS or only.startswith(CLAIM))
    for one in beside(subject) if apart else stated(subject):
        if only and one.name != only:
            continue
        conjecture = one._replace(obligations=tuple(told_apart(one.obligations)))
        if conjecture.name == "partition" or subject.page.composed:  # it is not about the page's formulas
            yield conjecture
        else:
            helped = with_lemmas(subject.page, subject.lemmas, conjecture.obligations)
            given, scope = (subject.given, subject.scope) if conjecture.general else (subject.chosen, subject.choice)
            claims = tuple(claim._replace(hypotheses=(*given, *claim.hypotheses)) for claim in helped)
            statement = conjecture.statement.removesuffix(".") + scope + "."
            yield conjecture._replace(statement=statement, obligations=claims, encoding=subject.page.encoding)


def told_apart(claims: Iterable[Obligation]) -> Iterator[Obligation]:
    """Yield the obligations, each with a name of its own: what is known of one by its name is not said of another."""
    seen = Counter[str]()
    for one in claims:
        seen[one.name] += 1
        yield one._replace(name=f"{one.name} ({seen[one.name]})") if seen[one.name] > 1 else one


def stated(subject: Subject) -> Iterator[Conjecture]:
    """Yield the conjectures as they are, without lemmas; their obligations are generated when they are asked for."""
    page = subject.page
    if page.composed:
        yield from of_composition(subject)
        return
    yield Conjecture(
        "result",
        f"After all steps every cell is made of each contribution of its goal exactly once ({promised(page)})."
        + local_functions.SAID.get(page.data, ""),
        chain(formulas.result(page), local_functions.values(page)),
        execution.wrong_result,
    )
    if subject.same:
        yield Conjecture(
            "agreement",
            "All ranks end with the identical term in every chunk, hence with identical bits.",
            chain(formulas.agreement(page, subject.same), local_functions.sent_again(page)),
            execution.disagreement,
        )
    if subject.spent:
        yield Conjecture(
            "conservation",
            "No partial sum is used twice: the result and what ranks left out add up to the sum of all inputs.",
            chain(
                formulas.conservation(page, subject.spent),
                local_functions.values(page),
                local_functions.staying(page),
                local_functions.sent_again(page),
            ),
            execution.mass_lost,
        )
    yield Conjecture(
        "economy",
        "Every message brings its receiver a contribution that it did not have.",
        formulas.economy(page, subject.contributor),
        execution.in_vain,
    )
    if page.cuts:
        yield Conjecture(
            "partition",
            "The chunks cut [0, n) without gap or overlap, for every n >= 0.",
            formulas.partition(subject.bound),
            None,
        )
    yield Conjecture(
        "deadlock",
        "Posting all of a step and then waiting never deadlocks, with synchronous sends.",
        formulas.schedule(page),
        execution.matched,
    )
    lengths = chain(subject.sizes(page) if subject.sizes else (), local_functions.sizes(page))
    if (first := next(lengths, None)) is not None:
        yield Conjecture(
            "sizes",
            local_functions.describe_sizes(page) + (f"  {local_functions.BOUNDED}" if subject.sizes else ""),
            chain([first], lengths),
            None,
        )
    yield from contention(subject)
    yield from peers(subject)


def promised(page: Page) -> str:
    """Return the page's kind; what one of the page's own promises, no sentence of ours says."""
    return page.kind if page.own is None else f"{page.kind}, a kind of the page's own"


def of_composition(subject: Subject) -> Iterator[Conjecture]:
    """Yield what is generated from a composition's text, then what else the proof module states of its functions."""
    page, found = subject.page, subject.paths
    pages = compositions.serving(found, subject.served)
    if page.ensures:
        yield Conjecture(
            "result",
            f"The result is what the page ensures, in exact arithmetic, in every call ({page.kind}){required(page)}"
            f"{linearly(found)}.",
            chain(compositions.result(page, found, pages, subject.served), linear(subject)),
            None,
            played=played.as_ensured,
            chosen=bool(linearly(found)),
        )
    if page.agrees:
        says = "All ranks end with what was made once, or from the same parts: identical bits."
        yield Conjecture("agreement", says, compositions.agreement(found, pages), None, played=played.alike)
    if compositions.conserves(page, found):
        says = "The result, what stays behind and what waits make up what was given and what waited, in every call"
        lost = any(compositions.silent(page, path) for path in found)
        says += ", but for those of which the page says that what is not sent is lost." if lost else "."
        weighed = played.nothing_lost if played.weighs(page) else None
        claims = compositions.conservation(page, found, subject.served)
        yield Conjecture("conservation", says, claims, None, played=weighed)
    met = next(filter(averaging.averages, pages), None)
    if met is None:
        yield Conjecture(
            "partition",
            "The chunks cut [0, n) without gap or overlap, for every n >= 0.",
            chain(formulas.partition(subject.bound), compositions.beyond("partition", found, subject.served)),
            None,
        )
    else:
        yield from of_averages(subject, met)
    yield Conjecture(
        "deadlock",
        "All ranks yield the same exchanges, and posting all of a step and then waiting never deadlocks.",
        compositions.deadlock(found, pages),
        None,
        played=played.ends,
    )
    yield Conjecture(
        "contention",
        "In a step a rank sends at most one message to another, and hears at most one from it.",
        compositions.ports(found, pages, subject.served),
        None,
    )
    if met is None:
        yield from of_lengths(subject)
    yield from beside(subject)


def linearly(found: Sequence[Path]) -> str:
    """Return in words what was read as linear: each is a claim of its own, of vectors of chosen lengths."""
    names = sorted({one.__name__ for path in found for one in path.linear})
    return f"; {', '.join(names)} taken to be linear, which a claim proves of short vectors" if names else ""


def required(page: Page) -> str:
    """Return in words under which condition a composition's result is what it ensures; empty if there is none."""
    function = getattr(page.module, "requires", None)
    if function is None:
        return ""
    said = " ".join((inspect.getdoc(function) or "").split()).removesuffix(".")
    return f", for those p and parameters alone that the page requires{f': {said}' if said else ''}"


def of_lengths(subject: Subject) -> Iterator[Conjecture]:
    """State how much is sent, where data do not decide it; how much one rank may have; how large numbers may be."""
    page, found = subject.page, subject.paths
    said: dict[str, tuple[Obligation, ...]] = {}
    if page.selecting:  # what is selected depends on the data, and the page bounds it itself
        says = "Where a rank may have too many of the sums that stay, they are dealt out anew, and nowhere else."
        said[says] = tuple(compositions.dealt_out(found))
    else:
        with suppress(Undecided):  # with parameters of which a length is no formula there is nothing to say
            says = "No message is longer than that of the most entries that the text declares for it, over all chunks."
            said[says] = tuple(volume(page, subject.bound, subject.served))
    if any(integer_room.limited(path) for path in found):
        says = "Whole numbers that travel in so many bits have no more, and neither have sums of all ranks'."
        said[says] = tuple(compositions.following(found, partial(integer_room.fitting, page)))
    if any(said.values()):
        yield Conjecture("volume", "  ".join(filter(said.get, said)), chain(*said.values()), None)


def beside(subject: Subject) -> Iterator[Conjecture]:
    """Yield what is stated beside a composition's text: no path of it has to be read for that."""
    yield from claims_of(subject)
    yield from peers(subject)


def linear(subject: Subject) -> Iterator[Obligation]:
    """State that what is read as linear is claimed to be so."""
    yield from compositions.linear(subject.paths, spoken_of(subject))


def spoken_of(subject: Subject, name: str = "") -> set[str]:
    """Return the functions of the page that its proof module claims something of, in the conjecture of that name."""
    spoken: Any = compositions.Spoken(subject.page.module)
    for one in subject.theorems(replace(subject.page, module=spoken)) if subject.theorems else ():
        if not name or name == f"{CLAIM}{one.name}":
            tuple(one.obligations)
    found: set[str] = spoken.asked
    return found


def of_averages(subject: Subject, exchange: Page) -> Iterator[Conjecture]:
    """State what holds where groups average, in rounds."""
    kept = compositions.conservation(subject.page, subject.paths, subject.served)
    yield Conjecture(
        "conservation",
        "Whatever the groups, and who fails to send: whoever takes a mean has its copy in it, and unless "
        "some die after they sent, or fail between copies and means, all of these take it. So they have, times their "
        "weights, what they had together; squares do not grow, and no mean is beyond the largest or the smallest that "
        "went into it.",
        kept,
        None,
    )
    yield Conjecture(
        "partition",
        "Parts in proportion to scores, rounded down, are no more than n entries together, and fewer by "
        "less than there are members: one more for some of them makes n.",
        averaging.parts(exchange.module),
        None,
    )
    yield Conjecture(
        "volume",
        "In a round of a group of p, a member that looks after s of n entries sends n + (p - 2) s words at "
        "most, its copies and its mean; where p divides n and all bandwidths are alike, 2 n (p - 1) / p.",
        averaging.volume(exchange),
        None,
    )


def claims_of(subject: Subject) -> Iterator[Conjecture]:
    """Yield what the proof module claims further of page functions: refuted where the text does not call these."""
    theorems = subject.theorems or (lambda _: ())
    for one in theorems(subject.page):
        spoken: Any = compositions.Spoken(subject.page.module)
        (again,) = (x for x in theorems(replace(subject.page, module=spoken)) if x.name == one.name)
        stated = tuple(again.obligations)
        claims = compositions.idle(subject.page, spoken, stated)
        some = one.examples or (not one.all_there_are and one_by_one(claim.name for claim in stated))
        yield Conjecture(f"{CLAIM}{one.name}", one.statement, claims, None, one.encoding, chosen=some)


NUMBER = re.compile(r"(?<![A-Za-z\d])(?![48][ -]byte)-?\d+(\.\d+)?")
"""A number in a name; not how many bytes an entry has, since of vectors that implementations take it has 4 or 8."""


def one_by_one(names: Iterable[str]) -> bool:
    """Return whether obligations with these names go through values: some differ in numbers alone.

    >>> one_by_one(["size of 4 bits", "size of 8 bits"]), one_by_one(["of ef14", "of ef21", "of ef21"])
    (True, False)
    >>> one_by_one(["sizes, 4 bytes", "sizes, 8 bytes"]), one_by_one(["sizes, 3 bytes", "sizes, 2 bytes"])
    (False, True)
    """
    different = {*names}
    return len({NUMBER.sub("#", name) for name in different}) < len(different)


def peers(subject: Subject) -> Iterator[Conjecture]:
    """State that the implementation's arithmetic is the page's, where there is something to compare."""
    if subject.peers:
        of_exchanges = {"served": subject.served} if subject.page.composed else {}
        claims = subject.peers(subject.page, **of_exchanges)
        claims = tuple(claims)
        some = one_by_one(claim.name for claim in claims)
        says = f"The implementation's peers and blocks are the page's{', for values that obligations name' * some}."
        yield Conjecture(PEERS, says, claims, None, chosen=some)


def contention(subject: Subject) -> Iterator[Conjecture]:
    """State what the page claims of each topology that has formulas for every p."""
    for name, level in subject.contention.items():
        topology = networks.find(name)
        for claim in CLAIMED[level] if topology.links else ():
            yield Conjecture(
                f"{claim} on {name}",
                SENTENCES[claim].format(topology.scope),
                BY_CLAIM[claim](subject.page, topology),
                None,
                contended=level == "contended",
                general=False,
            )


CLAIMED = {
    "exclusive": ("lock step", "exclusive"),
    "eager": ("lock step",),
    "rendezvous": ("rendezvous",),
    "lock step": ("lock step",),
    "contended": ("lock step",),
}
"""By level, what is to be proved for every p, or refuted."""
BY_CLAIM = {"lock step": claims.lock_step, "rendezvous": claims.rendezvous, "exclusive": claims.exclusive}
SENTENCES = {
    "lock step": "In no step do messages of two ranks cross one directed link of {}.",
    "rendezvous": "Messages on one directed link of {} differ in step and share a rank: synchronous sends part them.",
    "exclusive": "Each directed link of {} serves one (source, destination) pair.",
}
