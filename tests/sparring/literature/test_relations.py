"""Relations are read as they are written: what a statement says is what is decided."""

from dataclasses import replace

import pytest

from sparring.errors import InputError
from sparring.literature.implication import decide, true_at
from sparring.literature.papers import sources
from sparring.literature.relations import read, supposed, told
from sparring.literature.statements import Theorem
from sparring.proofs.logic.verdicts import REFUTED

TRUE = [
    "2 3 = 6", "2 (3 + 1) / 4 = 2", "1 / 2 2 = 1", "8 / 2 / 2 = 2", "2 / (2 2) = 0.5", "7 - 2 - 1 = 4", "2 3^2 = 18",
    "log2(8) = 3", "2 log2(2 2) + 1 = 5", "1 < 2 <= 2 < 3", "1 < 2 if and only if 3 > 2", "(2) (3) * 2 = 12",
]  # fmt: skip
FALSE = ["2 3 = 5", "1 < 2 < 2", "1 < 2 if and only if 2 > 3", "8 / (2 2) = 8", "1 / 2 2 = 0.25"]


@pytest.mark.parametrize(("text", "wanted"), [*((one, True) for one in TRUE), *((one, False) for one in FALSE)])
def test_numbers_mean_what_is_written(text, wanted):
    """Factors bind more tightly than sums, powers than factors, and a divisor is one factor."""
    assert true_at(read(text).relation, {}) is wanted


WRONG = {
    "": "'' is no number and no letter",
    "2 k": "is no relation",
    "k <": "is no number and no letter",
    "2 k words <= 3 k": "'words' is no number and no letter",
    "(k < 3": "')' is missing",
    "log2 k < 3": "'(' is missing",
    "k < 3 k)": "is no relation",
    "k' > 3": "is no part of a formula",
    "k < * 3": "is no number and no letter",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_relation_is_refused(text):
    """With what is wrong in it."""
    with pytest.raises(InputError) as told_of:
        read(text)
    assert WRONG[text] in str(told_of.value)


def test_words_stand_beside_a_colon():
    """On either side; and hypotheses have a comma between them, and no words."""
    assert told("as a ring of all: 2 k < 3 k") == told("2 k < 3 k: less") == read("2 k < 3 k")
    assert supposed("k >= 1, p = 2^m >= 2") == supposed("k >= 1, p >= 2") and supposed("").letters == []
    for text in ("k < 3 k words", "for all: k"):
        with pytest.raises(InputError, match="give relation="):
            told(text)
    with pytest.raises(InputError):
        supposed("k >= 1, losses are independent")


def test_what_is_said_is_decided():
    """A statement with another number in its text fails, and so does one with a hypothesis less."""
    said = [one for source in sources() for one in source.statements if isinstance(one, Theorem) and not one.relation]
    (one,) = [one for one in said if one.says == "6 k (p - 1) / p < 6 k"]
    assert decide(one).verdict == "follows"
    assert decide(replace(one, says="6 k (p - 1) / p < 4 k")).checked == REFUTED
    assert decide(replace(one, hypotheses="")).checked == REFUTED
