"""Makes the students' pages of the web app from docs/learn/*.md.

python docs/learn_pages.py

Each becomes a piece of HTML in src/twofold/web/static/learn, with the pictures that it shows. The
boards in its code are listed below it, for the page to link to their analysis.
"""

import hashlib
import html
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docutils.utils.math.latex2mathml import tex2mathml
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin

import twofold.web

ROOT = Path(__file__).parent
OUT = Path(twofold.web.__file__).parent / "static" / "learn"
BOARD = re.compile(r"\b(?:\dx\d:)?[0-9a-z]{4}(?:/[0-9a-z]{4}){3}\b|\b2x2:[0-9a-z]{2}/[0-9a-z]{2}\b")
LINK = re.compile(r"(?P<page>[a-z-]+)\.md")


def digest(source: str) -> str:
    """What a piece says it was made from."""
    made = Path(__file__).read_text(encoding="utf-8") + source
    return hashlib.sha256(made.encode()).hexdigest()[:16]


def math(content: str, options: dict[str, Any]) -> str:
    return str(tex2mathml(content, as_block=options["display_mode"]))


def link(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: dict[str, Any]) -> str:
    """A link to another of these pages; what else is linked has no page in the app."""
    found = LINK.fullmatch(str(tokens[at].attrs["href"]))
    env["linked"] = found is not None
    return f'<a href="/learn?page={found["page"]}">' if found else ""


def link_end(
    renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: dict[str, Any]
) -> str:
    return "</a>" if env["linked"] else ""


def image(
    renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: dict[str, Any]
) -> str:
    source = ROOT / "learn" / str(tokens[at].attrs["src"])
    shutil.copy(source, OUT / source.name)
    return f'<img src="{source.name}" alt="{html.escape(tokens[at].content)}">'


def code(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: dict[str, Any]) -> str:
    """Code that scrolls by itself, and the boards in it; no list of pages for another program."""
    if tokens[at].info.startswith("{toctree}"):
        return ""
    boards = dict.fromkeys(BOARD.findall(tokens[at].content))
    links = "".join(f'<a data-board="{board}"></a>' for board in boards)
    block = f'<pre tabindex="0"><code>{html.escape(tokens[at].content)}</code></pre>\n'
    return block + (f"<p>{links}</p>\n" if links else "")


def question(
    renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: dict[str, Any]
) -> str:
    body = re.sub(r"\A:class:.*\n", "", tokens[at].content)
    return f'<aside class="card"><h2>Question</h2>\n{renderer_of().render(body, env)}</aside>\n'


def renderer_of() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False}).enable("table")
    made.use(dollarmath_plugin, renderer=math).use(colon_fence_plugin)
    rules = {
        "link_open": link,
        "link_close": link_end,
        "image": image,
        "fence": code,
        "colon_fence": question,
    }
    for name, rule in rules.items():
        made.add_render_rule(name, rule)
    return made


def main() -> None:
    """Write all of them."""
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()
    for path in sorted((ROOT / "learn").glob("*.md")):
        source = path.read_text(encoding="utf-8")
        body = renderer_of().render(source, {})
        made = f"<!-- {path.name} {digest(source)}; made by docs/learn_pages.py -->\n{body}"
        (OUT / f"{path.stem}.html").write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
