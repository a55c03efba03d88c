"""``python -m sparring.adapters.recorder`` prints where the recorder's source is, for a compiler's command line."""

from __future__ import annotations

import sys

from sparring.adapters.recorder import SOURCE

if __name__ == "__main__":
    sys.stdout.write(f"{SOURCE}\n")
