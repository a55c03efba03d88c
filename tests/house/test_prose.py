"""What stands beside the code: fragments, the table of rooms, exceptions with reasons, no trace of a machine."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = (".ci", "benchmarks", "changelog.d", "docs", "examples", "impl", "proofs", "sparring", "spec", "tests")
KINDS = ("added", "changed", "fixed", "removed")
MACHINE = re.compile(
    r"(?<![\w.])/(?:work|tmp|root|home|Users)/[A-Za-z]|pypi\.org|files\.pythonhosted\.|--(?:extra-)?index-url"
)
EXCEPTION = re.compile(
    r"#\s*(?:noqa|type:\s*ignore|pyright:\s*ignore)(?::[\s\w,]+?(?=\s[#-]|$)|\[[\w, -]+\])?(?P<reason>.*)"
)


def texts() -> Iterator[tuple[str, str]]:
    """Every text of the repository, with its path."""
    files = [path for path in ROOT.iterdir() if path.is_file()]
    files += [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    for path in files:
        if "__pycache__" not in path.parts and not path.name.startswith(".coverage"):
            data = path.read_bytes()
            if b"\0" not in data:
                yield str(path.relative_to(ROOT)), data.decode()


def traces(text: str) -> list[str]:
    """The places in ``text`` that name a folder of some machine or a package index."""
    return MACHINE.findall(text)


def bare(code: str) -> list[str]:
    """The lines of ``code`` that make an exception from a rule without a reason."""
    if not EXCEPTION.search(code):  # as in most files, which are not cut into tokens
        return []
    comments = [
        token for token in tokenize.generate_tokens(io.StringIO(code).readline) if token.type == tokenize.COMMENT
    ]
    found = [(comment.line.strip(), EXCEPTION.search(comment.string)) for comment in comments]
    return [line for line, exception in found if exception and not re.search("[a-z]", exception["reason"])]


def fault(name: str, text: str) -> str | None:
    """What is wrong with a changelog fragment."""
    if not re.fullmatch(rf"[+\w-]+\.(?:{'|'.join(KINDS)})\.md", name):
        return "name"
    if not re.fullmatch(r"[A-Z`][^\n]*\.\n", text) or re.search(r"\. [A-Z]", text) or len(text) > 300:
        return "one sentence"
    return None


def rooms(text: str) -> list[str]:
    """The folders in the first column of a table."""
    return re.findall(r"^\| `([\w./]+)/` \|", text, flags=re.MULTILINE)


def test_no_file_names_a_machine():
    """No text of the repository names a home directory, a scratch folder or a package index."""
    assert {path: found for path, text in texts() if (found := traces(text))} == {}
    assert traces("see /ro" + "ot/x") and traces("(/ho" + "me/ann)") and not traces("a/work/b, x / root")


def test_every_exception_has_its_reason():
    """Beside each ``noqa`` and ``type: ignore`` stands why."""
    code = [(path, text) for path, text in texts() if path.endswith(".py")]
    assert {path: found for path, text in code if (found := bare(text))} == {}


BARE = ("x = 1  # noqa: E501", "x = 1  # type: ignore[override]")
FINE = ("x = 1  # noqa: E501  # a table", "x = 1  # noqa: E501 - a table", "x = 1  # a comment", "x = '# noqa: E501'")


def test_a_bare_exception_is_seen():
    """One with a reason passes."""
    assert all(map(bare, BARE)) and not any(map(bare, [*FINE, f"{BARE[1]}  # builds a term"]))


def test_fragments_are_one_sentence_each():
    """Every changelog fragment has a known kind and holds one sentence."""
    fragments = [path for path in (ROOT / "changelog.d").iterdir() if path.name != ".gitkeep"]
    assert {
        path.name: found for path in fragments if (found := fault(path.name, path.read_text(encoding="utf-8")))
    } == {}


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("12.fixed.md", "`show` draws p = 1, too.\n", None),
        ("+ring.feature.md", "A ring.\n", "name"),
        ("ring.md", "A ring.\n", "name"),
        *(("+ring.added.md", text, "one sentence") for text in ("A ring. A tree.\n", "A ring\n", "")),
    ],
)
def test_a_bad_fragment_is_seen(name, text, found):
    """An unknown kind, two sentences, none, or one without an end are faults."""
    assert fault(name, text) == found


def test_the_rooms_of_the_table_exist():
    """CONTRIBUTING's table names the rooms, and each is there."""
    named = rooms((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert {"spec", "impl", "proofs", "sparring", "tests"} <= set(named)
    assert [room for room in named if not (ROOT / room).is_dir()] == []


OTHER_WORDS = {"p", "check", "verify", "mpi4py", "scope", "literature", "statements", "notation"}
"""What docstrings of rooms name beside their own modules."""


def unknown(docstring: str, folder: Path) -> list[str]:
    """The names in a room's docstring that nothing in it has."""
    there = {path.stem for path in folder.iterdir()} | OTHER_WORDS
    return [name for name in re.findall(r"``([a-z][a-z0-9_]*)``", docstring) if name not in there]


def test_a_room_tells_of_what_is_in_it():
    """Each has a docstring, whose names are those of its modules."""
    rooms = [path for top in ("sparring", "spec", "impl", "proofs") for path in (ROOT / top).rglob("__init__.py")]
    said = {path: ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "" for path in rooms}
    assert {path for path, words in said.items() if not words} == set()
    assert {path: found for path, words in said.items() if (found := unknown(words, path.parent))} == {}
    assert unknown("Read ``kernel``, then ``attic``.", ROOT / "proofs") == ["attic"]


def test_the_changelog_and_the_licence_are_whole():
    """The changelog has the line below which releases are written; the licence is the Apache License 2.0, in full."""
    assert "<!-- towncrier release notes start -->\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Version 2.0, January 2004" in text and "END OF TERMS AND CONDITIONS" in text
