"""What the kernel tries to prove of a page, in a fixed order, each with its sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sparring.proofs.contention import claims, networks
from sparring.proofs.core import execution, obligations, pieces
from sparring.proofs.core.obligations import Obligation
from sparring.proofs.core.supplement import Subject


class Conjecture(NamedTuple):
    """A claim and the obligations from which it follows."""

    name: str
    statement: str
    obligations: tuple[Obligation, ...]
    check: execution.Check | None
    """Decides by running, where an obligation about an annotation fails; None: there is none."""
    mutant: str
    """The mutation to try first, in which this very claim is false."""
    encoding: str = "wrap"
    """How its obligations are read."""
    contended: bool = False
    """It is expected to be refuted: messages meet."""
    general: bool = True
    """It speaks of all values of the parameters, as far as the page's theorems do; else of those that it has."""


def conjectures(subject: Subject) -> Iterator[Conjecture]:
    """All conjectures about the subject, one by one, since building one already reads formulas."""
    for conjecture in stated(subject):
        if conjecture.name == "partition" or subject.page.irregular:  # it is not about the page's formulas
            yield conjecture
        else:
            helped = obligations.with_lemmas(subject.page, subject.lemmas, conjecture.obligations)
            given, scope = (subject.given, subject.scope) if conjecture.general else (subject.chosen, subject.choice)
            claims = tuple(claim._replace(hypotheses=(*given, *claim.hypotheses)) for claim in helped)
            statement = conjecture.statement.removesuffix(".") + scope + "."
            yield conjecture._replace(statement=statement, obligations=claims, encoding=subject.page.encoding)


def stated(subject: Subject) -> Iterator[Conjecture]:
    """The conjectures as they are, without lemmas."""
    page = subject.page
    if page.irregular:
        yield from of_program(subject)
        return
    yield Conjecture(
        "result",
        f"After all steps every cell is made of each contribution of its goal exactly once ({page.kind})."
        + pieces.SAID.get(page.data, ""),
        (*obligations.result(page), *pieces.values(page)),
        execution.wrong_result,
        "never adds",
    )
    if subject.same:
        yield Conjecture(
            "agreement",
            "All ranks end with the identical term in every chunk, hence with identical bits.",
            tuple(obligations.agreement(page, subject.same)),
            execution.disagreement,
            "step short",
        )
    if subject.spent:
        yield Conjecture(
            "conservation",
            "No partial sum is used twice: the result and what ranks left out add up to the sum of all inputs.",
            (*obligations.conservation(page, subject.spent), *pieces.values(page), *pieces.staying(page)),
            execution.mass_lost,
            "always adds",
        )
    yield Conjecture(
        "economy",
        "Every message brings its receiver a contribution that it did not have.",
        tuple(obligations.economy(page)),
        execution.in_vain,
        "step long",
    )
    if page.cuts:
        yield Conjecture(
            "partition",
            "The chunks cut [0, n) without gap or overlap, for every n >= 0.",
            tuple(obligations.partition(subject.bound)),
            None,
            "remainder dropped",
        )
    yield Conjecture(
        "deadlock",
        "Posting all of a step and then waiting never deadlocks, with synchronous sends.",
        tuple(obligations.schedule(page)),
        execution.matched,
        "wrong neighbour",
    )
    if lengths := (*(subject.sizes(page) if subject.sizes else ()), *pieces.sizes(page)):
        yield Conjecture(
            "sizes",
            pieces.told(page) + (f"  {pieces.BOUNDED}" if subject.sizes else ""),
            lengths,
            None,
            "byte more",
        )
    yield from contention(subject)
    yield from peers(subject, "wrong neighbour")


def of_program(subject: Subject) -> Iterator[Conjecture]:
    """What the proof module of a program states, each with the fault that it names."""
    for one in subject.theorems(subject.page) if subject.theorems else ():
        yield Conjecture(one.name, one.statement, tuple(one.obligations), None, one.fault, one.encoding)
    yield from peers(subject, next(iter(subject.faults), ""))


def peers(subject: Subject, mutant: str) -> Iterator[Conjecture]:
    """That the implementation's arithmetic is the page's, where there is something to compare."""
    if subject.peers:
        claims = tuple(subject.peers(subject.page))
        yield Conjecture("peers", "The implementation's peers and blocks are the page's.", claims, None, mutant)


def contention(subject: Subject) -> Iterator[Conjecture]:
    """What the page claims of each topology that has formulas for every p."""
    for name, level in subject.contention.items():
        topology = networks.find(name)
        for claim in CLAIMED[level] if topology.links else ():
            yield Conjecture(
                f"{claim} on {name}",
                SENTENCES[claim].format(topology.scope),
                tuple(BY_CLAIM[claim](subject.page, topology)),
                None,
                "one receiver" if name == "crossbar" and claim != "exclusive" else "further neighbour",
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
