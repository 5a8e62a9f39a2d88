"""Sphinx settings; build with `sphinx-build -W -b html docs docs/_build/html`."""

import importlib.metadata

project = "twofold"
author = "The twofold authors"
copyright = "The twofold authors"  # noqa: A001 (Sphinx reads this name)
release = importlib.metadata.version("twofold")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["_build"]
default_role = "code"  # `x` in a docstring is code, as in Markdown

myst_heading_anchors = 3

autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
autodoc_preserve_defaults = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_custom_sections = ["Source"]
napoleon_use_ivar = True  # attributes as fields: once each, also where they are descriptors

html_theme = "furo"
html_title = "twofold"
html_copy_source = False
html_show_sphinx = False
