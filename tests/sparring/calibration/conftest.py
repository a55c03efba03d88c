"""A machine that is known, found again."""

from __future__ import annotations

import pytest

from sparring.calibration.profile import profile
from sparring.proofs.cost.machines import Machine
from tests.sparring.calibration.known_times import made


@pytest.fixture(scope="session")
def known() -> Machine:
    """Four ranks on two hosts."""
    return profile(*made(4, [(2, 2), (2, 2)]))
