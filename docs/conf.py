"""Sphinx settings; build with `sphinx-build -W -b html docs docs/_build/html`."""

import contextlib
import gc
import importlib.metadata
import importlib.util
import io
import os
import re
import sys
from pathlib import Path

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml

gc.disable()  # nearly all objects of a build stay; the searches for cycles took a quarter of it

project = "twofold"
author = "The twofold authors"
copyright = "The twofold authors"  # noqa: A001 (Sphinx reads this name)
release = importlib.metadata.version("twofold")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
exclude_patterns = ["_build"]
default_role = "code"  # `x` in a docstring is code, as in Markdown

# ---- pages

links = dict(
    entry.split(", ", 1)
    for entry in importlib.metadata.metadata("twofold").get_all("Project-URL") or ()
)
repository = links.get("Repository", "")

myst_enable_extensions = [
    "attrs_block",
    "attrs_inline",
    "colon_fence",
    "dollarmath",
    "substitution",
]
myst_heading_anchors = 3
myst_substitutions = {
    "version": release,
    "repository": f" · [Repository]({repository})" if repository else "",
}

copybutton_prompt_text = "$ "  # copies the commands of a console block without what they print

# ---- reference

autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
autodoc_preserve_defaults = True
autodoc_mock_imports = [  # optional extras that are not installed
    name
    for name in (
        "PIL", "matplotlib", "playwright", "pyarrow", "ray",
        "stable_baselines3", "starlette", "textual", "uvicorn", "websockets",
    )
    if importlib.util.find_spec(name) is None
]  # fmt: skip
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_custom_sections = ["Source"]
napoleon_use_ivar = True  # attributes as fields: once each, also where they are descriptors

# ---- look

html_theme = "furo"
html_title = "twofold"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_logo = html_favicon = "../src/twofold/web/static/icons/favicon.svg"
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#8a3d0c",
        "color-brand-content": "#a34a12",
        "color-background-primary": "#fffdf9",
        "color-background-secondary": "#f8f3ea",
    },
    "dark_css_variables": {"color-brand-primary": "#f2a566", "color-brand-content": "#f2a566"},
}
if repository:
    html_theme_options["source_repository"] = repository


def drop_alias(app, what, name, obj, options, lines):
    """Python documents a field of a NamedTuple as `Alias for field number 0`: name and type do."""
    if re.fullmatch(r"Alias for field number \d+", "\n".join(lines).strip()):
        lines.clear()


def mathml(self, node):
    """Formulas as MathML, which browsers show without a script."""
    block = node.tagname == "math_block"
    formula = tex2mathml(node.astext(), as_block=block)
    self.body.append(f'<div class="formula">{formula}</div>' if block else formula)
    raise SkipNode


def add_sections(app, page, source):
    """Adds a section for each command: its help, and the fields of its JSON document."""
    if page == "reference/commands":
        source[0] += "\n".join(helps())
    if page == "reference/json":
        sys.path.insert(0, str(Path(__file__).parent))
        from documents import sections

        source[0] += "\n" + sections()


def helps():
    """What `twofold COMMAND --help` prints, for each command."""
    from twofold.cli import COMMANDS, main

    os.environ["COLUMNS"] = "90"
    for name in COMMANDS:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
            main([name, "--help"])
        yield f"\n## twofold {name}\n\n```text\n{printed.getvalue()}```\n"


def setup(app):
    app.connect("source-read", add_sections)
    app.connect("autodoc-process-docstring", drop_alias)
    app.add_html_math_renderer("mathml", (mathml, None), (mathml, None))


html_math_renderer = "mathml"
