"""Machines: values with units, presets with their sources, files that are refused by one sentence."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import InputError
from sparring.proofs.cost.machines import PRESETS, Machine, machine
from sparring.proofs.cost.units import bandwidth, parse


def test_a_bandwidth_is_seconds_a_byte():
    assert parse("beta=25Gbit/s") == {"beta": Fraction(8, 25 * 10**9)}
    assert bandwidth("300GB/s") == 300 * 10**9 and bandwidth("8bit/s") == 1 and bandwidth("1.5 kB/s") == 1500


@pytest.mark.parametrize("text", ["0GB/s", "-1GB/s", "GB/s", "3Gb/s", "3 furlong/s", "1e999B/s"])
def test_what_is_no_bandwidth_is_refused(text):
    with pytest.raises(InputError, match="a bandwidth is a number above 0 with bit/s"):
        parse(f"beta={text}")


def test_a_bandwidth_is_for_bytes_alone():
    with pytest.raises(InputError, match="alpha=25Gbit/s: seconds a message"):
        parse("alpha=25Gbit/s")


@pytest.mark.parametrize("name", PRESETS)
def test_presets_say_where_their_numbers_are_from(name):
    one = Machine.preset(name)
    assert one.name == name and one.alpha > 0 and 0 < one.beta < Fraction(1, 10**9)
    assert "alpha:" in one.source and "beta:" in one.source
    assert machine(name) == one


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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no machine"),
        ("[]", "holds no machine: Expected `object`"),
        ('{"alpha": "5us"}', "missing required field `beta`"),
        ('{"alpha": "5us", "beta": "1ns", "delta": 1}', "unknown field `delta`"),
        ('{"alpha": [], "beta": "1ns"}', r"\$.alpha"),
        ('{"alpha": "5 parsecs", "beta": "1ns"}', "alpha=5 parsecs: seconds a message"),
        ('{"alpha": -1, "beta": "1ns"}', "alpha=-1.0: seconds a message"),
        ('{"alpha": 0, "beta": 0, "schema": 2}', "has schema 2; this version reads schema 1"),
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


def test_files_that_are_not_there_and_places_that_cannot_be_written(tmp_path):
    with pytest.raises(InputError, match=r"nope\.json cannot be read: No such file"):
        machine(str(tmp_path / "nope.json"))
    with pytest.raises(InputError, match="cannot be written"):
        Machine(0, 0).save(tmp_path / "no" / "folder.json")


def test_a_file_may_be_written_by_hand(tmp_path):
    file = tmp_path / "lab.json"
    file.write_text(json.dumps({"alpha": "5us", "beta": "25Gbit/s"}))
    read = Machine.load(file)
    assert (read.name, read.letters) == ("lab", {**parse("alpha=5us,beta=25Gbit/s"), "gamma": 0})
