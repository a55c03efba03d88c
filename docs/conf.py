"""The documentation's configuration.  Build: python -m sphinx -W -n docs build/docs, at the top of the checkout."""

import sys
from importlib import metadata
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "_ext"))

project = "sparring"
author = "the authors of sparring"
project_copyright = author
release = version = metadata.version("sparring")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinxcontrib.bibtex",
    "band",  # ours, as are the next
    "choosing",
    "commands",
    "docstrings",
    "dropping",
    "explorer_format",
    "explorers",
    "gallery",
    "growth",
    "libraries",
    "figures",
    "linkload",
    "mixing",
    "mutants",
    "pages",
    "phases",
    "planted",
    "published",
    "redirects",
    "selecting",
    "stragglers",
    "timings",
    "training",
]
nitpicky = True
nitpick_ignore_regex = [
    # Other projects' documentation is not read while building, which works without a network; ours must resolve.
    ("py:.*", r"(collections|fractions|msgspec|numpy|np|pathlib|types|typing)\..*"),
    # Names in signatures that are no part of the interface: aliases, a type variable, matplotlib's own, what only
    # sparring passes on.
    ("py:class", r"Document|Done|Executor|Figure|Fraction|Intracomm|Panels|Path|Reduce|Timing|Track|Vector"),
    ("py:class", r"sparring\..*\.(Document|Piece|Ranks|Shown|SparseVector|Table|Test|Waiting)"),
]

smartquotes = False  # "--on" and the apostrophes of verdicts stay what they are
myst_heading_anchors = 3
bibtex_bibfiles = ["references.bib"]
bibtex_reference_style = "author_year"

autodoc_class_signature = "separated"  # users are given these objects; they do not build them
autodoc_default_options = {"exclude-members": "__init__, __new__"}
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_display_short_literal_types = True
python_maximum_signature_line_length = 100
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = "sparring"
html_copy_source = False
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["sparring.css"]

copybutton_prompt_text = r"\$ |>>> |\.\.\. "  # what is copied is what is typed: no prompts, no output
copybutton_prompt_is_regexp = True

redirected = {"tutorial": "tutorials/judge"}  # addresses that were, and where their pages are now
