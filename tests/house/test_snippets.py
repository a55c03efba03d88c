"""The README and the documentation tell the truth: what they show in Python runs, and prints what they say."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from unittest import SkipTest

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

from tests.house.conftest import ROOT, python

SHOWN = {"README.md": 4}
"""Documents that must show at least so many snippets, lest they are overlooked."""
TORCH = "docs/howto/torch.md"
MARKED = {TORCH: pytest.mark.torch, "docs/howto/compare.md": pytest.mark.slow}
FILES = ["README.md", *(str(f.relative_to(ROOT)) for f in sorted(ROOT.glob("docs/**/*.md")))]


def snippets(file: Path) -> int:
    """Run the Python snippets of a document, one after the other in one namespace; how many there are."""
    document = Sybil([PythonCodeBlockParser(), SkipParser()], path=str(file.parent)).parse(file)
    examples = list(document.examples())
    for example in examples:
        with suppress(SkipTest):  # the document says why
            example.evaluate()
    return len(examples)


@pytest.mark.parametrize("file", [pytest.param(file, marks=MARKED.get(file, ())) for file in FILES])
def test_the_snippets_run(file, tmp_path, monkeypatch):
    """In an empty folder, as a reader would."""
    monkeypatch.chdir(tmp_path)
    if file == TORCH:
        pytest.importorskip("torch", reason="install sparring[torch]; .ci/run does")
    assert snippets(ROOT / file) >= SHOWN.get(file, 0)


def test_a_snippet_that_lies_is_seen(tmp_path):
    """Another output than the document shows is an error that names the line."""
    file = tmp_path / "lie.md"
    file.write_text("Text\n\n```python\n>>> 1 + 1\n3\n\n```\n")
    with pytest.raises(Exception, match=r"lie\.md, line 4"):
        snippets(file)


def test_the_extensions_say_what_they_do():
    """The examples in the docstrings of the documentation's own extensions are true, as doctest finds them."""
    pytest.importorskip("sphinx", reason="the extra 'docs' is not installed: pip install '.[docs]'")
    files = sorted(map(str, (ROOT / "docs/_ext").glob("*.py")))
    done = python("-m", "doctest", *files)
    assert (done.returncode, done.stdout) == (0, "")
