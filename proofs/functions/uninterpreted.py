"""Letters of which quotients and remainders are letters, too: what is proved of them holds whatever they are.

>>> r, m = letter("r"), letter("m")
>>> r // (1 * m) % m, r // m + m, factor("m", Sym.var("p")) * 5
(r // m % m, (r // m + m), p)
"""

from __future__ import annotations

from sparring.spec.core.numbers import Int, Node, Sym


class Letter(Sym):
    """A symbol; what it is divided by may be one, too."""

    __slots__ = ()
    __hash__ = Node.__hash__

    def __floordiv__(self, o: Int) -> Letter:
        return letter(f"{self!r} // {o!r}")

    def __mod__(self, o: Int) -> Letter:
        return letter(f"{self!r} % {o!r}")

    def __rmul__(self, o: Int) -> Sym:  # a product of sides begins with 1
        return self if type(o) is int and o == 1 else Sym("*", o, self)


class Factor(Letter):
    """A letter that makes with another one, whichever it is, a ``product`` that has a name of its own."""

    __slots__ = ("product",)
    __hash__ = Node.__hash__
    product: Sym

    def __mul__(self, o: Int) -> Sym:
        return self.product


def letter(name: str) -> Letter:
    """Return the letter of that name."""
    return Letter("var", name)


def factor(name: str, product: Sym) -> Factor:
    """Return the letter of that name, which is a factor of ``product``."""
    found = Factor("var", name)
    found.product = product
    return found
