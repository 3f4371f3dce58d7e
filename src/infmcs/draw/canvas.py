"""SVG text from a few shapes, in colours by role. Every text is escaped; the same calls give the same bytes.

A colour is named by what it stands for. It is written as an attribute for light surroundings and, where the viewer
prefers dark, replaced by a style. Colours follow Okabe and Ito: told apart by colour-blind eyes; marks never differ in
colour alone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

COLOURS = {  # role: (light, dark)
    "paper": ("#ffffff", "#14171c"),
    "ink": ("#1f2328", "#e6e8eb"),
    "faint": ("#59636e", "#9aa4ae"),
    "edge": ("#7b858f", "#8b949e"),
    "plain": ("#eceff2", "#2b3138"),
    "common": ("#0072b2", "#56b4e9"),
    "common-tint": ("#b3d9f0", "#1b5a86"),
    "on-common": ("#ffffff", "#0b1015"),
    "deleted": ("#b84a00", "#f08a4b"),
    "deleted-tint": ("#f6cfb5", "#7a3a12"),
    "on-deleted": ("#ffffff", "#0b1015"),
    "inserted": ("#00775a", "#3fc79a"),
    "inserted-tint": ("#b5e2d5", "#0f5f49"),
    "on-inserted": ("#ffffff", "#0b1015"),
    "relabelled": ("#e69f00", "#f0b93f"),
    "relabelled-tint": ("#f7dfa6", "#7a5a10"),
    "on-relabelled": ("#1f2328", "#14171c"),
}
FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"

_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Point = tuple[float, float]


class Canvas:
    """Shapes in the order in which they are laid on one another. Points and lengths are pixels, y grows downwards."""

    def __init__(self) -> None:
        self._shapes: list[str] = []
        self._used: set[tuple[str, str]] = set()

    def line(self, start: Point, end: Point, stroke: str, width: float, dashed: bool = False, tip: str = "") -> None:
        """A straight line; `tip` is what the pointer is told over it."""
        ends = f'x1="{_n(start[0])}" y1="{_n(start[1])}" x2="{_n(end[0])}" y2="{_n(end[1])}"'
        self._add("line", ends + self._stroke(stroke, width, dashed), tip)

    def circle(
        self,
        centre: Point,
        radius: float,
        fill: str | None = None,
        stroke: str | None = None,
        width: float = 1.0,
        dashed: bool = False,
        tip: str = "",
    ) -> None:
        """A disc, a ring, or both."""
        at = f'cx="{_n(centre[0])}" cy="{_n(centre[1])}" r="{_n(radius)}"'
        self._add("circle", at + self._fill(fill) + (self._stroke(stroke, width, dashed) if stroke else ""), tip)

    def polygon(self, points: Sequence[Point], fill: str) -> None:
        """A filled shape."""
        listed = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
        self._add("polygon", f'points="{listed}"' + self._fill(fill))

    def rectangle(self, corner: Point, width: float, height: float, fill: str) -> None:
        """A filled rectangle."""
        at = f'x="{_n(corner[0])}" y="{_n(corner[1])}" width="{_n(width)}" height="{_n(height)}"'
        self._add("rect", at + self._fill(fill))

    def text(
        self,
        at: Point,
        words: str,
        size: float,
        fill: str = "ink",
        anchor: str = "middle",
        bold: bool = False,
        halo: bool = False,
        tip: str = "",
    ) -> None:
        """One line of text, centred on the height of `at`; with a halo it stays readable across lines."""
        place = f'x="{_n(at[0])}" y="{_n(at[1])}" dy="0.35em" font-size="{_n(size)}" text-anchor="{anchor}"'
        if bold:
            place += ' font-weight="600"'
        if halo:
            place += self._stroke("paper", size / 4, False) + ' paint-order="stroke" stroke-linejoin="round"'
        self._add("text", place + self._fill(fill), tip, words)

    def svg(self, width: float, height: float, title: str, description: str) -> str:
        """The whole picture on its paper, with a title and a description for those who do not see it."""
        self._used.add(("fill", "paper"))
        dark = "".join(
            f".infmcs-picture .{what[0]}-{role}{{{what}:{COLOURS[role][1]}}}" for what, role in sorted(self._used)
        )
        body = "\n".join(self._shapes)
        name = "infmcs-" + hashlib.blake2b((title + body).encode(), digest_size=6).hexdigest()
        w, h = _n(width), _n(height)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="infmcs-picture" viewBox="0 0 {w} {h}" width="{w}" '
            f'height="{h}" role="img" aria-labelledby="{name}-title {name}-text" font-family={quoteattr(FONT)}>\n'
            f'<title id="{name}-title">{_escaped(title)}</title>\n'
            f'<desc id="{name}-text">{_escaped(description)}</desc>\n'
            f"<style>@media (prefers-color-scheme:dark){{{dark}}}</style>\n"
            f'<rect x="0" y="0" width="{w}" height="{h}"{self._fill("paper")}/>\n{body}\n</svg>\n'
        )

    def _fill(self, role: str | None) -> str:
        if role is None:
            return ' fill="none"'
        self._used.add(("fill", role))
        return f' fill="{COLOURS[role][0]}" class="f-{role}"'

    def _stroke(self, role: str, width: float, dashed: bool) -> str:
        self._used.add(("stroke", role))
        dashes = f' stroke-dasharray="{_n(max(3.0, 2 * width))} {_n(max(2.0, 1.5 * width))}"' if dashed else ""
        return f' stroke="{COLOURS[role][0]}" stroke-width="{_n(width)}"{dashes} class="s-{role}"'

    def _add(self, element: str, attributes: str, tip: str = "", words: str = "") -> None:
        classes = re.findall(r' class="([^"]*)"', attributes)
        if len(classes) > 1:  # an element has one list of classes
            attributes = re.sub(r' class="[^"]*"', "", attributes) + f' class="{" ".join(classes)}"'
        inside = (f"<title>{_escaped(tip)}</title>" if tip else "") + _escaped(words)
        end = f">{inside}</{element}>" if inside else "/>"
        self._shapes.append(f"<{element} {attributes}{end}")


def _escaped(words: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", words))


def _n(number: float) -> str:
    """A coordinate as text: two digits, no -0."""
    return f"{round(number, 2) + 0.0:g}" if abs(number) < 1e5 else f"{number:.0f}"
