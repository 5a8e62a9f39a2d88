"""Makes two pictures of the gallery: docs/images/report.png and docs/images/curves.svg.

python docs/gallery.py

It benches and trains for a minute in a temporary folder, then opens the report in Chromium.
"""

import io
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright
from screenshots import COLOURS, chromium

OUT = Path(__file__).parent / "images"
PLAYERS = ["random", "greedy", "corner", "expectimax:eval=rows,ply=1", "expectimax:eval=rows,ply=2"]
TRAIN = ["train", "2x4", "--threads", "1", "--games", "3000"]
SEEDS = ("1", "2", "3")


def twofold(folder: Path, *words: str) -> None:
    """Run a command in a folder."""
    subprocess.run([sys.executable, "-m", "twofold", *words], cwd=folder, check=True)


def draw_report(folder: Path) -> None:
    """The first screen of a report."""
    twofold(folder, "bench", *PLAYERS, "--games", "300", "--seed", "1", "--out", "study.db")
    twofold(folder, "report", "study.db", "--html", "report.html")
    with sync_playwright() as running:
        browser = chromium(running)
        page = browser.new_page(viewport={"width": 1280, "height": 1500})
        page.goto((folder / "report.html").as_uri())
        shot = Image.open(io.BytesIO(page.screenshot()))
        shot.convert("RGB").quantize(COLOURS).save(OUT / "report.png", optimize=True)
        browser.close()


def draw_curves(folder: Path) -> None:
    """The mean curves of two schedules, three runs each."""
    curves = []
    for name in ("td", "tc"):
        for seed in SEEDS:
            out = ["--seed", seed, "--out", f"{name}-{seed}.safetensors"]
            twofold(folder, *TRAIN, "--schedule", name, *out)
        curves += ["--curves", ",".join(f"{name}-{seed}.csv" for seed in SEEDS)]
    twofold(folder, "report", *curves, "--picture", str(OUT / "curves.svg"), "--force")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        draw_report(Path(temporary))
        draw_curves(Path(temporary))
