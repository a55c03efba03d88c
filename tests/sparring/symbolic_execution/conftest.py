"""What several tests of selection need."""

from __future__ import annotations

import pytest

from sparring.symbolic_execution.conditions import All, Sign


@pytest.fixture
def true():
    """Whether a condition holds at a point."""

    def holds(x, table, point):
        if isinstance(x, Sign):
            value = table.at(x.form, point)
            return (value > 0) - (value < 0) in x.signs
        return (all if isinstance(x, All) else any)(holds(part, table, point) for part in x.parts)

    return holds
