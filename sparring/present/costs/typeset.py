r"""Formulas in LaTeX that can be broken into lines: fractions lie flat, and no bracket grows with what it holds.

TeX breaks a formula within a paragraph at its operators, but never between ``\left`` and ``\right``
or within a fraction.  Needs amsmath.
"""

from __future__ import annotations

import re

import sympy
from sympy.printing.latex import LatexPrinter

from sparring.costs.formulas.symbols import Expr

SHORT = re.compile(r"(?<![{])\([^()]{1,60}\)")
"""A bracket within which no line shall end."""
ROUND = 1 << 10  # from here on a power of two is written as one

LETTERS = {
    "width": "w", "size": r"\ell", "node": "g",
    "alpha": r"\alpha", "beta": r"\beta", "gamma": r"\gamma", "rho": r"\rho",
    **{f"{x}_{level}": rf"\{x}_{{\mathrm{{{level}}}}}" for x in ("alpha", "beta") for level in ("in", "out")},
}  # fmt: skip
CONDITIONS = {
    "p = 2^m": "p = 2^m",
    "p not 2^m": r"p \ne 2^m",
    "2^floor(log2 p) | n": r"2^{\lfloor\log_2 p\rfloor} \mid n",
    "p = radix^m": r"p = \mathit{radix}^m",
}
"""The hypotheses that are not written as they are spelt; ``m`` is any natural number."""


def condition(text: str) -> str:
    r"""Return a hypothesis in LaTeX.

    >>> condition("p | n"), condition("1 < node"), condition("n <= 2^31"), condition("8 p | n")
    ('p \\mid n', '1 < g', 'n \\le 2^{31}', '8 p \\mid n')
    """
    if text in CONDITIONS:
        return CONDITIONS[text]
    left, relation, right = text.rsplit(" ", 2)
    sign = {"|": r"\mid", "<=": r"\le"}.get(relation, relation)
    base, power, exponent = right.partition("^")
    factors = " ".join(map(spelt, left.split()))
    return f"{factors} {sign} {f'{base}^{{{exponent}}}' if power else spelt(right)}"


def spelt(letter: str) -> str:
    r"""Return a letter, or the name of a parameter, in LaTeX; digits as they are.

    >>> spelt("n"), spelt("width"), spelt("radix")
    ('n', 'w', '\\mathit{radix}')
    """
    return (
        letter
        if len(letter) == 1 or letter.isdigit()
        else LETTERS.get(letter, rf"\mathit{{{letter}}}".replace("_", r"\_"))
    )


class Flat(LatexPrinter):  # type: ignore[misc]  # sympy ships no types
    """Prints for a line of text."""

    def __init__(self) -> None:
        super().__init__({"fold_short_frac": True})

    def _print_Symbol(self, x: Expr, style: str = "plain") -> str:  # noqa: N802  # sympy's name
        return spelt(x.name)

    def _print_Integer(self, x: Expr) -> str:  # noqa: N802  # sympy's name
        power = int(x).bit_length() - 1
        return f"2^{{{power}}}" if x >= ROUND and x == 1 << power else str(int(x))

    def _print_Mul(self, x: Expr) -> str:  # noqa: N802  # sympy's name
        parts = [sympy.fraction(a) for a in x.args]
        over, under = (sympy.Mul(*(a for a in side if a != 1), evaluate=False) for side in zip(*parts))
        if under == 1:
            printed: str = super()._print_Mul(x)
            return printed
        top, bottom = self._print(over), self._print(under)
        return f"{f'({top})' if over.is_Add else top} / {f'({bottom})' if under.is_Add or under.is_Mul else bottom}"

    def _print_Add(self, x: Expr, order: str | None = None) -> str:  # noqa: N802  # sympy's name
        """Print the terms in sympy's order, but begin with one that has no minus."""
        terms = self._as_ordered_terms(x, order=order)
        first = next((term for term in terms if not term.could_extract_minus_sign()), terms[0])
        terms.remove(first)
        return "".join([self._print(first), *map(self.signed, terms)])

    def signed(self, term: Expr) -> str:
        """Return a term with its sign, as it is added to others."""
        minus = term.could_extract_minus_sign()
        printed = self._print(-term if minus else term)
        return f" {'-' if minus else '+'} {f'({printed})' if self._needs_add_brackets(term) else printed}"

    def _print_floor(self, x: Expr, exp: str | None = None) -> str:
        return raised(rf"\lfloor {self._print(sympy.together(x.args[0]))} \rfloor", exp)

    def _print_ceiling(self, x: Expr, exp: str | None = None) -> str:
        return raised(rf"\lceil {self._print(sympy.together(x.args[0]))} \rceil", exp)

    def _print_Function(self, x: Expr, exp: str | None = None) -> str:  # noqa: N802  # sympy's name
        if not isinstance(x, sympy.core.function.AppliedUndef):
            printed: str = super()._print_Function(x, exp)
            return printed
        name = x.func.__name__
        called = name if len(name) == 1 else rf"\operatorname{{{name}}}"
        return raised(f"{called}({', '.join(map(self._print, x.args))})", exp)

    def _print_Piecewise(self, x: Expr) -> str:  # noqa: N802  # sympy's name
        """Print the cases in words: cases one above the other do not fit into a line."""
        *cases, (other, _) = x.args
        told = [rf"{self._print(value)} \text{{ if }} {self._print(holds)}" for value, holds in cases]
        return rf"({', '.join(told)}, \text{{ else }} {self._print(other)})"

    def _print_Max(self, x: Expr, exp: str | None = None) -> str:  # noqa: N802  # sympy's name
        return raised(rf"\max\{{{', '.join(map(self._print, x.args))}\}}", exp)

    def _print_Min(self, x: Expr, exp: str | None = None) -> str:  # noqa: N802  # sympy's name
        return raised(rf"\min\{{{', '.join(map(self._print, x.args))}\}}", exp)


def raised(base: str, exp: str | None) -> str:
    """Return ``base`` to the power ``exp``, if there is one."""
    return base if exp is None else f"{base}^{{{exp}}}"


def formula(x: Expr) -> str:
    r"""Return ``x`` in LaTeX, without dollar signs.

    >>> from sparring.costs.formulas.symbols import n, p
    >>> formula(2 * n * (p - 1) / p), formula(2 * n - sympy.floor(2 * n / p))
    ('2 n {(p - 1)} / p', '2 n - \\lfloor 2 n / p \\rfloor')
    """
    printed: str = Flat().doprint(x)
    flat = printed.replace(r"\left", "").replace(r"\right", "").replace(" )", ")")
    return SHORT.sub(r"{\g<0>}", flat)
