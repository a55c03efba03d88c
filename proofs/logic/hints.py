"""Which facts z3 needed when it proved an obligation before, so that it is asked with these alone.

Of thousands of facts about bits or digits a proof rests on some dozens.  To find them takes z3 up to thirty times as
long as to prove the claim from them.  So they are kept, a file a page, in ``proofs/hints``: by a digest of the
obligation, the numbers of the facts in the order in which a reader knows them.  Nothing is believed because it is
kept: from fewer facts less follows, and where the claim does not follow from these, z3 is asked with all of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TypeAlias

import msgspec

from sparring.spec.core.numbers import Bool, Node, Reader

Hints: TypeAlias = dict[str, list[int]]
FOLDER = Path(__file__).parents[1] / "hints"


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
def kept() -> Mapping[str, Sequence[int]]:
    """Return the hints of all files."""
    return {key: hint for file in sorted(FOLDER.glob("*.json")) for key, hint in read(file).items()}


def read(file: Path) -> Hints:
    """Return the hints of a file."""
    return msgspec.json.decode(file.read_bytes(), type=Hints)


def write(file: Path, found: Mapping[str, Sequence[int]]) -> None:
    """Write hints to a file, a line an obligation."""
    lines = ",\n".join(f'"{key}": {[*hint]}' for key, hint in sorted(found.items()))
    file.write_text(f"{{\n{lines}\n}}\n", encoding="ascii")
