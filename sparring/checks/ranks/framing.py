"""How a message between a rank and its driver begins; its guard, which imports little, knows no more of messages."""

from __future__ import annotations

import struct

LENGTHS = struct.Struct("!IQ")
"""The bytes of a message's JSON, and of its arrays, which follow.  See :mod:`sparring.checks.ranks.sockets`."""
