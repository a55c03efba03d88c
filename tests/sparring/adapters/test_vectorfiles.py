"""The first line of a file with a vector, as a stranger may write it."""

import numpy as np
import pytest

from sparring.adapters.vectorfiles import from_raw
from sparring.errors import InputError

RIGHT = '{"n":1,"dtype":"float64"}'
WRONG = {
    '{"n":1,"n":1,"dtype":"float64"}': "(a field comes twice)",
    '{"n":2,"n":1,"dtype":"float64"}': "(a field comes twice)",
    "[" * 4000: "(it is nested too deeply)",
    '["n",1]': '{"n":3,"dtype":"float64"}',
}


def read(folder, line):
    file = folder / "rank0.bin"
    file.write_bytes(line.encode() + b"\n" + np.array([7.0]).tobytes())
    return from_raw(file, {})


@pytest.mark.parametrize("line", WRONG)
def test_a_header_that_says_two_things_is_refused(line, tmp_path):
    assert read(tmp_path, RIGHT) == [7.0]
    with pytest.raises(InputError, match=r"rank0\.bin: the first line must be JSON") as refused:
        read(tmp_path, line)
    assert str(refused.value).endswith(WRONG[line])
