"""Obligations put to both solvers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any, NamedTuple

from sparring.errors import Undecided
from sparring.proofs.logic import hints, small_points, solvers
from sparring.proofs.logic.bits import BitsReader
from sparring.proofs.logic.blocks import BlocksReader
from sparring.proofs.logic.digits import DigitsReader
from sparring.proofs.logic.obligations import Obligation, p
from sparring.proofs.logic.symbolic import EFFORT, Z3Reader
from sparring.proofs.logic.values import ValuesReader
from sparring.spec.core.numbers import Bool, Evaluator, Node, Reader, Sym, evaluate, variables

READERS: Mapping[str, type[Z3Reader]] = {"wrap": Z3Reader, "bits": BitsReader, "values": ValuesReader}
"""The readers, by encoding."""
FactsReader = BlocksReader | DigitsReader
FACTS: Mapping[str, type[FactsReader]] = {"bits": BlocksReader, "digits": DigitsReader}
"""The reader that is tried first, by encoding: it knows facts that decide a question for every p."""


class Answer(NamedTuple):
    """The solvers' answers to one obligation."""

    obligation: Obligation
    solvers: dict[str, str]
    """The answers by solver: "unsat" (the claim holds), "sat" or "unknown"; "unreadable" where none could be asked."""
    smtlib: str
    witness: dict[str, int]
    """A counterexample with the fewest ranks; empty where there is none."""
    problem: str
    """Why the answer is neither yes nor no; empty where it is."""
    below: bool = False
    """The answer is about numbers that fit into the bits, and so about p < 2^31 alone."""

    @property
    def holds(self) -> bool:
        return not self.problem and set(self.solvers.values()) == {"unsat"}


class Shared(Reader[Any]):
    """Reads a term as the first one of the same form, so that equal terms are one."""

    def __init__(self) -> None:
        super().__init__()
        self.first: dict[tuple[Any, ...], Node] = {}

    def constant(self, x: int | bool) -> Any:
        return x

    def variable(self, name: str) -> Any:
        return self.kept(Sym, "var", name)

    def operator(self, x: Node, args: list[Any]) -> Any:
        return self.kept(type(x), x.op, *args)

    def kept(self, kind: type[Node], op: str, *args: Any) -> Any:
        """Return the first term with this operator and these operands."""
        key = (kind, op, *(id(a) if isinstance(a, Node) else (type(a), a) for a in args))
        return self.first.setdefault(key, kind(op, *args))


