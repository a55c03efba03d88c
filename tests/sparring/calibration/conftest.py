"""A machine that is known, found again."""

from __future__ import annotations

from typing import Any

import pytest

from sparring.calibration.profile import profile
from tests.sparring.calibration.known_times import made


@pytest.fixture(scope="session")
def known() -> Any:
    """Four ranks on two hosts."""
    return profile(*made(4, [(2, 2), (2, 2)]))
