"""``[tool.sparring]`` in a user's pyproject.toml: options of ``check``, and one sentence for what is none."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner

from sparring.checks.configuration import KEYS, load
from sparring.cli import check
from sparring.errors import InputError

TARGET = """\
import numpy as np

def allreduce(comm, x):
    y = np.empty_like(x)
    comm.Allreduce(x, y)
    return y

def scaled(comm, x, scale=2):
    return allreduce(comm, x) * x.dtype.type(scale)
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A user's folder; writes its pyproject.toml and runs ``sparring check`` in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(TARGET, encoding="utf-8")

    def run(toml, *args, target="mine.py:allreduce"):
        (tmp_path / "pyproject.toml").write_text(toml, encoding="utf-8")
        done = CliRunner().invoke(check.command, [target, "--json", *args])
        if isinstance(done.exception, InputError):
            raise done.exception
        return done.exit_code, json.loads(done.stdout)

    return run


def test_options_stand_in_the_file_and_the_command_line_outweighs_them(project):
    """Names are those of the options."""
    toml = '[tool.sparring]\nranks = "2-3"\nmax-examples = 6\nonly = ["result", "agreement"]\ntopology = "ring"\n'

    _, report = project(toml)
    assert report["check"]["ranks"] == [2, 3]
    assert report["check"]["topology"] == "ring"
    assert [(r["property"], r["verdict"]) for r in report["results"]] == [
        ("result", "tested (3 examples)"),
        ("agreement", "tested (3 examples)"),
    ]
    _, report = project(toml, "--ranks", "4", "--only", "dtypes")
    assert report["check"]["ranks"] == [4]
    assert [r["property"] for r in report["results"]] == ["dtypes"]


def test_tables_are_parameters_and_expected_failures(project):
    """A parameter that repairs the target turns the expectation stale, and the run fails."""
    toml = (
        '[tool.sparring]\nmax-examples = 6\nonly = ["result"]\nxfail = {{result = "twice"}}\nparams = {{scale = {}}}\n'
    )

    code, report = project(toml.format(2), target="mine.py:scaled")
    assert (code, report["results"][0]["verdict"]) == (0, "refuted as expected")
    assert report["results"][0]["detail"].startswith("twice (p=1 n=")
    code, report = project(toml.format(1), target="mine.py:scaled")
    assert (code, report["results"][0]["detail"]) == (1, "expected to fail (twice), but it holds: drop the expectation")


def test_a_file_above_counts_and_other_tools_are_left_alone(tmp_path):
    """The nearest file alone."""
    inner = tmp_path / "src" / "deep"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text('[tool.ruff]\nsparring = 1\n[tool.sparring]\non = "mpi"\n')

    assert load(inner) == {"on": "mpi"}
    (tmp_path / "src" / "pyproject.toml").write_text("[tool.ruff]\n")
    assert load(inner) == {}


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('rank = "3"', "[tool.sparring] has no key 'rank'; did you mean 'ranks'? there are algorithm, ranks"),
        ("ranks = 3", "[tool.sparring] ranks = 3: it must be a text"),
        ('ranks = "0-2"', "[tool.sparring] ranks: '0-2': ranks go from 1 to 1024"),
        ('level = "all"', '[tool.sparring] level = \'all\': it must be "result" or "volume" or "steps"'),
        ("seed = true", "[tool.sparring] seed = True: it must be an integer"),
        ("max-examples = 0", "[tool.sparring] max-examples = 0: it must be an integer, at least 1"),
        ("timeout = 0", "[tool.sparring] timeout = 0: it must be a number of seconds, more than 0"),
        ("selector = 1", "[tool.sparring] selector = 1: it must be a text"),
        ("sparse = 1", "[tool.sparring] sparse = 1: it must be true or false"),
        ("only = [1]", "[tool.sparring] only = [1]: it must be a list of texts"),
        ("xfail = {result = 3}", "[tool.sparring] xfail = {'result': 3}: it must be a table of reasons"),
        ('fail-under = "refuted"', '[tool.sparring] fail-under = \'refuted\': it must be "proved" or "tested"'),
        ("a =", "is no TOML: Invalid value"),
        ("[tool]\nsparring = 3", "tool.sparring = 3: it must be a table"),
    ],
)
def test_what_is_wrong_is_one_sentence_with_the_file(tmp_path, line, sentence):
    """Whatever is not as it must be is told, not passed over."""
    (tmp_path / "pyproject.toml").write_text(line if line.startswith("[") else f"[tool.sparring]\n{line}\n")

    with pytest.raises(InputError, match=re.escape(sentence)) as raised:
        load(tmp_path)
    assert str(raised.value).startswith(str(tmp_path / "pyproject.toml"))


ELSEWHERE = {"depth", "load", "library", "selection", "machine", "perfetto"}


def test_every_option_can_stand_in_the_file():
    """But for those of one run's output, and of schedule files or MPI libraries alone."""
    options = {option.opts[0].removeprefix("--") for option in check.command.params if option.opts[0].startswith("-")}

    assert options - {"json", "-P", *ELSEWHERE} | {"params"} == set(KEYS)