class Memory:
    """The readings and answers so far, since conjectures about one page and its mutants share obligations."""

    def __init__(self) -> None:
        self.shared = Shared()
        self.readers: dict[tuple[Any, ...], Z3Reader] = {}
        self.known: dict[tuple[Any, ...], FactsReader] = {}
        self.vacuous: dict[tuple[Any, ...], int | None] = {}
        self.seen: dict[tuple[Any, ...], bool] = {}
        self.answers: dict[tuple[Any, ...], Answer] = {}
        self.digests, self.hints = hints.Digests(), hints.kept()
        self.rested: dict[str, list[int]] = {}
        """On which of the facts what was proved by facts rests, by the obligation's digest."""

    def answer(self, claim: Obligation, second_opinion: bool, encoding: str) -> Answer:
        """Return the obligation's answer, with a second opinion too if there is one already."""
        premises = (encoding, *(self.identity(h) for h in claim.hypotheses))
        full, short = ((opinion, premises, self.identity(claim.claim)) for opinion in (True, second_opinion))
        known = self.answers.get(full) or self.answers.get(short)
        if known is None:
            known = self.answers[short] = self.fresh(claim, premises, second_opinion, encoding)
        return known._replace(obligation=claim)

    def identity(self, x: Bool) -> tuple[type, int]:
        """Return a key that equal terms share, and different terms do not."""
        one = self.shared(x)
        return type(one), id(one) if isinstance(one, Node) else one

    def fresh(self, claim: Obligation, premises: tuple[Any, ...], second_opinion: bool, encoding: str) -> Answer:
        """Return the answer to a new question; obligations with the same hypotheses share their reading."""
        if encoding in FACTS and (confirmed := self.by_facts(claim, premises, second_opinion, encoding)):
            return confirmed
        if encoding not in READERS:
            return Answer(claim, {"z3": "unknown"}, "", {}, f"the facts about {encoding} do not decide it")
        try:
            if premises not in self.readers:
                self.readers[premises] = READERS[encoding]([*map(self.shared, claim.hypotheses)], self.shared(p))
            answer = self.asked(claim, self.readers[premises], premises, second_opinion)
        except Undecided as outside:
            answer = Answer(claim, {"z3": "unreadable"}, "", {}, str(outside))
        return answer._replace(below=encoding == "bits")

    def by_facts(
        self, claim: Obligation, premises: tuple[Any, ...], second_opinion: bool, encoding: str
    ) -> Answer | None:
        """Return the answer for every p if the encoding's facts decide the claim, else None, which says nothing of it.

        The encoding has not all facts, so a counterexample may be false.  What counts is one with few ranks
        that stands when evaluated.  It has the fewest ranks, since all facts together leave no smaller one.
        """
        try:
            known = self.knowing(claim, encoding)
            with known.aside():
                return self.by_these(claim, known, premises, second_opinion, encoding)
        except Undecided:
            return None

    def knowing(self, claim: Obligation, encoding: str) -> FactsReader:
        """Return a reader that knows the facts about the claim's hypotheses."""
        hypotheses = [self.shared(h) for h in claim.hypotheses]
        key = (encoding, *map(self.identity, hypotheses))
        if key not in self.known:
            self.known[key] = FACTS[encoding](hypotheses, self.shared(p))
        return self.known[key]

    def by_these(
        self, claim: Obligation, reader: FactsReader, premises: tuple[Any, ...], second_opinion: bool, encoding: str
    ) -> Answer | None:
        """Return the answer of ``by_facts``, given a reader that knows the facts about the claim's hypotheses."""
        usual = (small_points.POINTS, small_points.MANY)
        numbers = (small_points.FEW,) if second_opinion else usual  # few points where the claim should be true
        at = next(filter(None, (small_points.false_at(claim, many) for many in numbers)), {})
        if at and (false := self.by_few(claim, reader, at)):
            return false
        goal, witness = reader(self.shared(claim.claim)), dict[str, int]()
        effort = EFFORT if second_opinion else LITTLE
        everything = [*reader.hypotheses, *reader.facts]
        key = self.digests.of([*map(self.shared, (*claim.hypotheses, claim.claim))], encoding)
        answer, places = solvers.needed(everything, goal, effort, self.hints.facts.get(key))
        facts = [everything[i] for i in places]
        if second_opinion and answer == "unsat":
            self.rested[key] = places
        text, said = solvers.question(facts, goal).to_smt2(), {"z3": answer}  # as read: a plain solver rewrites it
        if answer == "sat":
            question = solvers.question(facts, goal, effort, plain=True)
            question.add(reader(p) <= FEW_RANKS, *reader.exactly(FEW_RANKS.bit_length()))
            again, question = solvers.apart(question, effort)
            found = solvers.witness(question, reader(p)) if again == "sat" else {}
            witness = found if found and counterexample(claim, found) else {}
        if answer == "unknown" or (answer == "sat" and not witness):  # running a mutant tells more, sooner, than bits
            return None if second_opinion else Answer(claim, {"z3": "unknown"}, text, {}, "z3 finds no counterexample")
        if second_opinion:
            said["cvc5"] = solvers.ask_cvc5(text)
        if premises not in self.seen:
            self.seen[premises] = all(instance(claim.hypotheses, ranks) for ranks in solvers.RANKS)
        agreed = len({*said.values()}) == 1
        return Answer(claim, said, text, witness, "") if agreed and (witness or self.seen[premises]) else None

    def by_few(self, claim: Obligation, reader: FactsReader, at: dict[str, int]) -> Answer | None:
        """Return a counterexample that z3 finds at the parameters ``at`` and that stands when evaluated, else None.

        The values in ``at`` (ranks and page parameters) are given; the solver finds those of the other variables.
        """
        with reader.aside():
            reader.at = at
            goal = reader(self.shared(claim.claim))
            question = solvers.question([*reader.hypotheses, *reader.facts], goal, plain=True)
            question.add(*(reader(Sym.var(name) == value) for name, value in at.items()))
            question.add(*reader.exactly(max(at.values()).bit_length() + 1))
            text = question.to_smt2()
            answer, question = solvers.apart(question)
            found = solvers.witness(question, reader(p)) if answer == "sat" else {}
        return Answer(claim, {"z3": "sat"}, text, found, "") if found and counterexample(claim, found) else None

    def questions(self, claim: Obligation, encoding: str) -> Iterator[str]:
        """Yield, for each way of reading the claim, the question with all known facts; a proof may need only some."""
        if encoding in FACTS:
            with suppress(Undecided):
                known = self.knowing(claim, encoding)
                with known.aside():
                    goal = known(self.shared(claim.claim))
                    yield solvers.question([*known.hypotheses, *known.facts], goal).to_smt2()
        if encoding in READERS:
            with suppress(Undecided):
                plain = READERS[encoding](claim.hypotheses, p)
                yield solvers.question(plain.hypotheses, plain(claim.claim)).to_smt2()

    def asked(self, claim: Obligation, reader: Z3Reader, premises: tuple[Any, ...], second_opinion: bool) -> Answer:
        """Put one obligation to z3 and, for a second opinion, to cvc5."""
        effort = EFFORT if second_opinion else LITTLE
        question = solvers.question(reader.hypotheses, reader(self.shared(claim.claim)), effort)
        text = question.to_smt2()
        answer, question = solvers.decided(question, effort)
        said, witness = {"z3": answer}, solvers.witness(question, reader(p)) if answer == "sat" else {}
        if second_opinion:
            said["cvc5"] = solvers.ask_cvc5(text)
        if premises not in self.vacuous:
            self.vacuous[premises] = solvers.vacuous_at(reader.hypotheses, reader(p))
        why = problem(claim, said, witness, self.vacuous[premises])
        return Answer(claim, said, text, {name: plain(value) for name, value in witness.items()}, why)


