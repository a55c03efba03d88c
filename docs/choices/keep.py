"""Keeps what an MPI library chooses by itself, a file a library, beside this one.

Run:  sparring check --library openmpi allreduce --selection choices.svg --json | python docs/choices/keep.py openmpi
"""

import json
import sys
from pathlib import Path

found = json.load(sys.stdin)["selection"]
rows = {name: ",\n  ".join(map(json.dumps, found[name])) for name in ("choices", "losses", "taken")}
text = json.dumps(found | {name: [] for name in rows}, indent=1)
for name, some in rows.items():
    text = text.replace(f'"{name}": []', f'"{name}": [\n  {some}\n ]')
Path(__file__).with_name(f"{sys.argv[1]}.json").write_text(f"{text}\n", encoding="utf-8")
