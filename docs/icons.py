"""Makes the icons of the web app that have to be PNG, from its favicon, in a real Chromium.

    python docs/icons.py

Systems cut the icons of apps to shapes of their own. So there is one as it is, for browsers, and
one on a ground that reaches to the edge, with the picture inside the part that is never cut off.
"""

import io
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

import twofold.web
from twofold.cli.browser import find_browser

ICONS = Path(twofold.web.__file__).parent / "static" / "icons"
GROUND = "#faf8ef"
COLOURS = 64

SAFE = 0.62
"""Side of the picture on a ground: a circle of 80 % is never cut off, and has it inside."""

MADE = {
    "icon-192.png": (192, 1.0, "transparent"),
    "icon-512.png": (512, 1.0, "transparent"),
    "icon-512-maskable.png": (512, SAFE, GROUND),
    "touch-icon.png": (180, 0.74, GROUND),
}
"""Each file: its side in pixels, the share that the picture takes, the ground."""


def draw(page: Page, side: int, share: float, ground: str) -> bytes:
    """The favicon in the middle of a square."""
    picture = (ICONS / "favicon.svg").read_text(encoding="utf-8")
    inner = round(side * share)
    page.set_viewport_size({"width": side, "height": side})
    page.set_content(
        f"<style>body{{margin:0;display:grid;place-items:center;height:{side}px;"
        f"background:{ground}}}svg{{width:{inner}px;height:{inner}px}}</style>{picture}"
    )
    return page.screenshot(omit_background=True)


def small(picture: bytes) -> bytes:
    """The same in few colours."""
    file = io.BytesIO()
    Image.open(io.BytesIO(picture)).quantize(COLOURS).save(file, "PNG", optimize=True)
    return file.getvalue()


def main() -> None:
    """Write all of them."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(headless=True), args=["--no-sandbox"]
        )
        page = browser.new_page()
        for name, (side, share, ground) in MADE.items():
            (ICONS / name).write_bytes(small(draw(page, side, share, ground)))
            print(f"{name}: {(ICONS / name).stat().st_size:,} bytes")
        browser.close()


if __name__ == "__main__":
    main()
