"""What the kernel tries to prove of a page, in a fixed order, each with its sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

from sparring.errors import Undecided
from sparring.proofs.contention import claims, networks
from sparring.proofs.core import averaging, compositions, execution, obligations, pieces
from sparring.proofs.core.obligations import Obligation
from sparring.proofs.core.supplement import Subject
from sparring.proofs.core.volume import volume
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
    mutant: str = ""
    """How the faults to try first are called, or begin, in which this very claim is false."""
    encoding: str = "wrap"
    """How its obligations are read."""
    contended: bool = False
    """It is expected to be refuted: messages meet."""
    general: bool = True
    """It speaks of all values of the parameters, as far as the page's theorems do; else of those that it has."""


def conjectures(subject: Subject, only: str = "") -> Iterator[Conjecture]:
    """All conjectures about the subject, or the one of that name, one by one, since building one reads formulas."""
    for one in stated(subject):
        if only and one.name != only:
            continue
        conjecture = one._replace(obligations=tuple(one.obligations))
        if conjecture.name == "partition" or subject.page.composed:  # it is not about the page's formulas
            yield conjecture
        else:
            helped = obligations.with_lemmas(subject.page, subject.lemmas, conjecture.obligations)
            given, scope = (subject.given, subject.scope) if conjecture.general else (subject.chosen, subject.choice)
            claims = tuple(claim._replace(hypotheses=(*given, *claim.hypotheses)) for claim in helped)
            statement = conjecture.statement.removesuffix(".") + scope + "."
            yield conjecture._replace(statement=statement, obligations=claims, encoding=subject.page.encoding)


def stated(subject: Subject) -> Iterator[Conjecture]:
    """The conjectures as they are, without lemmas; their obligations are generated when they are asked for."""
    page = subject.page
    if page.composed:
        yield from of_composition(subject)
        return
    yield Conjecture(
        "result",
        f"After all steps every cell is made of each contribution of its goal exactly once ({promised(page)})."
        + pieces.SAID.get(page.data, ""),
        chain(obligations.result(page), pieces.values(page)),
        execution.wrong_result,
        "never adds",
    )
    if subject.same:
        yield Conjecture(
            "agreement",
            "All ranks end with the identical term in every chunk, hence with identical bits.",
            obligations.agreement(page, subject.same),
            execution.disagreement,
        )
    if subject.spent:
        yield Conjecture(
            "conservation",
            "No partial sum is used twice: the result and what ranks left out add up to the sum of all inputs.",
            chain(obligations.conservation(page, subject.spent), pieces.values(page), pieces.staying(page)),
            execution.mass_lost,
        )
    yield Conjecture(
        "economy",
        "Every message brings its receiver a contribution that it did not have.",
        obligations.economy(page),
        execution.in_vain,
        "step long",
    )
    if page.cuts:
        yield Conjecture(
            "partition",
            "The chunks cut [0, n) without gap or overlap, for every n >= 0.",
            obligations.partition(subject.bound),
            None,
        )
    yield Conjecture(
        "deadlock",
        "Posting all of a step and then waiting never deadlocks, with synchronous sends.",
        obligations.schedule(page),
        execution.matched,
        "wrong neighbour",
    )
    lengths = chain(subject.sizes(page) if subject.sizes else (), pieces.sizes(page))
    if (first := next(lengths, None)) is not None:
        yield Conjecture(
            "sizes",
            pieces.told(page) + (f"  {pieces.BOUNDED}" if subject.sizes else ""),
            chain([first], lengths),
            None,
        )
    yield from contention(subject)
    yield from peers(subject)


def promised(page: Page) -> str:
    """The page's kind; what one of the page's own promises, no sentence of ours says."""
    return page.kind if page.own is None else f"{page.kind}, a kind of the page's own"


def of_composition(subject: Subject) -> Iterator[Conjecture]:
    """What is generated from a composition's text, then what else the proof module states of its functions."""
    page, found = subject.page, subject.paths
    pages = compositions.serving(found, subject.served)
    what = "mean" if page.averages else "sum"
    yield Conjecture(
        "result",
        f"The result is what the page ensures, in exact arithmetic, in every call ({page.kind}, {what}).",
        chain(compositions.result(page, found, pages, subject.served), linear(subject)),
        None,
    )  # fmt: skip
    if page.agrees:
        says = "All ranks end with what was made once, or from the same parts: identical bits."
        yield Conjecture("agreement", says, compositions.agreement(found, pages), None)
    if compositions.conserves(page):
        says = "The result, what stays behind and what waits make up what was given and what waited, in every call."
        yield Conjecture("conservation", says, compositions.conservation(page, found, subject.served), None)
    met = next(filter(averaging.averages, pages), None)
    if met is None:
        yield Conjecture(
            "partition", "The chunks cut [0, n) without gap or overlap, for every n >= 0.",
            chain(obligations.partition(subject.bound), compositions.beyond("partition", found, subject.served)), None,
        )  # fmt: skip
    else:
        yield from of_averages(subject, met)
    yield Conjecture(
        "deadlock", "All ranks yield the same exchanges, and posting all of a step and then waiting never deadlocks.",
        compositions.deadlock(found, pages), None,
    )  # fmt: skip
    yield Conjecture(
        "contention", "In a step a rank sends at most one message to another, and hears at most one from it.",
        compositions.ports(found, pages, subject.served), None,
    )  # fmt: skip
    if met is None and not page.selecting:  # what is selected depends on the data, and the page bounds it itself
        with suppress(Undecided):  # with parameters of which a length is no formula there is nothing to say
            says = "No message is longer than that of the most entries that the text declares for it, over all chunks."
            yield Conjecture("volume", says, tuple(volume(page, subject.bound)), None, "bound, ")
    yield from beside(subject)


