"""Signs of numbers, as numbers of their kind."""

from typing import Any

from sparring.spec.core.vectors import entrywise


@entrywise
def sign(v: Any) -> Any:
    """1, 0 or -1; NaN as it is.

    >>> sign(2.5), sign(-0.0), sign(-7)
    (1.0, 0.0, -1)
    """
    return type(v)(int(v > 0) - int(v < 0)) if v == v else v  # noqa: PLR0124  # NaN alone is not equal to itself
