"""Modules of the zoo are found by the tests in this folder."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
