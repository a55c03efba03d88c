"""A page's formulas in Coq: the instance of ``proofs/coq`` that says this page meets the obligations.

Formulas are read from the same terms as the solvers read; Coq's ``mod`` and ``/`` round down, as
Python's do, and so do its shifts, which go the other way by a negative number, where Python has none.
An instance is three files: the formulas and who sends to whom; what every rank ends with; that all
ranks end with the same bits.  One tactic proves every obligation, and each stands on a line that names
it; which tactic depends on the encoding and on the operators.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from string import Formatter
from typing import TypeAlias

from sparring.errors import InputError, Undecided
from sparring.proofs.logic.messages import sends
from sparring.proofs.logic.obligations import Same, c, p, q, r, s, t
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, Node, Reader
from sparring.spec.core.vocabulary import KINDS

CoqTerm: TypeAlias = str

OPERATORS = {
    "+": "({} + {})",
    "-": "({} - {})",
    "*": "({} * {})",
    "%": "({} mod {})",
    "//": "({} / {})",
    "<": "({} <? {})",
    "<=": "({} <=? {})",
    "==": "({} =? {})",
    "not": "(negb {})",
    "and": "({} && {})",
    "or": "({} || {})",
    "where": "(if {} then {} else {})",
}
SHIFTS = {
    "^": "(Z.lxor {} {})",
    "<<": "(Z.shiftl {} {})",
    ">>": "(Z.shiftr {} {})",
    "bit_length": "(bit_length {})",
}
REVERSED = SHIFTS | {"reverse": "(reverse {} {})"}
BY_TACTIC = {"wrap": OPERATORS, "bits": OPERATORS | SHIFTS, "lengths": OPERATORS | REVERSED}
"""The operators that each tactic knows; it stands in the file of its name."""
TACTICS = {"wrap": ["wrap"], "bits": ["bits", "lengths"]}
"""By how formulas are read; the first tactic that knows all their operators is the one to prove them."""
LATER = {"lengths": "_from page_is_matched"}
"""How a tactic is called once the schedule is proved, where it makes use of that."""
VOCABULARY = {*" ".join((OPERATORS | REVERSED).values()).translate(str.maketrans("(){}", "    ")).split()}
VOCABULARY |= {*"pqrsct()", "true", "false"}
"""The words of a formula, besides numbers."""

SCHEDULE = """\
From Coq Require Import ZArith Bool Lia.
Require Import machine {tactic}.
Local Open Scope Z_scope.

Definition page : family := {{|
  steps p := {steps};
  chunks p := {chunks};
  dst r t p := {dst};
  src r t p := {src};
  sends s c t p := {sends};
  adds t p := {adds};
  holds q r c t p := {holds};
  live r c t p := {live};
  start q r c p := {start};
  goal q r c p := {goal};
  wanted r c p := {wanted}
|}}.

Theorem page_is_matched p : 1 <= p -> matched page p.
Proof.
  intro. constructor.
  - {tactic} page.  (* steps >= 0 *)
  - {tactic} page.  (* src in range *)
  - {tactic} page.  (* dst(src(r)) = r *)
  - {tactic} page.  (* src(dst(r)) = r *)
Qed.

Theorem page_sends_to_ranks p : 1 <= p ->
  forall r t, 0 <= r < p -> 0 <= t < steps page p -> 0 <= dst page r t p < p.
Proof.
  {tactic} page.  (* dst in range *)
Qed.

Print Assumptions page_is_matched.
Print Assumptions page_sends_to_ranks.
"""

RESULT = """\
From Coq Require Import ZArith Bool Lia.
Require Import sums machine schedule {tactic} {name}_schedule.
Local Open Scope Z_scope.

Theorem page_is_inductive p : 1 <= p -> inductive page p.
Proof.
  intro. constructor.
  - {prove} page.  (* base *)
  - {prove} page.  (* live *)
  - {prove} page.  (* step *)
  - {prove} page.  (* disjoint *)
  - {prove} page.  (* conclusion *)