def answered(
    claims: Iterable[Obligation], second_opinion: bool, encoding: str = "wrap", memory: Memory | None = None
) -> Iterator[Answer]:
    """Yield each obligation's answer, one by one."""
    memory = memory or Memory()
    for claim in claims:
        yield memory.answer(claim, second_opinion, claim.encoding or encoding)


def problem(claim: Obligation, said: dict[str, str], witness: dict[str, int], vacuous: int | None) -> str:
    """Return why these answers decide nothing, or ``""`` if they decide.

    ``vacuous``: the number of ranks at which the hypotheses contradict each other; None if there is none.
    """
    if len(set(said.values())) > 1 or "unknown" in said.values():
        return "solvers answer " + ", ".join(f"{solver} {word}" for solver, word in said.items())
    if witness:
        return "" if counterexample(claim, witness) else f"z3's counterexample {witness} is none when evaluated"
    return f"the hypotheses contradict each other at p={vacuous}, so that anything would follow" if vacuous else ""


def plain(value: int | Fraction) -> Any:
    """Return a number as reports write it."""
    return int(value) if value.denominator == 1 else float(value)


LITTLE = EFFORT // 10  # where a counterexample is wanted: running finds one sooner than more effort
FEW_RANKS = 16  # up to here a counterexample is looked for without bits
SMALL = range(8)


def instance(hypotheses: Sequence[Bool], ranks: int) -> bool:
    """Return whether small numbers satisfy the hypotheses for ``ranks`` ranks, by the page's own formulas.

    Each hypothesis is looked at as soon as its variables have values.
    """
    spoken = [variables(h) for h in hypotheses]
    names = ["p", *sorted(set().union(*spoken) - {"p"}, key=lambda name: (not name.startswith("param_"), name))]
    due: list[list[Bool]] = [[] for _ in names]
    for h, mine in zip(hypotheses, spoken):
        due[max(map(names.index, mine), default=0)].append(h)

    def satisfiable(at: dict[str, int]) -> bool:
        read = Evaluator(at)
        try:
            if not all(map(read, due[len(at) - 1])):
                return False
        except (ArithmeticError, ValueError):  # a division by zero, a shift by a negative number
            return False
        return len(at) == len(names) or any(satisfiable({**at, names[len(at)]: x}) for x in SMALL)

    return satisfiable({"p": ranks})


def counterexample(claim: Obligation, witness: dict[str, int]) -> bool:
    """Return whether the witness satisfies the hypotheses and not the claim, by the page's own formulas.

    A witness at which a formula shifts by a negative number, to which solvers give some meaning, does not count.
    """

    def true(x: Bool) -> bool:
        free = dict.fromkeys(variables(x), 0)  # what the solver left out may be anything
        return bool(evaluate(x, **{**free, **{v: witness[v] for v in free if v in witness}}))

    try:
        return all(map(true, claim.hypotheses)) and not true(claim.claim)
    except (ArithmeticError, ValueError):
        return False