def beside(subject: Subject) -> Iterator[Conjecture]:
    """What is stated beside a composition's text: no path of it has to be read for that."""
    yield from claims_of(subject)
    yield from peers(subject)


def named(subject: Subject, name: str) -> Conjecture:
    """The conjecture of that name about a composition; reads no more than that takes."""
    some = beside(subject) if name == PEERS or name.startswith(CLAIM) else of_composition(subject)
    found = next(one for one in some if one.name == name)
    return found._replace(obligations=tuple(found.obligations))


def linear(subject: Subject) -> Iterator[Obligation]:
    """What is read as linear is claimed to be so."""
    yield from compositions.linear(subject.paths, spoken_of(subject))


def spoken_of(subject: Subject, name: str = "") -> set[str]:
    """The functions of the page that its proof module claims something of, in the conjecture of that name."""
    spoken: Any = compositions.Spoken(subject.page.module)
    for one in subject.theorems(replace(subject.page, module=spoken)) if subject.theorems else ():
        if not name or name == f"{CLAIM}{one.name}":
            tuple(one.obligations)
    found: set[str] = spoken.asked
    return found


def of_averages(subject: Subject, exchange: Page) -> Iterator[Conjecture]:
    """Where groups average, in rounds."""
    kept = compositions.conservation(subject.page, subject.paths, subject.served)
    yield Conjecture(
        "conservation",
        "Whatever the groups, and who fails to send: whoever takes a mean has its copy in it, and unless "
        "some die after they sent, or fail between copies and means, all of these take it. So they have, times their "
        "weights, what they had together; squares do not grow, and no mean is beyond the largest or the smallest that "
        "went into it.",
        kept, None, "averaging, ",
    )  # fmt: skip
    yield Conjecture(
        "partition", "Parts in proportion to scores, rounded down, are no more than n entries together, and fewer by "
        "less than there are members: one more for some of them makes n.",
        averaging.parts(exchange.module), None, "averaging, ",
    )  # fmt: skip
    yield Conjecture(
        "volume", "In a round of a group of p, a member that looks after s of n entries sends n + (p - 2) s words at "
        "most, its copies and its mean; where p divides n and all bandwidths are alike, 2 n (p - 1) / p.",
        averaging.volume(exchange), None, "averaging, ",
    )  # fmt: skip


def claims_of(subject: Subject) -> Iterator[Conjecture]:
    """What the proof module claims further of functions of the page: refuted where the text does not call these."""
    theorems = subject.theorems or (lambda _: ())
    for one in theorems(subject.page):
        spoken: Any = compositions.Spoken(subject.page.module)
        (again,) = (x for x in theorems(replace(subject.page, module=spoken)) if x.name == one.name)
        claims = compositions.idle(subject.page, spoken, again.obligations)
        yield Conjecture(f"{CLAIM}{one.name}", one.statement, claims, None, one.fault, one.encoding)


def peers(subject: Subject, mutant: str = "") -> Iterator[Conjecture]:
    """That the implementation's arithmetic is the page's, where there is something to compare."""
    if subject.peers:
        of_exchanges = {"served": subject.served} if subject.page.composed else {}
        claims = subject.peers(subject.page, **of_exchanges)
        yield Conjecture(PEERS, "The implementation's peers and blocks are the page's.", claims, None, mutant)


def contention(subject: Subject) -> Iterator[Conjecture]:
    """What the page claims of each topology that has formulas for every p."""
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
    "exclusive": ("lock step", "exclusive"), "eager": ("lock step",), "rendezvous": ("rendezvous",),
    "lock step": ("lock step",), "contended": ("lock step",),
}  # fmt: skip
"""By level, what is to be proved for every p, or refuted."""
BY_CLAIM = {"lock step": claims.lock_step, "rendezvous": claims.rendezvous, "exclusive": claims.exclusive}
SENTENCES = {
    "lock step": "In no step do messages of two ranks cross one directed link of {}.",
    "rendezvous": "Messages on one directed link of {} differ in step and share a rank: synchronous sends part them.",
    "exclusive": "Each directed link of {} serves one (source, destination) pair.",
}
