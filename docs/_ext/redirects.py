"""Leads readers from an address that a page had to the one it has: ``redirected`` in ``conf.py``."""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx

PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="0; url={target}">
<link rel="canonical" href="{target}">
<title>This page has moved</title>
</head>
<body><p>This page has moved: <a href="{target}">{target}</a>.</p></body>
</html>
"""


def write(app: Sphinx, failed: Exception | None) -> None:
    """Write a page in each old place.  Raises ValueError where a new place has no page."""
    if failed is not None or app.builder.format != "html":
        return
    for old, new in app.config.redirected.items():
        if new not in app.env.found_docs:
            raise ValueError(f"redirected: {old!r} leads to {new!r}, which is no page")
        target = app.builder.get_relative_uri(old, new)
        (Path(app.outdir) / f"{old}.html").write_text(PAGE.format(target=target), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when the extension is loaded."""
    app.add_config_value("redirected", {}, "html")
    app.connect("build-finished", write)
    return {"parallel_read_safe": True}
