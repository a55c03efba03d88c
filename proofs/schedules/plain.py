"""Our own form: JSON, the program as ``program`` describes it, field by field."""

from __future__ import annotations

import msgspec

from sparring.errors import InputError
from sparring.proofs.schedules.program import Program, checked

FORMAT = "sparring-schedule-1"
WANTED = f'an object with "format": "{FORMAT}", or MSCCL\'s with "msccl_type": "algorithm"'


def read(data: bytes) -> Program:
    """The program in a JSON file of ours; InputError says what is wrong, and where."""
    try:
        program = msgspec.json.decode(data, type=Program)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise InputError(f"{str(error) or 'too deep'}; right: {WANTED}") from None
    return checked(program)
