"""Puts a document into a page of its own: one file with the viewer, its style and the data, nothing from elsewhere."""

from __future__ import annotations

import base64
import html
import re
import zlib
from importlib import resources
from pathlib import Path

from sparring.present.explorer.document import Document, encoded

PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body>
<main id="explorer"><noscript>This page draws its pictures by a script of its own, which needs JavaScript.</noscript></main>
<script id="document" type="application/octet-stream">{data}</script>
<script>
{script}
</script>
</body>
</html>
"""  # noqa: E501 - one header of the page


SCRIPTS = ("replay", "words", "formulas", "scene", "pictures", "panels", "networks", "column", "explorer")
"""The viewer's scripts, each of which stands on those before it."""


def page(document: Document) -> str:
    """Return the page.  The data is JSON, compressed by zlib, in base64: nothing in it can end the script."""
    viewer = resources.files("sparring.present.explorer")
    return PAGE.format(
        title=html.escape(document.title),
        style=(viewer / "explorer.css").read_text(encoding="utf-8"),
        script="\n".join(lean((viewer / f"{name}.js").read_text(encoding="utf-8")) for name in SCRIPTS),
        data=base64.b64encode(zlib.compress(encoded(document), 9)).decode("ascii"),
    )


def lean(script: str) -> str:
    r"""Return a script without comments and indentation, since documents are many; no text in it spans lines.

    >>> print(lean("// Why.\nif (a) {\n  /** What. */\n  b();\n}\n"))
    if (a) {
    b();
    }
    """
    lines = re.sub(r"^\s*/\*\*.*?\*/$", "", script, flags=re.MULTILINE | re.DOTALL).splitlines()
    return "\n".join(line.strip() for line in lines if line.strip() and not line.strip().startswith("//"))


def write(document: Document, path: Path) -> None:
    """Write the page to ``path``, in folders that need not be there yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(document), encoding="utf-8")
