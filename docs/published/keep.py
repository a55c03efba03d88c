"""Keeps what became of published claims, beside this file.

Run:  sparring claims --json | python docs/published/keep.py
"""

import json
import sys
from pathlib import Path

text = json.dumps(json.load(sys.stdin)["claims"], indent=1)
Path(__file__).with_name("claims.json").write_text(f"{text}\n", encoding="utf-8")
