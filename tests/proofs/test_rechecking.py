"""Certificates judged again: what was written holds, and nothing that was changed since does."""

import json
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from itertools import islice

import pytest

import sparring
from sparring.errors import InputError
from sparring.proofs.kernel import certificates, rechecking
from sparring.proofs.logic.verdicts import NOT_COVERED, PROVED, REFUTED, UNDECIDED
from sparring.proofs.proving import proving

RING = sparring.page("ring")
OPEN = b"(declare-const p Int)\n(assert (not (>= (* 2 (- p 1)) 0)))\n(check-sat)\n"
"""A question without its hypothesis p >= 1: the answer is sat."""


@pytest.fixture(scope="module")
def attempts():
    """Two theorems of the ring."""
    return [*islice((a for a in proving.prove(RING) if a.name in ("economy", "partition")), 2)]


@pytest.fixture
def folder(attempts, tmp_path):
    """They, written down."""
    certificates.conclude([entry for a in attempts for entry in certificates.export(a, RING, tmp_path)], [], tmp_path)
    return tmp_path


EMPTY = """\
{"format": "sparring certificates", "version": 2, "solvers": {}, "theorems": [],
 "coq": {"version": "8.16.1", "generic": {}, "certificates": []}}"""


@contextmanager
def manifest(folder):
    """What stands in the manifest, to be changed."""
    file = folder / certificates.MANIFEST
    data = json.loads(file.read_text())
    yield data
    file.write_text(json.dumps(data))


def forged(folder, change, theorem=0, sealed=True):
    """The manifest with ``change`` made to one theorem, its digest made to fit, as who forges one would do."""
    with manifest(folder) as data:
        one = data["theorems"][theorem]
        change(one)
        one["digest"] = certificates.digest(one) if sealed else one["digest"]
    return one


def rewritten(folder, question, at=0, **fields):
    """A file that asks something else, its digest made to fit."""
    fields["sha256"] = sha256(question).hexdigest()
    entry = forged(folder, lambda one: one["obligations"][at].update(fields))["obligations"][at]
    (folder / entry["file"]).write_bytes(question)
    return entry["file"]


def first(folder):
    """The first file of the first theorem."""
    return forged(folder, lambda one: None)["obligations"][0]["file"]


def judged(folder):
    return {j.theorem: j for j in rechecking.recheck(folder)}


def test_what_was_written_holds(attempts, folder):
    """Both solvers, from the files alone."""
    found = {name: one for name, one in judged(folder).items() if one.verdict != NOT_COVERED}

    compared = "files, compared with the page"
    assert [(j.verdict, j.detail) for j in found.values()] == [(PROVED, f"{n} {compared}") for n in (8, 3)]
    assert [j.statement for j in found.values()] == [a.statement for a in attempts]
    assert all(j.effort > 0 for j in found.values())


def test_what_was_taken_out_is_told(folder):
    """A manifest with one theorem less says of that one nothing: it is not covered, as those never written are."""
    before = judged(folder)
    with manifest(folder) as data:
        data["theorems"] = [one for one in data["theorems"] if one["theorem"] != "economy"]

    after = judged(folder)
    assert (before["economy"].verdict, after["economy"].verdict) == (PROVED, NOT_COVERED)
    assert after["economy"].detail == "the folder has no certificate of it"
    assert after.keys() == before.keys() and after["partition"] == before["partition"]


def remarked(folder):
    """It still says what it said."""
    (folder / (name := first(folder))).write_text((folder / name).read_text() + "; a remark\n")


DAMAGED = {
    "a changed file": (remarked, REFUTED, "is not the file that was written: its digest is another"),
    "a missing file": (lambda folder: (folder / first(folder)).unlink(), REFUTED, "there is no file"),
    "another answer": (lambda folder: rewritten(folder, OPEN), REFUTED, "z3 answers sat, cvc5 answers sat, wanted is"),
    "what solvers cannot read": (lambda folder: rewritten(folder, b"(assert (no such thing"), UNDECIDED, ""),
    "a verdict that files do not prove": (
        lambda folder: forged(folder, lambda one: one.update(verdict="undecided")),
        UNDECIDED,
        "",
    ),
}


@pytest.mark.parametrize(("damage", "verdict", "said"), DAMAGED.values(), ids=DAMAGED)
def test_what_is_damaged_is_no_theorem(folder, damage, verdict, said):
    """Though digests fit, where they were forged; the other theorem stands."""
    damage(folder)
    found = judged(folder)
    assert (found["economy"].verdict, found["partition"].verdict) == (verdict, PROVED)
    assert said in found["economy"].detail


def swap(one):
    """The names of two obligations exchanged."""
    a, b = one["obligations"][:2]
    a["obligation"], b["obligation"] = b["obligation"], a["obligation"]


def trivial(one):
    """One more obligation, which is the first once again."""
    one["obligations"].append({**one["obligations"][0], "obligation": "x = x"})


