"""Costs as source code: functions in Python, exact, and in C, in double precision."""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy.printing.c import C99CodePrinter
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.pycode import PythonCodePrinter

from sparring.costs.compositions import ComposedCost
from sparring.costs.forms import Forms
from sparring.costs.formulas.symbols import CeilLog, Expr
from sparring.costs.rows import FORMS
from sparring.costs.union_cost import u

LOGARITHMS = {"Log2": "floor_log2", "FloorLog2": "floor_log2", "CeilLog2": "ceil_log2", "Log": "floor_log",
              "CeilLog": "ceil_log"}  # fmt: skip
"""The function for each logarithm; one that is written without rounding has an integer value where it holds."""

PYTHON = '''\
"""Costs of {names}, as exact functions: integers and fractions in, integers and fractions out."""

from fractions import Fraction
from math import ceil, floor


def floor_log(x, base):
    """The largest m with base**m <= x, for x >= 1."""
    m = 0
    while base ** (m + 1) <= x:
        m += 1
    return m


def ceil_log(x, base):
    """The least m with x <= base**m, for x >= 1."""
    m = floor_log(x, base)
    return m + (base**m < x)


def floor_log2(x):
    """The largest m with 2**m <= x, for x >= 1."""
    return floor(x).bit_length() - 1


def ceil_log2(x):
    """The least m with x <= 2**m, for x >= 1."""
    return (ceil(x) - 1).bit_length()
'''

C = """\
/* Costs of {names}, in double precision: exact as long as products stay below 2^53.  C99; link with -lm. */

#include <math.h>

static double floor_log(double x, double base) {{
    double m = 0, power = base;
    for (; power <= x; power *= base) m++;
    return m;
}}
static double floor_log2(double x) {{ return floor_log(x, 2); }}
static double ceil_log2(double x) {{ return floor_log2(x) + (exp2(floor_log2(x)) < x); }}
"""

C_CEIL_LOG = """\
static double ceil_log(double x, double base) {
    double m = floor_log(x, base);
    return m + (pow(base, m) < x);
}
"""
"""Written only where a formula calls it: compilers warn of functions that nobody calls."""


def called(page: str) -> dict[str, str]:
    """Return the name of the code that computes each function that a formula of ``page`` may have."""
    return {**LOGARITHMS, "u": "u", "octets": f"{page}_octets"}


class Python(PythonCodePrinter):  # type: ignore[misc]  # sympy ships no types
    """Prints expressions of fractions."""

    def __init__(self, page: str) -> None:
        super().__init__({"fully_qualified_modules": False, "user_functions": called(page)})

    def _print_Sum(self, x: Expr) -> str:  # noqa: N802  # sympy's name
        (letter, low, high), inner = x.limits[0], self._print(x.function)
        return f"sum({inner} for {letter} in range(int({self._print(low)}), int({self._print(high)}) + 1))"

    def _print_Pow(self, x: Expr, rational: bool = False) -> str:  # noqa: N802  # sympy's name
        """Print a power; an integer to a negative power would be a float, so its base becomes a Fraction."""
        if x.base.is_Integer:
            return f"Fraction({x.base})**({self._print(x.exp)})"
        printed: str = super()._print_Pow(x, rational=rational)
        return printed

    def _print_Rational(self, x: Expr) -> str:  # noqa: N802  # sympy's name
        return f"Fraction({x.p}, {x.q})"


class Double(C99CodePrinter):  # type: ignore[misc]  # sympy ships no types
    """Prints expressions of doubles, in which integers are divided last: a quotient that is whole is then exact."""

    def _print_Mul(self, x: Expr) -> str:  # noqa: N802  # sympy's name
        top, bottom = sympy.fraction(x)
        if bottom == 1 or x.is_Rational:
            printed: str = super()._print_Mul(x)
            return printed
        over, under = self.parenthesize(top, PRECEDENCE["Mul"]), self.parenthesize(bottom, PRECEDENCE["Pow"])
        return f"{over}/{under}"

    def _print_floor(self, x: Expr) -> str:
        return f"floor({self._print(sympy.together(x.args[0]))})"

    def _print_ceiling(self, x: Expr) -> str:
        return f"ceil({self._print(sympy.together(x.args[0]))})"


