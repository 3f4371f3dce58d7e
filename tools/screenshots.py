"""Renew the pictures of docs/service.md: the page in headless Chromium, served from the bundled molecules.

.venv/bin/python tools/screenshots.py        # needs playwright and a chromium, as the browser tests do
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "service"
sys.path.insert(0, str(ROOT))


def main() -> None:
    """Take them all."""
    import torch
    from playwright.sync_api import sync_playwright
    from tests.kit.serving import served

    import infmcs
    from infmcs import datasets, web
    from infmcs.index import Index

    torch.set_num_threads(1)
    FOLDER.mkdir(exist_ok=True)
    index = Index.build(datasets.load("molecules"))
    chromium = os.environ.get("INFMCS_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    app = web.app(index, models={"molecules-mcs": infmcs.load("molecules-mcs")})
    with served(app) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for name, scheme, size, act in SHOTS:
            page = browser.new_page(color_scheme=scheme, viewport={"width": size[0], "height": size[1]})
            page.set_default_timeout(30_000)
            act(page, address)
            page.wait_for_timeout(800)
            page.screenshot(path=FOLDER / f"{name}.png")
            print(f"{name}.png: {(FOLDER / f'{name}.png').stat().st_size / 1000:.0f} kB")
            page.close()
        browser.close()


def hits(page: Any, address: str) -> None:
    """Hits of a search."""
    page.goto(f"{address}/#search?{urlencode({'query': 'id:4', 'top': '8'})}")
    page.get_by_text("Proven: no other graph").wait_for()
    page.wait_for_timeout(1500)
    page.evaluate("document.getElementById('hits').scrollIntoView()")


def pair(view: str, other: int = 456) -> Any:
    """Two graphs, seen so."""

    def act(page: Any, address: str) -> None:
        told = {"left": "id:4", "right": f"id:{other}", "view": view}
        page.goto(f"{address}/#pair?{urlencode(told)}")
        page.locator("#partners tbody tr").first.wait_for()
        page.wait_for_timeout(1500)

    return act


def draw(page: Any, address: str) -> None:
    """A ring with an arm, drawn by the pointer."""
    page.goto(address)
    page.click("#tab-draw")
    page.fill("#label", "C")
    paper = page.locator("#paper")
    ring = [(300, 70), (360, 105), (360, 175), (300, 210), (240, 175), (240, 105)]
    for x, y in ring:
        paper.click(position={"x": x, "y": y})
    page.fill("#label", "O")
    paper.click(position={"x": 425, "y": 70})
    for one, other in [*zip(ring, [*ring[1:], ring[0]], strict=True), (ring[1], (425, 70))]:
        paper.click(position={"x": one[0], "y": one[1]})
        paper.click(position={"x": other[0], "y": other[1]})
    page.click("#use-drawn")
    page.wait_for_selector("#query img")


SHOTS = (
    ("hits", "light", (1200, 860), hits),
    ("pair-proof", "light", (1200, 900), pair("exact")),
    ("pair-model", "light", (1200, 900), pair("model")),
    ("pair-top", "dark", (1200, 900), pair("top", 457)),
    ("draw", "light", (1200, 760), draw),
    ("phone", "dark", (390, 844), hits),
)

if __name__ == "__main__":
    main()