Qed.

Theorem page_result : {statement}
Proof.
{kept}  intros p Hp M op zero monoid x r c Hr Hc W.
  exact (exactly_once M op zero monoid page p x (page_is_matched p Hp) (page_is_inductive p Hp) r c Hr Hc W).
Qed.

Print Assumptions page_is_inductive.
Print Assumptions page_result.
"""

AGREEMENT = """\
From Coq Require Import ZArith Bool Lia.
Require Import machine terms {tactic} {name}_schedule.
Local Open Scope Z_scope.

Definition same (p r s c t : Z) : bool := {same}.

Theorem page_agrees p : 1 <= p -> agreement page p (same p).
Proof.
  intro. constructor.
  - {prove_same} page same.  (* same base *)
  - {prove_same} page same.  (* same step *)
  - {prove_same} page same.  (* same conclusion *)
Qed.

Theorem page_agreement : {statement}
Proof.
  intros p Hp M op x comm r s c Hr Hs Hc.
  exact (same_bits page p (same p) (page_is_matched p Hp) (page_agrees p Hp) op x comm r s c Hr Hs Hc).
Qed.

Print Assumptions page_agrees.
Print Assumptions page_agreement.
"""

KEPT = "  split; [reflexivity|].\n"
"""Proves that a page promises what its kind does."""

FILES = {"schedule": SCHEDULE, "result": RESULT, "agreement": AGREEMENT}
"""By the part of the instance, the text of its file; the first is needed by the others."""

STATEMENTS = {
    "result": """\
{promised}forall p, 1 <= p ->
  forall (M : Type) (op : M -> M -> M) (zero : M), commutative_monoid op zero ->
  forall (x : Z -> Z -> M) r c, 0 <= r < p -> 0 <= c < chunks page p -> wanted page r c p = true ->
  final page p op (initial M op zero page p x) r c = total M op zero p (fun q => goal page q r c p) x c.""",
    "agreement": """\
forall p, 1 <= p ->
  forall (M : Type) (op : M -> M -> M) (x : Z -> Z -> M), (forall u v, op u v = op v u) ->
  forall r s c, 0 <= r < p -> 0 <= s < p -> 0 <= c < chunks page p ->
  final page p op x r c = final page p op x s c.""",
}
"""What ``page_result`` and ``page_agreement`` say; see :func:`statement`."""


def statement(theorem: str, kind: str) -> str:
    """Return what the theorem says in Coq; *result* also that the page promises what the kind does, Coq's constant."""
    return STATEMENTS[theorem].replace("{promised}", f"promises page = of_{kind} /\\\n" if kind in KINDS else "")


class CoqReader(Reader[CoqTerm]):
    """A reader of terms over ``Z`` and ``bool`` for a tactic; ``page`` is whose they are."""

    def __init__(self, page: Page, tactic: str) -> None:
        super().__init__()
        self.page, self.operators = page, BY_TACTIC[tactic]

    def constant(self, x: int | bool) -> CoqTerm:
        if isinstance(x, bool):
            return str(x).lower()
        if not isinstance(x, int):
            raise InputError(f"a schedule formula holds {x!r}; formulas hold integers and truths")
        return f"({x})"

    def variable(self, name: str) -> CoqTerm:
        return name

    def operator(self, x: Node, args: list[CoqTerm]) -> CoqTerm:
        if x.op not in self.operators:
            encoding = self.page.encoding  # the term itself may be pages long
            raise Undecided(f"{self.page.name}: instances of Coq for formulas read as {encoding} know no {x.op}")
        return self.operators[x.op].format(*args)


