"""What earlier proofs found by searching, so that the next ones begin with it.

Of thousands of facts about bits or digits a proof rests on some dozens.  To find them takes z3 up to thirty times as
long as to prove the claim from them.  And of some hundred faults that are planted in a page, most upset what a theorem
is not about.  So both are kept, a file a page, in ``proofs/hints``: on which facts each obligation rested, and which
fault was refuted.  Nothing is believed because it is kept: from fewer facts less follows, and a fault counts only where
the solver refutes it again.  Where that fails, the search begins anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import msgspec

from sparring.spec.core.numbers import Bool, Node, Reader

FOLDER = Path(__file__).parents[1] / "hints"


class Hints(msgspec.Struct, forbid_unknown_fields=True):
    """What earlier proofs found.

    ``facts``: by the digest of an obligation, the numbers of the facts on which its proof rested, in the order in
    which a reader knows them; ``faults``: by theorem, in words, the planted fault that was refuted.
    """

    facts: dict[str, list[int]] = {}
    faults: dict[str, str] = {}

    def __or__(self, other: Hints) -> Hints:
        """Return these hints and others; where both say something, the others'."""
        return Hints(self.facts | other.facts, self.faults | other.faults)


def theorem(page: str, name: str) -> str:
    """Return the key of a page's theorem."""
    return f"{page} {name}"


class Digests(Reader[bytes]):
    """Reads a term as a digest of how it is written: equal terms have equal ones, in every process."""

    def constant(self, x: int | bool) -> bytes:
        return digest(repr(x).encode())

    def variable(self, name: str) -> bytes:
        return digest(b"var", name.encode())

    def operator(self, x: Node, args: list[bytes]) -> bytes:
        return digest(x.op.encode(), *args)

    def of(self, terms: Sequence[Bool], encoding: str) -> str:
        """Return the digest of an obligation, its hypotheses and its claim, that is read in this encoding."""
        return digest(encoding.encode(), *map(self, terms)).hex()


def digest(first: bytes, *others: bytes) -> bytes:
    """Return a digest of 12 bytes; ``others`` are digests themselves."""
    return hashlib.blake2b(b"".join(others) + first, digest_size=12).digest()


@cache
def kept() -> Hints:
    """Return the hints of all files."""
    found = Hints()
    for file in sorted(FOLDER.glob("*.json")):
        found |= read(file)
    return found


def read(file: Path) -> Hints:
    """Return the hints of a file."""
    return msgspec.json.decode(file.read_bytes(), type=Hints)


def write(file: Path, found: Hints) -> None:
    """Write hints to a file, a line an obligation or a theorem."""
    facts, faults = (",\n".join(lines(one)) for one in (found.facts, found.faults))
    file.write_text(f'{{"facts": {{\n{facts}\n}},\n"faults": {{\n{faults}\n}}}}\n', encoding="ascii")


def lines(of: Mapping[str, object]) -> Iterator[str]:
    """Return an iterator of the entries as JSON, in the order of their keys."""
    return (f"{json.dumps(key)}: {json.dumps(value)}" for key, value in sorted(of.items()))
