"""Parts of torch, which is an extra; type checkers see them as Any."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from sparring.errors import MissingExtra


def torch(part: str = "") -> Any:
    """Return the module ``torch``, or a part of it: ``distributed``.  Raise MissingExtra where it is not installed."""
    there()
    return import_module(f"torch.{part}" if part else "torch")


def there() -> None:
    """Raise MissingExtra where torch is not installed; do not import it, which takes seconds."""
    if find_spec("torch") is None:
        raise MissingExtra('no torch here; to install it: pip install "sparring[torch]"')
