"""Proves what a page's local functions do to values, and how long messages are: at a point, for all.

A *point* is one index of a chunk, on any rank: there is an entry or not, and its value is a letter.  The
text of ``selects``, ``keeps``, ``sends`` and ``left`` is run on points as it stands, since a ``Point``
has the methods of a :class:`~sparring.spec.core.sparse.SparseVector`.  Which entries a selection takes is
a truth of which nothing is known but that it takes none that is not there; how many there are, ``m``, is
a letter or a formula.  Both sides of ``where`` are read.

Values are read as integers.  That is enough: points can be added and chosen among, so that what is
claimed of values are equalities of sums of them with whole coefficients, which hold in every commutative
group once they hold for integers, and no condition speaks of a value.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, cast

from sparring.proofs.logic.messages import sends, single
from sparring.proofs.logic.obligations import Obligation, c, every, iff, implies, n, p, q, r, t, within
from sparring.proofs.logic.queries import Shared, answered
from sparring.proofs.logic.symbolic import OPERATORS
from sparring.proofs.reading.entries import Letters, Point, point, size
from sparring.spec.core.model import Page, chunk_words, list_words
from sparring.spec.core.numbers import Bool, Int, Node, Sym, both, either, negate, where

WIDTHS = (4, 8)
"""Bytes of a value: those of the four dtypes."""
LOCAL = ("sparse", "selected")
"""The data to which local functions are applied."""
WHOLE = ("values", "dense")
"""Encodings that do not say which entries are there, so that all must be."""
m = Sym.var("m")

SAID = {
    "sparse": "  A rank takes, keeps and sends of a chunk every value that is there, and no other.",
    "selected": "  A rank takes, keeps and sends of a chunk whole entries, and cuts the others.",
}
"""What local functions are proved to do, by the page's data: a part of what *result* says."""
ACTS: Mapping[str, Callable[[Page, Any, int], Any]] = {
    "selected": lambda page, x, w: page.selects(x, c, p, n, w),
    "kept": lambda page, x, w: page.keeps(x, c, p, n, w),
    "sent": lambda page, x, w: page.sends(x, c, t, p, n, w),
}
"""The functions that make something of a piece on its way, by what they do."""


def read(page: Page, act: str, x: Point, w: int) -> Point:
    """Return what the page makes of this point, where values have ``w`` bytes."""
    found = ACTS[act](page, x, w)
    if not isinstance(found, Point):
        raise TypeError(f"what is {act} is {found!r}, which is no piece")
    return found


def values(page: Page) -> Iterator[Obligation]:
    """Yield the obligations that local functions leave the value at every index as it is.

    On a page that selects, they leave the value or cut it off.  So what *result* says of a chunk's contributions
    holds for every entry of the chunk.  What is cut off, at the entries where nothing is left, is what the runner
    adds to the residual.
    """
    yield from distinct(
        claim for act in ACTS for w in WIDTHS if page.data in LOCAL for claim in keeps_values(page, act, w)
    )


def keeps_values(page: Page, act: str, w: int) -> Iterator[Obligation]:
    """Yield the obligations of ``values`` for one function and one width."""
    letters = Letters()
    x = point(letters)
    if (y := read(page, act, x, w)) is x:
        return
    claims = {
        f"what is there is {act}": implies(x.there, both(y.there, y.value == x.value)),
        f"nothing else is {act}": implies(both(negate(x.there), y.there), y.value == 0),
    }
    if page.data == "selected":
        claims = {f"what is {act} and what is cut make what was there": y.part + x.without(y).part == x.part}
    box = (*during_any(page), size >= 0, size <= n, *letters.facts)
    yield from (plain_obligation(page, name, box, claim) for name, claim in claims.items())


def sent_again(page: Page) -> Iterator[Obligation]:
    """Yield the obligations that what a rank has sent once it sends whole in any other step.

    To send cuts a rank's own copy, too.  So two copies of one chunk stay equal only if none is cut further.
    """
    for w in WIDTHS if page.data == "selected" else ():
        letters, act = Letters(), cast("Callable[..., Any]", page.sends)
        once = read(page, "sent", point(letters), w)
        again = act(once, c, ANOTHER, p, n, w)
        box = (*during_any(page), within(ANOTHER, page.steps(p)), size >= 0, *letters.facts)
        if again is not once:
            yield plain_obligation(page, "what was sent is sent whole", box, again.part == once.part)


