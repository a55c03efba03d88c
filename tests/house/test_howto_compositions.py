"""The how-to on compositions: its page is proved, and each of its three faults is refused as it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from sparring.cli import cli

TEXT = (Path(__file__).parents[2] / "docs/howto/compositions.md").read_text(encoding="utf-8")
PAGE, LEVELS = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
BESIDE = """\"\"\"Levels.\"\"\"
from typing import Annotated, NamedTuple
from sparring.spec.core.calling import Between
from sparring.spec.core.exchanges import allgather, allreduce, reduce_scatter
from sparring.spec.core.grids import axes
from sparring.spec.core.vectors import total

data = "dense"


class Params(NamedTuple):
    m: Annotated[int, Between(1)] = 2


def ensures(x):
    return total(x)


"""
REFUSALS = re.findall(r"^```text\n(\w+)  (\w+)  (.*?)\n```$", TEXT, re.MULTILINE | re.DOTALL)
FAULTS = {
    "the exchange left out": ("y = yield allreduce(sent)", "y = sent"),
    "nothing kept": ("State(v - sent)", "State(v - v)"),
    "each as it likes": ("    y = yield", "    if largest(v, params.k):\n        y = yield"),
}


def proved(folder, source, monkeypatch):
    """What ``sparring prove`` says of a page, line by line, with single spaces."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "400")
    (folder / "mine.py").write_text(source, encoding="utf-8")
    done = CliRunner().invoke(cli, ["prove", "./mine.py"])
    return done.exit_code, [" ".join(line.split()) for line in done.output.splitlines()]


def test_it_is_proved(tmp_path, monkeypatch):
    """In fewer than thirty lines."""
    code, lines = proved(tmp_path, PAGE, monkeypatch)
    assert code == 0 and [line.split()[1] for line in lines if "proved for every p" in line] == [
        "result", "agreement", "conservation", "partition", "deadlock", "contention", "volume"
    ]  # fmt: skip
    assert sum(bool(line.strip()) for line in PAGE.splitlines()) < 30


def test_levels_are_proved_where_nodes_fit(tmp_path, monkeypatch):
    code, lines = proved(tmp_path, BESIDE + LEVELS, monkeypatch)
    assert code == 0 and any(line.startswith("mine result proved for every p") for line in lines)
    code, lines = proved(tmp_path, BESIDE + LEVELS.replace("if p % params.m:", "if p < params.m:"), monkeypatch)
    assert code == 1 and any("the sides of the grid divide p" in line for line in lines)


@pytest.mark.parametrize(("fault", "told"), [*zip(FAULTS.values(), REFUSALS, strict=True)], ids=FAULTS)
def test_each_fault_is_refused_as_told(fault, told, tmp_path, monkeypatch):
    code, lines = proved(tmp_path, PAGE.replace(*fault), monkeypatch)
    assert PAGE.count(fault[0]) == 1 and code == 1
    assert f"mine {' '.join(told)}" in lines
