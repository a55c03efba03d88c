"""Machines: values with units, presets with their sources, files that are refused by one sentence."""

import json
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparring
from sparring.costs.formulas.units import bandwidth, parse
from sparring.costs.links.machines import Machine, Measured, Timed, Work, machine
from sparring.errors import InputError


def test_a_bandwidth_is_seconds_a_byte():
    assert parse("beta=25Gbit/s") == {"beta": Fraction(8, 25 * 10**9)}
    assert bandwidth("300GB/s") == 300 * 10**9 and bandwidth("8bit/s") == 1 and bandwidth("1.5 kB/s") == 1500


@pytest.mark.parametrize("text", ["0GB/s", "-1GB/s", "GB/s", "3Gb/s", "3 furlong/s", "1e999B/s"])
def test_what_is_no_bandwidth_is_refused(text):
    with pytest.raises(InputError, match="a bandwidth is a number above 0 with bit/s"):
        parse(f"beta={text}")


def test_an_unknown_machine_is_told_what_there_is():
    with pytest.raises(InputError, match=r"no machine 'ib-hdd'; did you mean 'ib-hdr'\? there are eth-25g"):
        machine("ib-hdd")


TIMES = st.fractions(min_value=0, max_value=1)


@given(TIMES, TIMES, TIMES)
def test_a_file_keeps_every_value_exactly(tmp_path_factory, alpha, beta, gamma):
    file = tmp_path_factory.getbasetemp() / "machine.json"
    one = Machine(alpha, beta, gamma, name="mine", source="measured")
    one.save(file)
    read = machine(str(file))
    assert read == one and (read.name, read.source) == ("mine", "measured")
    assert (read.work, read.measured) == ({}, None)


WORK: Work = {"select": [(1000, 2e-9), (100_000, 1e-9)], "merge": [(50, 3.3e-8)]}
TIMED = [
    Timed("exchange", 4, (1e-6, 2e-6, 4e-6, 8e-6), predicted=5e-6, fitted=True, distance=1),
    Timed("algorithm", 1000, (1e-5, 2e-5, 3e-5, 4e-5), algorithm="ring"),
    Timed("select", 1000, (0.0, 0.0, 0.0, 0.0), predicted=1.0),
]
MEASURED = Measured(2, 1, 2, "MPICH 5.0.2", 30, 1.5, 1e-7, {"alpha": (1e-6, 2e-6)}, TIMED, unjudged={"x": "why"})


def test_a_file_keeps_work_and_how_it_was_measured(tmp_path):
    file = tmp_path / "machine.json"
    Machine("5us", "1ns", work=WORK, measured=MEASURED).save(file)
    read = machine(str(file))
    assert (read.work, read.measured) == (WORK, MEASURED)
    assert json.loads(file.read_text())["alpha"] == 5e-06


def test_work_grows_evenly_between_two_sizes():
    """In exact arithmetic; beyond the table an entry takes what it takes at the nearest size."""
    one = Machine("5us", "1ns", work=WORK)
    assert one.seconds("select", 1000) == Fraction(2, 10**6) and one.seconds("select", 100_000) == Fraction(1, 10**4)
    assert one.seconds("select", 50_500) == Fraction(51, 10**6)
    assert one.seconds("select", 10) == Fraction(2, 10**8) and one.seconds("select", 10**6) == Fraction(1, 10**3)
    assert one.seconds("merge", 0) == 0 and one.seconds("merge", 100) == Fraction(33, 10**7)


