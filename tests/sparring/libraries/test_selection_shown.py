"""The picture and the tables of an audit that is made up; and what the command refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sparring.errors import InputError
from sparring.libraries import choice_audit, choice_picture, choice_tables
from sparring.libraries.choice_audit import ChoiceAudit, Taken
from sparring.libraries.choices import Choice, Loss
from sparring.libraries.selection import OWN, Algorithm
from tests.sparring.calling import called, envelope_of, refused

ROOT = Path(__file__).parents[3]
SIZES = [1, 2, 4, 8]
CHOICES = [
    *(Choice(2, n, "doubling", ["a"], "doubling", 1.0) for n in SIZES[:3]),
    Choice(2, 8, "ring", ["b"], "doubling", 1.5),
    *(Choice(3, n, "doubling", ["a"], "ring", 1.04) for n in (1, 4)),  # 2 is refused
    Choice(3, 8, "", ["b"], "ring", None),
]
LOSSES = [
    Loss(2, 1, "a", (0.9, 1.0, 1.1), 4, 8),
    Loss(2, 2, "a", (1.2, 1.3, 1.4), 8, 8),
    Loss(2, 4, "c", (1.3, 1.4, 1.5), 6, 8),
    Loss(2, 8, "b", (1.8, 2.0, 20.0), 8, 8),
]
SECONDS: Any = {name: [(1e-6, 2e-6, 3e-6)] * 4 for name in (OWN, "a", "b", "c")}
TAKEN = Taken(2, 8, SECONDS, {"d": "it died"})


MACHINE = {"cpu": "a processor", "cores": 2, "system": "a system", "load": 0.5}


def audit(**changed):
    told = {"sizes": SIZES, "machine": MACHINE, "choices": CHOICES, "letters": {"alpha": 1e-6}, "source": "somewhere"}
    told |= {"taken": [TAKEN], "losses": LOSSES}
    return ChoiceAudit("allreduce", "An MPI 1.0", **told | changed)


def text(found):
    return "\n".join(choice_tables.lines(found))


def test_each_stretch_is_drawn_and_the_doubtful_are_hatched():
    upper, lower = choice_picture.figure(audit()).axes
    patches: Any = upper.patches
    drawn = [(patch.get_x(), patch.get_y(), patch.get_width(), patch.get_hatch()) for patch in patches]
    hatch = choice_picture.HATCH
    assert drawn == [(-0.5, -0.5, 3, ""), (2.5, -0.5, 1, hatch), (-0.5, 0.5, 1, ""), (1.5, 0.5, 1, ""),
                     (2.5, 0.5, 1, "")]  # fmt: skip
    colours = [patch.get_facecolor() for patch in patches]
    assert colours[0] == colours[2] == colours[3] and len({*colours}) == 3
    assert [one.get_text() for one in upper.texts] == ["doubling", "ring", "no page: as b"]
    assert [one.get_text() for one in upper.get_yticklabels()] == ["2", "3"]
    assert [one.get_text() for one in lower.get_xticklabels()] == ["2⁰", "2¹", "2²", "2³"]


def test_losses_are_drawn_and_named_where_they_are_sure():
    """A name stands where it begins, and not at every length."""
    lower: Any = choice_picture.figure(audit()).axes[1]
    (curve,) = (container.lines[0] for container in lower.containers)
    assert list(curve.get_ydata()) == [1.0, 1.3, 1.4, 2.0]
    assert [(one.get_text(), one.xy[0]) for one in lower.texts] == [("a", 1), ("b", 3)]
    assert lower.get_ylim()[1] == choice_picture.FACTORS[-1] < 20


def test_without_messages_there_are_times_alone_and_the_other_way_round():
    (lower,) = choice_picture.figure(audit(choices=[])).axes
    assert lower.get_ylabel() == choice_picture.FACTOR
    (upper,) = choice_picture.figure(audit(losses=[])).axes
    assert upper.get_ylabel() == "ranks, p"
    with pytest.raises(InputError, match="nothing to draw"):
        choice_picture.figure(audit(choices=[], losses=[]))


def test_many_pages_have_their_names():
    """Twelve have a colour of their own; a thirteenth is drawn nevertheless."""
    sizes = [*range(13)]
    many = [Choice(2, n, f"page {n}", []) for n in sizes]
    (axes,) = choice_picture.figure(audit(sizes=sizes, choices=many, losses=[])).axes
    colours = [patch.get_facecolor() for patch in axes.patches]
    assert len({*colours}) == 12 and colours[12] == colours[0]
    assert [one.get_text() for one in axes.texts] == [f"page {n}" for n in sizes]


def test_the_tables_say_what_is_chosen_where():
    lines = text(audit()).splitlines()
    assert "  p = 2  doubling: n = 1 to 4" in lines and "         ring: n = 8" in lines
    assert "  p = 3  doubling: n = 1 to 4" in lines and "         no page: as b: n = 8" in lines
    assert "derived costs (alpha = 1 us) choose otherwise at" in lines
    assert "  p = 2 n = 8: doubling; ring costs 1.50 times as much" in lines
    assert not any("1.04" in line for line in lines)


def test_the_tables_say_what_is_lost_and_what_failed():
    rows = [line.split() for line in text(audit()).splitlines()]
    told = [" ".join(row[5:]) for row in rows if row[1:5] == ["2", "us", "2", "us"]]
    assert told == [
        "1.00 (0.90-1.10) 4 of 8 a, the same messages",
        "1.30 (1.20-1.40) 8 of 8 a, the same messages: lost",
        "1.40 (1.30-1.50) 6 of 8 c",
        "2.00 (1.80-20.00) 8 of 8 b, the same messages: lost",
    ]
    assert ["d:", "it", "died"] in rows


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"choices": []}, "what it sends it does not tell"),
        ({"taken": [], "losses": []}, "nothing was timed"),
        ({"taken": [Taken(2, 6, SECONDS, {})]}, "6 launches are too few to be sure of a loss; right: more --budget"),
        ({"machine": MACHINE | {"load": 7.5}}, "7.5 processes wanted the 2 cores before it began"),
    ],
)
def test_what_is_missing_is_said(changed, sentence):
    assert sentence not in text(audit())
    assert sentence in text(audit(**changed))


def test_an_audit_is_read_as_it_was_written():
    assert msgspec.json.decode(msgspec.json.encode(audit()), type=ChoiceAudit) == audit()


@pytest.fixture
def asked(monkeypatch):
    """What the command asks for."""
    found = []

    def audited(*what, **how):
        found.append((what, how))
        return audit()

    monkeypatch.setattr(choice_audit, "audit_choices", audited)
    return found


def test_the_command_draws_and_tells(asked, tmp_path):
    file, here = tmp_path / "it.svg", tmp_path / "here.json"
    here.write_text('{"alpha": "5us", "beta": "25Gbit/s"}', encoding="utf-8")
    told = envelope_of("check", "--library", "openmpi", "MPI_Allreduce", "--selection", file, "--ranks", "2-3",
                       "--budget", "9", "--machine", here)  # fmt: skip
    assert told["selection"] == json.loads(msgspec.json.encode(audit()))
    assert (told["results"], told["command"]) == ([], "check --library --selection")
    assert file.read_text(encoding="utf-8").startswith("<?xml")
    ((what, how),) = asked
    assert what == ("allreduce", "openmpi") and (how["ranks"], how["budget"]) == ((2, 3), 9)
    assert float(how["machine"].alpha) == 5e-6
    code, out, _ = called("check", "--library", "openmpi", "allreduce", "--selection", file)
    assert code == 0 and all(line in out for line in text(audit()).splitlines())


@pytest.mark.parametrize(("given", "why"), [
    (["allreduce", "--selection", "it.svg"], "--selection goes with --library"),
    (["allreduce", "--machine", "eth-25g"], "--machine goes with --library"),
    (["allreduce", "--library", "openmpi", "--selection", "it.txt"], "--selection it.txt: the name of a picture"),
    (["allreduce", "bcast", "--library", "openmpi", "--selection", "it.svg"], "--selection is of one collective"),
    (["--library", "openmpi", "--selection", "it.svg"], "--selection is of one collective"),
    (["allreduce", "--library", "openmpi", "--selection", "it.svg", "--seed", "1"], "--seed does not go with --sel"),
    (["allreduce", "--library", "openmpi", "--selection", "it.svg", "--machine", "no"], "no machine 'no'"),
    (["allreduce", "--library", "openmpi", "--machine", "eth-25g"], "--machine does not go with --library"),
])  # fmt: skip
def test_what_does_not_go_together(asked, given, why):
    assert why in " ".join(refused("check", *given).split()) and asked == []


def test_one_rank_chooses_nothing():
    with pytest.raises(InputError, match="one rank sends nothing that could be chosen; right: --ranks 2-8"):
        choice_audit.audit_choices("allreduce", ranks=[1])
    with pytest.raises(InputError, match="no collective 'alreduce'"):
        choice_audit.audit_choices("alreduce")


def test_without_times_there_must_be_a_machine(monkeypatch):
    """It is said before anything is counted."""
    monkeypatch.setattr(choice_audit, "cores", lambda: 2)
    with pytest.raises(InputError, match="--ranks 3-5: with 2 cores there are no times to which a machine could be"):
        choice_audit.audit_choices("allreduce", ranks=[3, 4, 5])


def test_numbers_of_ranks_share_the_budget(monkeypatch):
    seen = []
    monkeypatch.setattr(choice_audit.timing, "timed", lambda *asked: seen.append(asked))
    choice_audit.times([Algorithm("allreduce", "x")], [2, 3], [1], 60.0, print)
    assert [(one[1], one[3]) for one in seen] == [(2, 30.0), (3, 30.0)]


@pytest.mark.parametrize("file", sorted((ROOT / "docs/choices").glob("*.json")), ids=lambda file: file.stem)
def test_what_the_documentation_keeps_is_read_drawn_and_told(file):
    kept = msgspec.json.decode(file.read_bytes(), type=ChoiceAudit)
    assert len(choice_picture.figure(kept).axes) == 1 + bool(kept.choices)
    told = text(kept)
    assert kept.library in told and all(f"{loss.slower} of {loss.rounds}" in told for loss in kept.losses)
    assert "/" not in "".join(map(str, kept.machine.values()))
