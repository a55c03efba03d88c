"""What commands say of a page that is a program: all that they can, and why not the rest."""

from __future__ import annotations

import json

import pytest

import sparring
from sparring import api
from sparring.errors import Undecided
from tests.sparring.calling import called


def test_its_program_is_shown():
    code, text, _ = called("show", "oktopk")
    assert code == 0
    assert "def program(" in text and "def dst(" in text and "Ok-Topk: allreduce" in text


def test_that_there_is_no_picture_is_said():
    code, text, _ = called("show", "oktopk", "--json")
    told = json.loads(text)
    assert code == 0 and told["not_covered"] == ["oktopk: no picture, since its messages depend on the data"]
    code, _, error = called("show", "oktopk", "--topology", "ring")
    assert code == 3 and "oktopk is a program: its messages depend on the data" in error


def test_its_cost_is_not_covered():
    code, text, _ = called("cost", "oktopk", "ring")
    assert code == 0 and "oktopk: not covered: a program, whose cost depends on the data" in text
    assert "ring" in text
    with pytest.raises(Undecided, match="oktopk is a program and has no formula steps"):
        sparring.cost("oktopk")


def test_its_run_is_counted():
    code, text, _ = called("run", "oktopk", "--ranks", "3", "--json")
    told = json.loads(text)
    run = told["run"]
    assert code == 0 and told["verdict"] == "holds"
    assert run["steps"] >= 5 and sum(run["words"]) > 0 and sum(run["bytes"]) == 4 * sum(run["words"])


def test_it_is_listed_and_not_among_those_with_formulas():
    assert "oktopk" in sparring.pages()
    assert {*sparring.pages()} - {*api.regular()} == {"oktopk"}


def test_a_schedule_file_cannot_hold_it():
    code, _, error = called("export", "oktopk", "--format", "msccl", "--ranks", "3")
    assert code == 2 and "oktopk" in error