def instance(page: Page, same: Same | None = None) -> dict[str, str]:
    """Return the texts of the instance by its parts, in which the page meets the obligations for every p.

    Without ``same`` there is no ``agreement``.  Raises Undecided where the page cannot be written down.
    """
    if not re.fullmatch("[A-Za-z][A-Za-z0-9_]*", page.name):
        raise Undecided(f"{page.name} is no name in Coq")
    if page.several:
        raise Undecided(f"{page.name}: pages of which a rank sends several messages in a step have no Coq instance")
    if page.encoding not in TACTICS:
        raise Undecided(f"{page.name}: pages whose formulas are read as {page.encoding} have no Coq instance")
    formulas: dict[str, Int | Bool] = {
        "steps": page.steps(p),
        "chunks": page.chunks(p),
        "dst": page.dst(r, t, p),
        "src": page.src(r, t, p),
        "sends": sends(page, s),
        "adds": page.adds(t, p),
        "holds": page.holds(q, r, c, t, p),
        "live": page.live(r, c, t, p),
        "start": page.start(q, r, c, p),
        "goal": page.goal(q, r, c, p),
        "wanted": page.wanted(r, c, p),
    }
    if same:
        formulas["same"] = same(r, s, c, t, p)
    tactic, terms = written_for(page, formulas)
    parts = [part for part in FILES if same or part != "agreement"]
    return {part: filled(part, page.name, tactic, terms, page.kind) for part in parts}


def written_for(page: Page, formulas: Mapping[str, Int | Bool]) -> tuple[str, dict[str, CoqTerm]]:
    """Return the tactic that knows all operators of the formulas, and these; raises Undecided if there is none."""
    *others, last = TACTICS[page.encoding]
    for tactic in others:
        with suppress(Undecided):
            return tactic, read(page, tactic, formulas)
    return last, read(page, last, formulas)


def read(page: Page, tactic: str, formulas: Mapping[str, Int | Bool]) -> dict[str, CoqTerm]:
    """Return the formulas in Coq."""
    reader = CoqReader(page, tactic)
    return {name: reader(term) for name, term in formulas.items()}


def filled(part: str, name: str, tactic: str, terms: Mapping[str, str], kind: str) -> str:
    """Return the text of one file; of a kind that is none of ``KINDS`` it says nothing but the formulas."""
    later, said = LATER.get(tactic, ""), statement(part, kind) if part in STATEMENTS else ""
    calls = {"tactic": tactic, "prove": f"{tactic}{later}", "prove_same": f"{tactic}_same{later}"}
    kept = KEPT if kind in KINDS else ""
    return FILES[part].format(**calls, name=name, statement=said, kept=kept, **terms)


def read_back(text: str, part: str, name: str, kind: str) -> tuple[str, dict[str, str]] | None:
    """Return the tactic and formulas of an instance's file about a page of that kind; None for any other text.

    So what a stranger wrote is never run, but these formulas in the text above.
    """
    blanks = {blank for _, blank, _, _ in Formatter().parse(FILES[part]) if blank}
    blanks -= {"tactic", "prove", "prove_same", "name", "statement", "kept"}
    for tactic in BY_TACTIC:
        empty = re.escape(filled(part, name, tactic, {blank: f"@{blank}@" for blank in blanks}, kind))
        found = re.fullmatch(re.sub(r"@(\w+)@", r"(?P<\1>.+)", empty), text)
        if found and all(map(is_formula, found.groups())):
            return tactic, found.groupdict()
    return None


def is_formula(text: str) -> bool:
    """Return whether nothing but a formula can be read in it."""
    words = re.findall(r"Z\.\w+|\w+|[()]|[^\w\s()]+", text)
    return "(*" not in text and all(word in VOCABULARY or word.isdigit() for word in words)


def judgement(part: str, name: str, kind: str) -> str:
    """Write a file that holds exactly if the instance of that name proves the statement; it says on what that rests."""
    return f"""\
From Coq Require Import ZArith.
Require Import sums machine schedule terms.
Require {name}_schedule {name}_{part}.
Local Open Scope Z_scope.
Local Notation page := {name}_schedule.page.
Theorem judged : {statement(part, kind)}
Proof. exact {name}_{part}.page_{part}. Qed.
Print Assumptions judged.
"""
