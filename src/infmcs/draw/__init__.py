"""Pictures of graphs as SVG text: one graph, two with what they share or the edits between
them, a query beside what was found for it. No torch.

    svg = draw.pair(a, b, solve.max_common_subgraph(a, b).mapping)
    draw.save("common.svg", svg)        # or common.png

Partners stand at the same place in both graphs. Molecules are drawn as chemists do where RDKit is there. The same call
gives the same bytes; large graphs are shown in part, and the picture says so.
"""

from __future__ import annotations

import os
from pathlib import Path

from infmcs import durable
from infmcs.draw.pictures import edit_path, graph, hits, pair
from infmcs.errors import QuestionError

__all__ = ["edit_path", "graph", "hits", "pair", "save"]


def save(path: str | os.PathLike[str], svg: str) -> None:
    """Write a picture, whole or not at all, as what its name ends in: .svg or .png."""
    ending = Path(path).suffix.lower()
    if ending not in (".svg", ".png"):
        what = f"not {ending}" if ending else "and this name ends in neither"
        raise QuestionError(f"{Path(path).name}: pictures are .svg or .png files, {what}")
    if not Path(path).parent.is_dir():
        raise QuestionError(f"{path}: there is no folder {Path(path).parent}", hint="make it first")
    if ending == ".svg":
        durable.write_text(path, svg)
        return
    from infmcs.draw.raster import png

    durable.write_bytes(path, png(svg))
