"""Pages without the app: errors, and the form for the token.

They include the app's style, since files are served only with the token.
"""

import base64
import hashlib
import html
from functools import cache
from typing import Final

from twofold.web.pages import read_file

_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
{head}<title>{title} · twofold</title>
<style>{style}</style>
</head>
<body>
<header class="site-head"><span class="brand">{mark}twofold</span></header>
<main class="plain stack wide">
<h1>{title}</h1>
{content}
</main>
</body>
</html>
"""

_STYLE: Final = """
.plain { max-width: 38rem; }
.brand svg { width: 1.75rem; height: 1.75rem; }
"""

_AGAIN: Final = '<script src="/static/js/again.js"></script>\n'
"""Reloads the page from its own origin, so that the browser sends the cookie. Only browsers with
the cookie get the script. It is a script to keep the part of the address after `#`."""

_REFERRER: Final = '<meta name="referrer" content="same-origin">\n'
"""Without a referrer browsers send a form with the origin `null`."""

_FORM: Final = """<p>{lead}</p>
<form class="card stack" method="post" action="{action}">
<div class="field">
<label for="token">Address or token</label>
<input class="input" id="token" name="token" type="text" required autofocus
 autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="error note">
<p class="field-error" id="error" role="alert">{error}</p>
<p class="note" id="note">The address that <code>twofold serve</code> has printed in its terminal,
 such as <code class="nowrap">http://127.0.0.1:2048/?token=…</code></p>
</div>
<div class="row"><button class="button primary">Sign in</button></div>
</form>"""

_LEAD: Final = "This server answers its owner only, and this browser has not shown its token yet."


def error_page(status: int, message: str) -> bytes:
    """A page for an error."""
    words = html.escape(message[:1].upper() + message[1:])
    return _page(f"Error {status}", f'<p>{words}.</p>\n<p><a href="/">To the start</a></p>')


def sign_in_page(action: str, *, wrong: bool = False, again: bool = False) -> bytes:
    """The form for the token, sent to `action`.

    It says if a wrong token was sent. `again`: a reload may succeed; see `security`.
    """
    error = "This is not the token of this server." if wrong else ""
    form = _FORM.format(lead=_LEAD, action=html.escape(action), error=error)
    return _page("Sign in", form, head=_REFERRER + (_AGAIN if again else ""))


def _page(title: str, content: str, head: str = "") -> bytes:
    mark = (read_file("icons/favicon.svg") or b"").decode()
    mark = mark.replace("<svg ", '<svg aria-hidden="true" ', 1)
    page = _PAGE.format(head=head, title=title, style=_style(), mark=mark, content=content)
    return page.encode()


@cache
def style_source() -> str:
    """The source of the style for a content security policy."""
    digest = hashlib.sha256(_style().encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


@cache
def _style() -> str:
    return (read_file("css/base.css") or b"").decode() + _STYLE
