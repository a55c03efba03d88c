"""Certificates judged again: what was written holds, and nothing that was changed since does."""

import json
from hashlib import sha256

import pytest

import sparring
from sparring.errors import InputError
from sparring.proofs.core import certificates, kernel, rechecking
from sparring.proofs.core.verdicts import EXPECTED, PROVED, REFUTED, UNDECIDED

RING = sparring.page("ring")
OPEN = b"(declare-const p Int)\n(assert (not (>= (* 2 (- p 1)) 0)))\n(check-sat)\n"
"""A question without its hypothesis p >= 1: the answer is sat."""


@pytest.fixture(scope="module")
def attempts():
    """Two theorems of the ring."""
    return [a for a in kernel.prove(RING) if a.name in ("economy", "partition")]


@pytest.fixture
def folder(attempts, tmp_path):
    """They, written down."""
    certificates.conclude([entry for a in attempts for entry in certificates.export(a, tmp_path)], [], tmp_path)
    return tmp_path


EMPTY = """\
{"format": "sparring certificates", "version": 1, "solvers": {}, "certificates": [],
 "coq": {"version": "8.16.1", "generic": {}, "certificates": []}}"""


def changed(folder, at=0, **fields):
    """The manifest with other fields in one entry, which is returned."""
    file = folder / certificates.MANIFEST
    data = json.loads(file.read_text())
    data["certificates"][at].update(fields)
    file.write_text(json.dumps(data))
    return data["certificates"][at]


def rewritten(folder, question, at=0, **fields):
    """A file that asks something else, its digest made to fit."""
    entry = changed(folder, at, sha256=sha256(question).hexdigest(), **fields)
    (folder / entry["file"]).write_bytes(question)
    return entry["file"]


def judged(folder):
    return {j.theorem: j for j in rechecking.recheck(folder)}


def test_what_was_written_holds(attempts, folder):
    """Both solvers, from the files alone."""
    found = judged(folder)

    assert [(j.verdict, j.detail) for j in found.values()] == [(PROVED, "8 files"), (PROVED, "3 files")]
    assert [j.statement for j in found.values()] == [a.statement for a in attempts]
    assert all(j.effort > 0 for j in found.values())


def test_a_changed_file_is_seen(folder):
    """Whether it still says what it said or not; the other theorem stands."""
    name = changed(folder)["file"]
    (folder / name).write_text((folder / name).read_text() + "; a remark\n")
    found = judged(folder)

    assert found["economy"].detail == f"{name} is not the file that was written: its digest is another"
    assert (found["economy"].verdict, found["partition"].verdict) == (REFUTED, PROVED)


def test_a_question_with_another_answer_is_refuted(folder):
    """Though its digest fits."""
    name = rewritten(folder, OPEN)
    found = judged(folder)["economy"]

    assert (found.verdict, found.detail) == (REFUTED, f"{name}: z3 answers sat, cvc5 answers sat, wanted is unsat")


def test_what_solvers_cannot_read_decides_nothing(folder):
    """It is no proof, and no refutation."""
    rewritten(folder, b"(assert (no such thing")

    assert judged(folder)["economy"].verdict == UNDECIDED


def test_a_missing_file_is_seen(folder):
    """The theorem does not hold without it."""
    (folder / changed(folder)["file"]).unlink()
    found = judged(folder)["economy"]

    assert found.verdict == REFUTED and "there is no file" in found.detail


def test_an_expected_refutation_stays_one(folder):
    """Its answer is sat, and is wanted to be."""
    rewritten(folder, OPEN, at=8, expected="sat")
    for at in (8, 9, 10):
        changed(folder, at, verdict=str(EXPECTED))

    assert judged(folder)["partition"].verdict == EXPECTED


def test_a_verdict_that_files_do_not_prove_stays_open(folder):
    """What was undecided when it was written is not proved by answers to some questions."""
    for at in range(8):
        changed(folder, at, verdict="undecided")

    assert judged(folder)["economy"].verdict == UNDECIDED


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"file": "../outside.smt2"}, "certificate 0: file is '../outside.smt2': it must be a path below the folder"),
        ({"file": "/etc/passwd"}, "certificate 0: file is '/etc/passwd'"),
        ({"sha256": "0"}, "certificate 0: sha256 is '0': it must be 64 hexadecimal digits"),
        ({"expected": "yes"}, "certificate 0: expected is 'yes': it must be one of unsat, sat"),
        ({"more": 1}, "certificate 0: the field 'more' is unknown"),
    ],
)
def test_a_strange_manifest_is_bad_input(folder, fields, sentence):
    """One sentence, and no file outside is looked at."""
    changed(folder, **fields)
    with pytest.raises(InputError) as caught:
        judged(folder)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ("{}", "there is no format: it must be one of sparring certificates"),
        (EMPTY.replace('"version": 1', '"version": 2'), "version is 2"),
        (EMPTY.replace('"version": "8.16.1", ', ""), "there is no version"),
        (EMPTY, "names no certificates"),
    ],
)  # fmt: skip
def test_what_is_no_manifest(tmp_path, text, sentence):
    """One sentence each."""
    (tmp_path / certificates.MANIFEST).write_text(text)
    with pytest.raises(InputError, match=sentence):
        judged(tmp_path)


def test_a_folder_without_a_manifest(tmp_path):
    """Another one."""
    with pytest.raises(InputError, match=r"there is no file .*manifest\.json"):
        sparring.recheck(tmp_path)
