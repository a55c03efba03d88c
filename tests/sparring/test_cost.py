"""The cost command in its four formats, and what it answers to bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import sparring
from sparring.cli import cli, exit_code
from sparring.errors import SparringError

RING = (Path(sparring.__file__).parent / "spec" / "ring.py").read_text(encoding="utf-8")
AT = "p=8,n=1000000,alpha=5us,beta=0.1ns"


def call(*args):
    """The exit code, standard output and error of ``sparring cost``."""
    result = CliRunner().invoke(cli, ["cost", *map(str, args)])
    if isinstance(result.exception, SparringError):  # which main() turns into one sentence and its exit code
        return exit_code(result.exception), result.stdout, str(result.exception)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("format_", ["text", "markdown", "latex"])
def test_formats(snapshot, format_):
    """Formulas, verdicts and numbers for people; tables for a page and a paper."""
    code, text, _ = call("ring", "--format", format_, "--at", AT)
    assert code == 0
    assert text == snapshot


def test_json(snapshot):
    """One object, with integers as integers and seconds also as a fraction."""
    code, text, _ = call("ring", "--format", "json", "--at", AT)
    envelope = json.loads(text)
    assert envelope.pop("seconds") >= 0
    assert (code, envelope) == (0, snapshot)


@pytest.mark.parametrize(
    ("at", "said"), [("p=8,n=x", "n is an integer"), ("p=8", "needs a value for n"), ("q=8", "no letter 'q'")]
)
def test_a_bad_point(at, said):
    """One sentence and exit code 2."""
    code, _, error = call("ring", "--at", at)
    assert (code, said in error) == (2, True)


def test_what_is_not_derived_is_undecided(tmp_path):
    """A page whose chunks jump gets no formula, a sentence and exit code 3."""
    file = tmp_path / "mine.py"
    file.write_text(RING.replace("return (r - t) % p", "return (r - 2 * t) % p"), encoding="utf-8")
    code, text, _ = call(file)
    assert (code, "undecided: chunks do not follow each other" in text) == (3, True)


def test_a_false_claim_is_refuted(tmp_path):
    """A page that carries a wrong published formula ends in exit code 1, and shows the difference."""
    file = tmp_path / "mine.py"
    claim = (
        "\nfrom sparring.proofs.cost.published import Claim\n"
        'claims = [Claim("bandwidth", "words", lambda n, p, k: n, "", "a paper")]\n'
    )
    file.write_text(RING + claim, encoding="utf-8")
    code, text, _ = call(file)
    assert (code, "a paper, bandwidth (words): different, it is" in text) == (1, True)