ANOTHER = Sym.var("another_step")
BOX = (p >= 1, within(r), n >= 0)
"""There is at least one rank, and there may be no entries."""


def staying(page: Page) -> Iterator[Obligation]:
    """Yield the obligations that what stays behind keeps the sum.

    With the result it adds up to what all ranks began with, as what is cut does.

    At an index where the result has an entry, this is so if every rank keeps what it cut.  Where the result has
    none, all that was cut there adds up to all that ranks began with.  So ranks may keep either, but all ranks
    must keep the same.  The obligations state this for any two ranks.
    """
    letters, left = Letters(), cast("Left", page.left)
    y, x, cut, other, others = (point(letters, n) for _ in range(5))
    mine, theirs = left(x, cut, y), left(other, others, y)
    if mine is cut:  # the page has no rule
        return
    alike = both(mine.part == cut.part, theirs.part == others.part)
    begun = both(mine.part == x.part, theirs.part == other.part)
    box = (p >= 1, n >= 0, *letters.facts)
    there, name = y.there, "what stays behind where the result has"
    yield plain_obligation(page, f"{name} an entry", box, implies(there, mine.part == cut.part))
    yield plain_obligation(page, f"{name} none", box, implies(negate(there), either(alike, begun)))


Left = Callable[[Point, Point, Point], Point]
"""``left(x, cut, y)``, on points."""
RULES: Mapping[str, Left] = {"cut": lambda x, cut, y: cut, "collected": lambda x, cut, y: x.without(y) + cut.meeting(y)}
"""What may stay behind: what a rank cut; or that where the result has an entry, else what the rank began with."""


def rule(page: Page) -> str:
    """Return the name in ``RULES`` of the page's rule, as both solvers prove at a point; empty if it is not there."""
    return next((name for name in RULES if all(a.holds for a in answered(same(page, RULES[name]), True))), "")


def same(page: Page, rule: Left) -> Iterator[Obligation]:
    """Yield the obligation that the page's rule leaves behind what the given ``rule`` leaves behind."""
    letters, left = Letters(), cast("Left", page.left)
    x, cut, y = (point(letters, n) for _ in range(3))
    a, b = left(x, cut, y), rule(x, cut, y)
    yield plain_obligation(
        page, "the same", (p >= 1, n >= 0, *letters.facts), both(iff(a.there, b.there), a.part == b.part)
    )


BOUNDED = "No message is longer than the dense one and its header, whatever its entries."
FORMULAS = ("words", "added", "octets", "encoded")


def describe_sizes(page: Page) -> str:
    """Return in words what is proved of sizes; on a page that selects entries, with the value of ``k``."""
    k = page.params.get("k")
    many = f", for k = {k}" if page.data == "selected" and isinstance(k, int) else ""
    return f"Messages have the entries, words and bytes that formulas say{many}."


def sizes(page: Page) -> Iterator[Obligation]:
    """Yield the obligations that messages have the entries, words and bytes that the page's formulas say, if any."""
    if page.data in LOCAL or any(hasattr(page.module, formula) for formula in FORMULAS):
        parts = (encodings, density if page.data == "sparse" else selection if page.data == "selected" else totals)
        yield from distinct(claim for w in WIDTHS for part in parts for claim in part(page, w))


def encodings(page: Page, w: int) -> Iterator[Obligation]:
    """Yield the obligations that a message has the bytes of the encoding named, beside a header.

    For sparse data, no encoding named by the formula is shorter.
    """
    if page.listed:
        home: Mapping[str, Any] = getattr(getattr(page.module, "octets", None), "__globals__", {})
        box, name = (p >= 1, within(m, size + 1)), page.encoded(m, size, w)
        taken = page.octets(m, size, w) - home.get("HEADER", 0)
        for word in sorted(encoding_names(name)):
            least, most = length(word, home, w)
            right = either(taken == least, taken == most)
            yield plain_obligation(page, f"bytes of {word}", box, implies(names_encoding(name, word), right))
            if page.data == "sparse":
                yield plain_obligation(page, f"no longer than {word}", box, taken <= most)