def other_file(one):
    """A file that is proved, too, but says something else."""
    first, second = one["obligations"][:2]
    first.update(file=second["file"], sha256=second["sha256"])


FORGED = {
    "a missing obligation": (lambda one: one["obligations"].pop(), "7 instead of 8 obligations"),
    "another one missing": (lambda one: one["obligations"].pop(3), "the list of obligations, "),
    "a trivial one more": (trivial, "9 instead of 8 obligations"),
    "another statement": (lambda one: one.update(statement="Every rank ends with the sum of all."), "statement"),
    "another kind": (lambda one: one.update(kind="allgather"), "statement"),
    "swapped names": (swap, "the list of obligations, "),
    "another's file": (other_file, "the question of "),
    "another theorem": (lambda one: one.update(theorem="conservation"), "no theorem of this name"),
    "parameters that there are not": (lambda one: one.update(parameters={"radix": 3}), "radix"),
    "an answer that refutes": (lambda one: one["obligations"][0].update(expected="sat"), "wanted is sat"),
}


@pytest.mark.parametrize(("change", "said"), FORGED.values(), ids=FORGED)
def test_a_forged_theorem_is_not_the_pages(folder, change, said):
    """All its words and obligations are in the digest; and where that was made to fit, what is wrong is found."""
    forged(folder, change, sealed=False)
    found = next(rechecking.recheck(folder))
    assert found.verdict == REFUTED and found.detail.startswith("the digest is another")
    forged(folder, lambda one: None)
    found = next(rechecking.recheck(folder))
    assert found.verdict in (UNDECIDED, REFUTED) and said in found.detail
    assert found.statement.endswith("questions, whose meaning was not compared with a page.")


def test_a_question_with_fewer_hypotheses_that_still_holds_is_fine(folder):
    """It proves more, and so the page's, too; with another claim it would not."""
    text = (folder / first(folder)).read_text()
    head, *asserted = text.split("(assert")
    fewer = "(assert".join([head, *(one for one in asserted if " q " not in one)])
    assert fewer != text
    rewritten(folder, fewer.encode())
    assert judged(folder)["economy"].verdict == PROVED
    other = fewer.replace("(* 2 ", "(* 3 ")
    assert other != fewer
    rewritten(folder, other.encode())
    assert judged(folder)["economy"].verdict == UNDECIDED


def test_of_a_strange_page_nothing_is_said_but_what_was_asked(folder):
    """Whatever sentence stands in the manifest; with the page it is the kernel's."""
    said = "Every rank ends with the exact sum of all inputs."
    forged(folder, lambda one: one.update(algorithm="strange", statement=said))
    found = next(rechecking.recheck(folder))

    assert found.verdict == NOT_COVERED
    assert found.statement == "8 questions answered as expected; their meaning was not compared with a page."
    forged(folder, lambda one: one.update(statement=forged(folder, lambda _: None, 1)["statement"]))
    given = next(rechecking.recheck(folder, [replace(RING, name="strange")]))
    assert given.verdict == UNDECIDED and "kind or statement" in given.detail


@pytest.mark.parametrize("name", ["./evil.py", "tests.proofs.wrong_texts", "/evil.py"])
def test_what_a_manifest_names_is_not_imported(folder, name, monkeypatch):
    """A path or a module in the place of a page's name."""
    monkeypatch.setattr(rechecking.registry, "find", lambda *_, **__: pytest.fail("imported"))
    forged(folder, lambda one: one.update(algorithm=name))

    assert next(rechecking.recheck(folder)).verdict == NOT_COVERED


STRANGE = [
    ({"file": "../outside.smt2"}, "file is '../outside.smt2': it must be a path below the folder"),
    ({"sha256": "0"}, "sha256 is '0': it must be 64 hexadecimal digits"),
    ({"expected": "yes"}, "expected is 'yes': it must be one of unsat, sat"),
    ({"more": 1}, "the field 'more' is unknown"),
]


@pytest.mark.parametrize(("fields", "sentence"), STRANGE)
def test_a_strange_manifest_is_bad_input(folder, fields, sentence):
    """One sentence, and no file outside is looked at."""
    forged(folder, lambda one: one["obligations"][0].update(fields), sealed=False)
    with pytest.raises(InputError) as caught:
        judged(folder)
    assert f"theorem 0, obligation 0: {sentence}" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ("{}", "there is no format: it must be one of sparring certificates"),
        (EMPTY.replace('"version": 2', '"version": 1'), "version is 1"),
        (EMPTY.replace('"version": "8.16.1", ', ""), "there is no version"),
        (EMPTY, "names no theorems"),
    ],
)
def test_what_is_no_manifest(tmp_path, text, sentence):
    """One sentence each."""
    (tmp_path / certificates.MANIFEST).write_text(text)
    with pytest.raises(InputError, match=sentence):
        judged(tmp_path)


def test_a_folder_without_a_manifest(tmp_path):
    with pytest.raises(InputError, match=r"there is no file .*manifest\.json"):
        sparring.recheck(tmp_path)
