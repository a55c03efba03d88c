"""The files of test vectors, made when they are first asked for; run as a program, renews what is kept of them."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import sparring
from sparring.vectors import covered, digest, document
from sparring.vectors.writing import text

DATA = Path(sparring.__file__).parent / "vectors" / "data"
EXAMPLES = Path(__file__).parents[1] / "examples" / "vectors"
ALGORITHMS = [name for name in sparring.pages() if covered(sparring.page(name))]
OWN = [name for name in ALGORITHMS if sparring.page(name).dense]
"""Those that make messages of their own, each by its own rules."""
KINDS = [
    *("ring", "rabenseifner", "recursive_multiplying", "ring_allgather", "ring_sparse", "dsar_split_allgather"),
    *("ring_topk", "spardl", "topka2a", "gtopk", "oktopk"),
    *OWN,
]
"""One of each kind: of data that files have a word for, of an order of additions, of rules of its own."""
SHOWN = ("ring", "flash")  # whose files lie beside the programs that read them


Once = Callable[[str, Callable[[Path], str]], tuple[Path, str]]
shared: list[Once] = []
"""How the tests of a run, in several processes, share what one of them makes; see tests/conftest.py."""


@cache
def content(name: str) -> str:
    """The file of an algorithm, as it is made now."""

    def made(_: object = None) -> str:
        return text(document(sparring.page(name)))

    return shared[0](f"vectors-{name}", made)[1] if shared else made()


@cache
def folder() -> Path:
    """Where files are written to; it goes when the tests are over."""
    made = Path(tempfile.mkdtemp(prefix="vectors-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


@cache
def vector_file(name: str) -> Path:
    """The file of an algorithm."""
    path = folder() / f"{name}.json"
    path.write_text(content(name), encoding="utf-8", newline="\n")
    return path


@cache
def loaded(name: str) -> dict[str, Any]:
    """What the file of an algorithm holds; whoever changes it takes a copy."""
    found: dict[str, Any] = json.loads(content(name))
    return found


def renew() -> None:
    """Write the digests and the files that are shown, after a page or the cases have changed on purpose."""
    for name in ALGORITHMS:
        (DATA / f"{name}.sha256").write_text(digest(sparring.page(name), content(name)), encoding="utf-8")
    for name in SHOWN:
        (EXAMPLES / f"{name}.json").write_text(content(name), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    renew()