def python(costs: Sequence[Forms]) -> str:
    """Return a module with a function ``ALGO_QUANTITY`` for each closed form; ``u(s)`` is passed as a function."""
    where = {cost.page.name: holding(cost) for cost in costs}
    told = (in_python(*form, where[form[0]]) for form in functions(costs))
    return "\n".join([PYTHON.format(names=names(costs)), *told])


def c(costs: Sequence[Forms]) -> str:
    """Return the same functions in C99."""
    forms, where = functions(costs), {cost.page.name: holding(cost) for cost in costs}
    beside = [C_CEIL_LOG] if any(form.has(CeilLog) for _, _, form in forms) else []
    return "\n".join([C.format(names=names(costs)), *beside, *(in_c(*form, where[form[0]]) for form in forms)])


def names(costs: Sequence[Forms]) -> str:
    """Return the algorithms' names as a list in words."""
    return ", ".join(cost.page.name for cost in costs)


def functions(costs: Sequence[Forms]) -> list[tuple[str, str, Expr]]:
    """Return the algorithm, the quantity and the formula of each closed form that there is."""
    forms = [(cost.page.name, name, cost.form(name)) for cost in costs for name in cost.names]
    return [form for form in forms if form[2] is not None]


def holding(cost: Forms) -> str:
    """Return where an algorithm's formulas hold, and whether they are bounds, as the end of a sentence."""
    return f"{', at most' if cost.relation else ''}{conditions(cost)}"


def conditions(cost: Forms) -> str:
    """Return where an algorithm's formulas hold, as the end of a sentence; empty where they always do."""
    more = [words for _, words in cost.hypotheses] if isinstance(cost, ComposedCost) else []
    where = "; ".join(filter(None, [cost.given, *more]))
    return f"{where and ', where '}{where}"


def letters(x: Expr) -> list[str]:
    """Return the arguments of a formula, in alphabetical order; ``u`` last."""
    return sorted(s.name for s in x.free_symbols) + (["u"] if x.has(u) else [])


def in_python(page: str, name: str, x: Expr, where: str = "") -> str:
    """Return the function of one closed form, which says ``where`` it holds."""
    given = letters(x)
    exact = [letter for letter in given if letter != "u"]
    return "\n".join(
        [
            "",
            f"def {page}_{name}({', '.join(given)}):",
            f'    """{FORMS[name]}{where}."""',
            *([f"    {', '.join(exact)} = {', '.join(f'Fraction({letter})' for letter in exact)}"] if exact else []),
            f"    return {Python(page).doprint(x)}",
            "",
        ]
    )


def in_c(page: str, name: str, x: Expr, where: str = "") -> str:
    """Return the function of one closed form, which says ``where`` it holds; sums become loops."""
    given = ", ".join("double (*u)(double)" if letter == "u" else f"double {letter}" for letter in letters(x))
    printer = Double({"user_functions": called(page)})
    plain, sums = parts(x)
    loops = [
        f"    for (double {s} = {printer.doprint(low)}; {s} <= {printer.doprint(high)}; {s}++)\n"
        f"        total += {printer.doprint(term)};"
        for term, (s, low, high) in sums
    ]
    return "\n".join(
        [
            f"/* {FORMS[name]}{where} */",
            f"double {page}_{name}({given}) {{",
            f"    double total = {printer.doprint(plain)};",
            *loops,
            "    return total;",
            "}",
            "",
        ]
    )


def parts(x: Expr) -> tuple[Expr, list[tuple[Expr, tuple[Expr, Expr, Expr]]]]:
    """Return the part of ``x`` that has no sum in it, and the terms and limits of its sums."""
    terms = sympy.Add.make_args(sympy.expand_mul(x, deep=False) if x.has(sympy.Sum) else x)
    plain = [term for term in terms if not term.has(sympy.Sum)]
    sums = [(one.function * (term / one), tuple(one.limits[0])) for term in terms for one in term.atoms(sympy.Sum)]
    return sympy.Add(*plain), sums