def length(word: str, home: Mapping[str, Any], w: int) -> tuple[Int, Int]:
    """Return the least and the most bytes of ``m`` entries in this encoding: an index may have 8 if 4 are too few.

    For an encoding that is not known here, its own function, found in the module of ``octets``, gives the bytes.
    """
    if word == "pairs":
        index: Int = where(size <= 2**31, 4, 8)
        return m * (w + 4), m * (w + index)
    begins = where(size < 1, size, 4 * ((size - 1) // 2**16))  # 4 bytes for each 2^16 places but the first
    known = {
        "values": m * w,
        "dense": size * w,
        "bitmap": m * w + (size + 7) // 8,
        "offsets": m * (w + 2) + begins,
    }
    found = known[word] if word in known else call_with_letters(home[word], m=m, size=size, w=w)
    return found, found


def density(page: Page, w: int) -> Iterator[Obligation]:
    """Yield the obligations that what is sent is no longer than what was there, and whole if it has no indices.

    Only the page's rule ``fills``, if it has one, may make a message longer, and only a message that is not to be
    added: the zeros that it fills in add nothing there.
    """
    letters = Letters()
    x = point(letters)
    y, box = read(page, "sent", x, w), (*during_any(page), size >= 0, *letters.facts)
    rule = getattr(page.module, "fills", None)
    fills = call_with_letters(rule, **page.params, m=x.m, size=size, t=t, p=p) if rule else False
    longer = page.octets(x.m, size, w) < page.octets(y.m, size, w)
    yield plain_obligation(
        page, "nothing makes a message longer", box, implies(longer, both(fills, negate(page.adds(t, p))))
    )
    if rule:
        yield plain_obligation(page, "what goes dense by rule", box, implies(fills, y.m == size))
    yield from complete(page, page.encoded(y.m, size, w), y.m, box)


def complete(page: Page, name: Any, many: Int, box: Iterable[Bool]) -> Iterator[Obligation]:
    """Yield the obligation that all entries are there whenever the formula names an encoding without indices."""
    if encoding_names(name) & {*WHOLE}:
        yield plain_obligation(page, "without indices all is there", box, implies(alone(name), many == size))


def selection(page: Page, w: int) -> Iterator[Obligation]:
    """Yield the obligations that messages have as many values and words as is said.

    They assume that no chunk has fewer entries than may be sent of it.  A chunk's part of the ``k`` entries is cut
    as the vector is, so that all parts together make ``k``.
    """
    letters, chunks = Letters(), page.chunks(p)
    at = c if page.cuts else 0
    k, count = page.params.get("k", Sym.var("k")), page.count(r, t, p)
    own = chunk_words(at, chunks, n)
    x = point(letters, own, own)
    begun, summed = (read(page, "sent", read(page, act, x, w), w).m for act in ("selected", "kept"))
    box = (*during_any(page), q >= 0, q < p, *letters.facts)
    for limit in letters.limits:
        share = chunk_words(at, chunks, where(k <= n, k, n))
        yield plain_obligation(page, "parts of k", box, smaller(limit, own) == smaller(share, own))
    enough = (k <= n, *box, *(limit < own for limit in letters.limits))

    def said(many: Int) -> Bool:
        """Return the condition that the sizes are as said.

        ``many`` counts the entries of one message, or of one chunk where a message is a block of several chunks.
        """
        share = many if single(count) else chunk_words(at, chunks, k, count)
        name = page.encoded(share, chunk_words(at, chunks, n, count), w)
        length = where(names_encoding(name, "values"), share, list_words(share))
        values = page.added(r, t, c, p, n, k) == share
        return every(
            values, page.words(r, t, c, p, n, k) == length, single(count) or many == chunk_words(at, chunks, k)
        )

    came = every(t < page.steps(p), sends(page, r), negate(q == r), page.holds(q, r, c, t, p))
    yield plain_obligation(page, "a message of the first step", (*enough, t == 0), said(begun))
    yield plain_obligation(page, "a message of what was summed", (*enough, came), said(summed))
    yield plain_obligation(page, "a message of any step", enough, either(said(begun), said(summed)))
    yield from complete(page, page.encoded(m, size, w), m, (p >= 1, within(m, size + 1)))


def totals(page: Page, w: int) -> Iterator[Obligation]:  # noqa: ARG001  # of whole chunks words are no matter of bytes
    """Yield the obligations that messages of chunks, or of lists, have all entries of these."""
    count, k = page.count(r, t, p), Sym.var("k")
    lists = page.data == "lists"
    many = count * k if lists else chunk_words(c, page.chunks(p), n, count)
    box = (*during_any(page), k >= 0)
    says = page.words(r, t, c, p, n, k), page.added(r, t, c, p, n, k)
    if hasattr(page.module, "words"):
        yield plain_obligation(page, "words of a message", box, says[0] == (list_words(many) if lists else many))
    if hasattr(page.module, "added"):
        yield plain_obligation(page, "values of a message", box, says[1] == many)


def during_any(page: Page) -> tuple[Bool, ...]:
    """Return the hypotheses for any rank, chunk and step, and for what becomes of a chunk after the last step."""
    return (*BOX, within(c, page.chunks(p)), within(t, page.steps(p) + 1))


def smaller(a: Int, b: Int) -> Int:
    return where(a <= b, a, b)


def call_with_letters(function: Callable[..., Any], **letters: Any) -> Any:
    """Return the function's value for those of the letters that it asks for."""
    return function(**{name: letters[name] for name in inspect.signature(function).parameters})


def encoding_names(name: Any) -> frozenset[str]:
    """Return the encodings that a formula may name."""
    return frozenset().union(*map(encoding_names, name.args[1:])) if isinstance(name, Sym) else frozenset([name])


def names_encoding(name: Any, word: str) -> Bool:
    """Return the condition that the formula names this encoding."""
    if not isinstance(name, Sym):
        return bool(name == word)
    return where(name.args[0], names_encoding(name.args[1], word), names_encoding(name.args[2], word))


def alone(name: Any) -> Bool:
    """Return the condition that the encoding named has no indices."""
    return either(*(names_encoding(name, word) for word in WHOLE))


def plain_obligation(page: Page, name: str, hypotheses: Iterable[Bool], claim: Bool) -> Obligation:
    """Return an obligation that is read as integers, whatever the page's formulas are.

    Where a term is not linear integer arithmetic (a shift, say, or a division by ``p``), a letter stands for it, one
    letter for equal terms.  What is proved for every value of the letter holds for the term.
    """
    opaque = Opaque(keeps={*OPERATORS, "%"} if page.encoding == "wrap" else {*OPERATORS})
    return Obligation(name, tuple(map(opaque.taken, hypotheses)), opaque(claim), encoding="wrap")


class Opaque(Shared):
    """Reads a term with letters for all parts but those of linear arithmetic, and without what is ``given``."""

    def __init__(self, keeps: Collection[str]) -> None:
        super().__init__()
        self.keeps, self.given = keeps, set[int]()
        self.letters: dict[int, Sym] = {}

    def taken(self, hypothesis: Bool) -> Any:
        """Return a hypothesis as read; from now on, a ``where`` on this truth is replaced by its first side."""
        found = self(hypothesis)
        self.given.add(id(found))
        return found

    def variable(self, name: str) -> Any:
        return LETTERS.setdefault(name, Sym.var(name))

    def operator(self, x: Node, args: list[Any]) -> Any:
        if x.op == "where" and id(args[0]) in self.given:
            return args[1]
        one = super().operator(x, args)
        if x.op not in self.keeps or (x.op == "//" and isinstance(args[1], Node)):
            return self.letters.setdefault(id(one), Sym.var(f"any{len(self.letters)}"))
        return one


LETTERS = {"p": p}
"""The letters of obligations, all of which share one number of ranks."""


def distinct(claims: Iterable[Obligation]) -> Iterator[Obligation]:
    """Yield each obligation once, since many formulas are the same for values of any width."""
    seen = set()
    for claim in claims:
        if (text := repr(claim)) not in seen:
            seen.add(text)
            yield claim
