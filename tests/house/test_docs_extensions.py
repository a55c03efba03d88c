"""The examples in the docstrings of the documentation's own extensions are true."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_extensions_say_what_they_do():
    """As doctest finds them."""
    pytest.importorskip("sphinx", reason="the extra 'docs' is not installed: pip install '.[docs]'")
    files = sorted(map(str, (ROOT / "docs/_ext").glob("*.py")))
    done = subprocess.run(
        [sys.executable, "-m", "doctest", *files], cwd=ROOT, capture_output=True, text=True, timeout=100, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
