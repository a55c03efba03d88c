"""What a library says of its settings becomes the algorithms that it lets one choose."""

import pytest

from sparring.checks.ranks.runtimes import MPICH, OPEN_MPI
from sparring.errors import InputError
from sparring.libraries import selection
from sparring.libraries.audit import known
from sparring.libraries.selection import (
    OWN,
    Setting,
    Told,
    installed,
    of_intel_mpi,
    of_mpich,
    of_open_mpi,
)

TUNED = Setting("coll_tuned_allreduce_algorithm", {"ignore": 0, "ring": 4, "rabenseifner": 6}, "Which one.", 5)
FIXED = TUNED._replace(name="coll_tuned_allgatherv_algorithm", scope=0)
ADAPT = Setting("coll_adapt_bcast_algorithm", {}, "Algorithm of broadcast", 5)
DESCRIBED = Setting(
    "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM",
    {},
    "Variable to select allreduce algorithm\nauto - Internal algorithm selection\n"
    "nb        - Force nonblocking algorithm\n"
    "recexch   - Force generic transport recursive exchange algorithm",
    60444,
)
NUMBERED = Setting(
    "MPIR_CVAR_USE_REDUCE",
    {},
    "Control selection of MPI_Reduce algorithm presets.$ Arguments$ <presetid>$ range: 0-2 "
    "@Alias:# I_MPI_ADJUST_REDUCE @Default:# -1",
    0,
)
SCATTER = NUMBERED._replace(
    name="MPIR_CVAR_USE_REDUCE_SCATTER",
    text=NUMBERED.text.replace("REDUCE @", "REDUCE_SCATTER @").replace("0-2", "0-7"),
)


def by_name(*settings):
    return {one.name: one for one in settings}


def test_open_mpi_lists_the_algorithms_of_tuned():
    ring, rabenseifner = of_open_mpi("allreduce", by_name(TUNED))
    assert (ring.name, ring.setting, ring.value) == ("ring", "coll_tuned_allreduce_algorithm", 4)
    assert ring.environment["OMPI_MCA_coll_tuned_allreduce_algorithm"] == "4"
    assert ring.within == selection.TUNED
    assert rabenseifner.value == 6


def test_a_setting_that_ranks_cannot_change_belongs_to_their_environment():
    ring = next(of_open_mpi("allgatherv", by_name(FIXED)))
    assert ring.setting == ""
    assert ring.within == ring.environment


def test_open_mpi_s_other_components_are_chosen_by_priority():
    (adapt,) = of_open_mpi("bcast", by_name(ADAPT))
    assert (adapt.name, adapt.within) == ("adapt", {"OMPI_MCA_coll_adapt_priority": "100"})


def test_mpich_describes_its_algorithms():
    nb, recexch = of_mpich("allreduce", by_name(DESCRIBED))
    assert (nb.name, recexch.name) == ("nb", "recexch")
    assert recexch.environment["MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM"] == "recexch"


def test_intel_mpi_numbers_its_presets():
    found = list(of_intel_mpi("reduce", by_name(SCATTER, NUMBERED)))
    assert [one.name for one in found] == ["preset 0", "preset 1", "preset 2"]
    assert found[2].environment == {"I_MPI_ADJUST_REDUCE": "2"}


def test_the_own_choice_comes_first_and_sets_nothing():
    library = selection.LIBRARIES[0]._replace(settings=by_name(TUNED))
    own, *others = library.choices(["allreduce"])
    assert (own.name, own.environment, len(others)) == (OWN, {}, 2)


@pytest.mark.parametrize(
    ("asked", "told", "error"),
    [
        ("lam", "Open MPI v5.0.11", "no library 'lam': there are openmpi, mpich, impi"),
        ("mpich", "Open MPI v5.0.11", r"the MPI of this environment is openmpi; for mpich, .*sparring\[mpich\]"),
        ("", "Some MPI 1.0", "Some MPI 1.0: how its collectives are chosen is not known here"),
    ],
)
def test_a_library_that_is_not_there_is_one_sentence(asked, told, error, monkeypatch):
    monkeypatch.setattr(selection, "asked", lambda: Told(told, []))
    with pytest.raises(InputError, match=error):
        installed(asked)


@pytest.mark.parametrize(("told", "runtime"), [("Open MPI v5.0.11, package", OPEN_MPI), ("MPICH Version: 5.0", MPICH)])
def test_the_library_is_known_by_what_it_calls_itself(told, runtime, monkeypatch):
    monkeypatch.setattr(selection, "asked", lambda: Told(told, [TUNED]))
    found = installed()
    assert found.runtime is runtime
    assert found.settings == by_name(TUNED)


def test_a_collective_that_is_not_known_is_one_sentence():
    with pytest.raises(InputError, match="no collective 'alreduce': did you mean 'allreduce'"):
        known(["alreduce"])
