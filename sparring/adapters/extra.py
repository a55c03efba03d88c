"""Parts of torch, which only those have who asked for it; to checkers of types they are Any."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from sparring.errors import MissingExtra


def torch(part: str = "") -> Any:
    """The module ``torch``, or a part of it: ``distributed``.  Raises MissingExtra where it is not installed."""
    there()
    return import_module(f"torch.{part}" if part else "torch")


def there() -> None:
    """Raises MissingExtra where torch is not installed; does not import it, which takes seconds."""
    if find_spec("torch") is None:
        raise MissingExtra('no torch here; to install it: pip install "sparring[torch]"')
