"""Popups over a board: known ones are closed, others named."""

from typing import Final, NamedTuple

from twofold.browser.pages.base import GamePage, members, script
from twofold.notation import printable

KNOWN: Final = (
    ("notice", ".notice-close-button"),
    ("OneTrust", "#onetrust-reject-all-handler, #onetrust-close-btn-container button"),
    ("Cookiebot", "#CybotCookiebotDialogBodyButtonDecline"),
    ("CookieYes", ".cky-btn-reject, .cky-banner-btn-close"),
    ("Didomi", "#didomi-notice-disagree-button, .didomi-continue-without-agreeing"),
    ("Funding Choices", ".fc-cta-do-not-consent, .fc-close"),
    ("Quantcast", ".qc-cmp2-close-icon, #disagree-btn"),
    (
        "dialog",
        '[role="dialog"] [aria-label="Close" i], [aria-modal="true"] [aria-label="Close" i]',
    ),
    ("dialog", '.modal [data-dismiss="modal"], .modal [data-bs-dismiss="modal"]'),
    ("dialog", ".modal .close, .popup .close"),
)
"""Popups, and the buttons that close or refuse them; never those that accept something."""


class Popup(NamedTuple):
    """Name of a popup that was closed, and description of an unknown cover; empty for none."""

    closed: str
    cover: str


async def close_popup(page: GamePage, *, always: bool) -> Popup:
    """Close a known popup over the board, with `always` also elsewhere on the page."""
    known = [{"name": name, "button": button} for name, button in KNOWN]
    found = members(await page.world.call(script("popups.js"), page.board_selector, known, always))
    closed, cover = str(found.get("closed", "")), str(found.get("cover", ""))
    return Popup(printable(closed), printable(cover))