def test_work_that_a_machine_does_not_know():
    with pytest.raises(InputError, match="machine 'eth-25g' does not say what pack takes; sparring calibrate"):
        Machine.preset("eth-25g").seconds("pack", 10)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no machine"),
        ("[]", "holds no machine: Expected `object`"),
        ('{"alpha": "5us"}', "there is no beta; right: "),
        ('{"alpha": "5us", "beta": "1ns", "delta": 1}', "unknown field `delta`"),
        ('{"alpha": 0, "alpha": "5us", "beta": "1ns"}', "a field comes twice"),
        ('{"alpha": [], "beta": "1ns"}', r"\$.alpha"),
        ('{"alpha": "5 parsecs", "beta": "1ns"}', "alpha=5 parsecs: seconds a message"),
        ('{"alpha": -1, "beta": "1ns"}', "alpha=-1.0: seconds a message"),
        ('{"alpha": 0, "beta": 0, "schema": 2}', "has schema 2; this version reads schema 1"),
        ('{"alpha": 0, "beta": 0, "work": {"sort": [[1, 1.0]]}}', "Invalid enum value 'sort'"),
        ('{"alpha": 0, "beta": 0, "work": {"merge": [[0, 1.0]]}}', "Expected `int` >= 1"),
        ('{"alpha": 0, "beta": 0, "work": {"merge": [[1, -1.0]]}}', "Expected `float` >= 0"),
        ('{"alpha": 0, "beta": 0, "work": {"merge": []}}', "merge has no size"),
        ('{"alpha": 0, "beta": 0, "work": {"merge": [[9, 1], [9, 2]]}}', "merge has 9 entries after 9: sizes ascend"),
        ('{"alpha": 0, "beta": 0, "measured": {"ranks": 2}}', "missing required field `hosts`"),
        ("[" * 100_000, "holds no machine"),
        (" " * 1_000_001, "has more than 1000000 bytes"),
    ],
)
def test_a_bad_file_is_refused_by_one_sentence(tmp_path, text, message):
    file = tmp_path / "machine.json"
    file.write_text(text)
    with pytest.raises(InputError, match=message) as refused:
        Machine.load(file)
    assert str(file) in str(refused.value) and "\n" not in str(refused.value)


def test_a_file_that_is_no_utf_8_is_refused_by_one_sentence(tmp_path):
    """Its twin with the same letter in UTF-8 is read."""
    file, text = tmp_path / "machine.json", '{"alpha": 0, "beta": 0, "name": "Zürich"}'
    file.write_text(text, encoding="latin-1")
    with pytest.raises(InputError, match="holds no machine: 'utf-8' codec can't decode"):
        Machine.load(file)
    file.write_text(text, encoding="utf-8")
    assert Machine.load(file).name == "Zürich"


def test_files_that_are_not_there_and_places_that_cannot_be_written(tmp_path):
    with pytest.raises(InputError, match=r"nope\.json cannot be read: No such file"):
        machine(str(tmp_path / "nope.json"))
    with pytest.raises(InputError, match="cannot be written"):
        Machine(0, 0).save(tmp_path / "no" / "folder.json")


LETTERS = {"L": "5us", "o": "1us", "G": "0.4ns"}


@pytest.mark.parametrize("name", ["ring", "recursive_doubling"])
def test_loggp(name):
    """A step with a message of m bytes takes L + 2 o + (m - 1) G, of which the formulas have the sum."""
    cost = sparring.cost(name)
    point = cost.at(p=8, n=1024, **LETTERS)

    latency, overhead, byte = Fraction(5, 10**6), Fraction(1, 10**6), Fraction(4, 10**10)
    assert point.time == point.messages * (latency + 2 * overhead) + (4 * point.critical - point.messages) * byte
    assert point.time == cost.at(p=8, n=1024, **Machine.loggp(**LETTERS).letters).time


def test_a_file_in_loggp(tmp_path):
    (tmp_path / "m.json").write_text(json.dumps({**LETTERS, "gamma": "1ns", "source": "netgauge"}))

    assert Machine.load(tmp_path / "m.json") == Machine.loggp(**LETTERS, gamma="1ns")


@pytest.mark.parametrize(
    ("letters", "sentence"),
    [
        ({"L": 1, "o": 1}, "L without G: LogGP needs L, o and G"),
        ({**LETTERS, "alpha": 1}, "alpha and G: a message takes alpha and beta, or L, o, g and G, not both"),
        ({"L": 0, "o": 0, "G": 1}, "G: a byte takes longer than a message of one byte"),
        ({**LETTERS, "o": "-1us"}, "o=-1us: seconds a message at each end are a number, 0 or more"),
    ],
    ids=["missing", "both", "byte", "negative"],
)
def test_letters_that_do_not_fit(letters, sentence):
    with pytest.raises(InputError, match=re.escape(sentence)):
        sparring.cost("ring").at(p=2, n=2, **letters)
