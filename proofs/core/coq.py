"""A page's formulas in Coq: the instance of ``proofs/coq`` that says this page meets the obligations.

Formulas are read from the same terms as the solvers read; Coq's ``mod`` and ``/`` round down, as
Python's do.
"""

from __future__ import annotations

from typing import TypeAlias

from sparring.errors import InputError, Undecided
from sparring.proofs.core.obligations import Same, c, p, q, r, s, sends, t
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, Node, Reader

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

PAGE = """\
From Coq Require Import ZArith Bool Lia.
Require Import machine schedule terms wrap.
Local Open Scope Z_scope.

Definition page : family := {{|
{fields}
|}}.
"""

RESULT = """
Theorem page_is_matched p : 1 <= p -> matched page p.
Proof. wrap page. Qed.

Theorem page_sends_to_ranks p : 1 <= p ->
  forall r t, 0 <= r < p -> 0 <= t < steps page p -> 0 <= dst page r t p < p.
Proof. wrap page. Qed.

Theorem page_is_inductive p : 1 <= p -> inductive page p.
Proof. wrap page. Qed.

Print Assumptions page_is_matched.
Print Assumptions page_sends_to_ranks.
Print Assumptions page_is_inductive.
"""

AGREEMENT = """
Definition same (p r s c t : Z) : bool := {same}.

Theorem page_agrees p : 1 <= p -> agreement page p (same p).
Proof. wrap_same page same. Qed.

Print Assumptions page_agrees.
"""


class CoqReader(Reader[CoqTerm]):
    """Reads terms over ``Z`` and ``bool``."""

    def constant(self, x: int | bool) -> CoqTerm:
        if isinstance(x, bool):
            return str(x).lower()
        if not isinstance(x, int):
            raise InputError(f"a schedule formula holds {x!r}; formulas hold integers and truths")
        return f"({x})"

    def variable(self, name: str) -> CoqTerm:
        return name

    def operator(self, x: Node, args: list[CoqTerm]) -> CoqTerm:
        if x.op not in OPERATORS:
            raise Undecided(f"{x!r}: Coq instances know no {x.op}")
        return OPERATORS[x.op].format(*args)


def instance(page: Page) -> str:
    """The text of a Coq file in which the page meets the obligations of the schedule and of ``holds``, for every p."""
    return definition(page) + RESULT


def agreement(page: Page, same: Same) -> str:
    """The text of a Coq file in which it meets those of ``same``, for every p."""
    return definition(page) + AGREEMENT.format(same=CoqReader()(same(r, s, c, t, p)))


def definition(page: Page) -> str:
    """The page's formulas.  Raises Undecided where they are not read as integers, or a step has several messages."""
    if page.several:
        raise Undecided(f"{page.name}: pages of which a rank sends several messages in a step have no Coq instance")
    if page.encoding != "wrap":
        raise Undecided(f"{page.name}: only pages whose formulas are read as integers have a Coq instance")
    formulas: dict[str, Int | Bool] = {
        "steps p": page.steps(p),
        "chunks p": page.chunks(p),
        "dst r t p": page.dst(r, t, p),
        "src r t p": page.src(r, t, p),
        "sends s c t p": sends(page, s),
        "adds t p": page.adds(t, p),
        "holds q r c t p": page.holds(q, r, c, t, p),
        "live r c t p": page.live(r, c, t, p),
        "start q r c p": page.start(q, r, c, p),
        "goal q r c p": page.goal(q, r, c, p),
        "wanted r c p": page.wanted(r, c, p),
    }
    read = CoqReader()
    return PAGE.format(fields=";\n".join(f"  {name} := {read(term)}" for name, term in formulas.items()))
