"""Our pictures as PNG, by matplotlib: no browser, no external program. Reads the shapes that `canvas` writes."""

from __future__ import annotations

import io
import warnings
from typing import Any
from xml.etree import ElementTree

from infmcs.errors import QuestionError

SHARPNESS = 2  # pixels of the image for one of the picture
_SVG = "{http://www.w3.org/2000/svg}"
_ANCHORS = {"start": "left", "middle": "center", "end": "right"}


def png(svg: str) -> bytes:
    """The picture as the bytes of a PNG file, in its light colours."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    try:
        root = ElementTree.fromstring(svg)  # noqa: S314  (our own text; entities are refused by expat's defaults)
        width, height = float(root.attrib["width"]), float(root.attrib["height"])
    except (ElementTree.ParseError, KeyError, ValueError):
        raise QuestionError("this is no picture of infmcs.draw", hint="pass the text that draw.pair returned") from None
    figure = Figure(figsize=(width / 72, height / 72), dpi=72 * SHARPNESS)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    for order, element in enumerate(root):
        _lay(axes, element, order)
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph", category=UserWarning)  # a box stands for it
        figure.savefig(file, format="png", metadata={"Software": None})
    return file.getvalue()


def _lay(axes: Any, element: ElementTree.Element, order: int) -> None:
    from matplotlib import lines, patches, patheffects

    kind = element.tag.removeprefix(_SVG)
    at = {key: float(value) for key, value in element.attrib.items() if key in _NUMBERS}
    paint = _paint(element)
    if kind == "line":
        ends = ([at["x1"], at["x2"]], [at["y1"], at["y2"]])
        axes.add_line(
            lines.Line2D(
                *ends,
                color=paint["edgecolor"],
                linewidth=paint["linewidth"],
                linestyle=paint["linestyle"],
                zorder=order,
                dash_capstyle="butt",
            )
        )
    elif kind == "circle":
        axes.add_patch(patches.Circle((at["cx"], at["cy"]), at["r"], zorder=order, **paint))
    elif kind == "rect":
        axes.add_patch(patches.Rectangle((at["x"], at["y"]), at["width"], at["height"], zorder=order, **paint))
    elif kind == "polygon":
        points = [tuple(map(float, pair.split(","))) for pair in element.attrib["points"].split()]
        axes.add_patch(patches.Polygon(points, closed=True, zorder=order, **paint))
    elif kind == "text":
        words = (element.text or "") + "".join(child.tail or "" for child in element)
        halo = [patheffects.withStroke(linewidth=paint["linewidth"], foreground=paint["edgecolor"])]
        axes.text(
            at["x"],
            at["y"],
            words,
            fontsize=at["font-size"],
            color=element.attrib["fill"],
            ha=_ANCHORS[element.attrib["text-anchor"]],
            va="center",
            weight="bold" if "font-weight" in element.attrib else "normal",
            zorder=order,
            parse_math=False,
            path_effects=halo if "stroke" in element.attrib else None,
        )
    elif kind not in ("title", "desc", "style"):
        raise QuestionError(f"a picture of infmcs.draw has no element {kind!r}")


def _paint(element: ElementTree.Element) -> dict[str, Any]:
    dashes = element.attrib.get("stroke-dasharray")
    width = float(element.attrib.get("stroke-width", 0))
    # matplotlib counts dashes in line widths
    style = (0, tuple(float(length) / width for length in dashes.split())) if dashes and width else "solid"
    return {
        "facecolor": element.attrib.get("fill", "none"),
        "edgecolor": element.attrib.get("stroke", "none"),
        "linewidth": width,
        "linestyle": style,
    }


_NUMBERS = {"x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "width", "height", "font-size"}
