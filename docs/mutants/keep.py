"""Keeps what became of mutants, a file an algorithm, beside this one.

Run:  sparring verify --mutants --full --json | python docs/mutants/keep.py
"""

import json
import sys
from pathlib import Path

for name, told in json.load(sys.stdin)["mutants"]["algorithms"].items():
    text = json.dumps(told, indent=1)
    Path(__file__).with_name(f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
