"""The links: each room has one name, and a checkout that lost its links says so."""

from __future__ import annotations

import shutil

import pytest

ROOMS = ("spec", "impl", "proofs")
BUILD = "from setuptools import build_meta; build_meta.build_wheel('dist')"


def test_a_room_has_no_second_name(house):
    """``import spec`` in the checkout fails with a sentence, ``import sparring.spec`` does not."""
    assert house.run("python", "-c", f"import {', '.join(f'sparring.{room}' for room in ROOMS)}").returncode == 0
    for room in ROOMS:
        done = house.run("python", "-c", f"import {room}")
        assert done.returncode == 1
        assert f"ImportError: import sparring.{room}, not {room}: " in done.stdout


@pytest.mark.parametrize("room", ROOMS)
def test_a_link_that_came_out_as_text_stops_the_build(house, room):
    """Where git wrote a link as a text file, the build ends with one sentence that names link and cure."""
    link = house.path / "sparring" / room
    link.unlink()
    link.write_text(f"../{room}", encoding="utf-8")
    done = house.run("python", "-c", BUILD)
    assert done.returncode == 1
    assert done.stdout.strip().splitlines()[-1] == (
        f"sparring/{room} is no folder: this checkout lost its symbolic links; "
        "run 'git config core.symlinks true && git checkout -- sparring' and build again."
    )


@pytest.mark.parametrize("unpack", [False, True], ids=["links", "real folders"])
def test_links_and_real_folders_build(house, unpack):
    """A sound checkout builds, and so does a tree whose rooms are real folders, as in an sdist."""
    for room in ROOMS if unpack else ():
        (house.path / "sparring" / room).unlink()
        shutil.move(house.path / room, house.path / "sparring" / room)
    done = house.run("python", "-c", BUILD)
    assert done.returncode == 0, done.stdout
