"""Small whole files of every format, and ways to spoil them."""

from __future__ import annotations

import bz2
import functools
import gzip
import io
import lzma
import tarfile
import warnings
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from infmcs import Collection, Graph, formats
from infmcs.formats import FORMATS

ACFG = '{"src": "a.o", "fname": "f", "n_num": 2, "succs": [[1], []], "features": [[1, 2.5], [3, 4]]}\n'
SMILES = "CCO ethanol\nc1ccccc1 benzene ring\n[Na+].[Cl-] salt\nC/C=C\\C(=O)N[C@@H](C)O\n"
MOL = """ethanol
  program

  3  2  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 C   0  0  0  0  0  0
    1.0000    0.0000    0.0000 C   0  0  0  0  0  0
    2.0000    0.0000    0.0000 O   0  0  0  0  0  0
  1  2  1  0
  2  3  1  0
M  END
> <ID>
17

$$$$
"""
WORDS = rb"""-1 0 1 2 7 4294967296 99999999999999999999 1e400 NaN -inf null true [] {} \ud800 $$$$ ../ {} &#0; <!--
" ' < > & ; , : = # % ~ ? </graph> <node>"""
TOKENS = (
    *WORDS.split(),
    *(
        b"\0",
        b"\xff",
        b"\xff\xfe",
        b"\xc3\x28",
        b"\xef\xbb\xbf",
        b"\n",
        b"\r",
        b"\t",
        b" ",
        b"[" * 200,
        b"\n" * 99,
        b" " * 99,
    ),
    *(b'<!DOCTYPE a [<!ENTITY b "c">]>', b"t # -1\n", b"M  END\n"),
)
KINDS = ("flip", "cut", "repeat", "insert", "replace", "swap", "end")
Step = tuple[str, float, float, int]  # kind, place, extent (both 0 to 1), token


@functools.cache
def whole_files() -> Mapping[str, bytes]:
    """A valid file for each format and each way to pack one; several graphs wherever the format holds several."""
    graphs = [
        Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)], [1, 2, 1, 3], [1, 2, 1], np.eye(4)[:, :2], name="a"),
        Graph.from_edges(2, [(0, 1)], [2, 2], [2], np.array([[0.5, -1e9], [0, 1]]), name="b"),
        Graph.from_edges(1, [], [3], [], np.ones((1, 2)), name="c"),
    ]
    many = Collection.from_graphs(graphs, {"class": [1, 0, 1], "target": [0.5, 1.5, -2.0]})
    made = {"acfg": ACFG.encode() * 3, "smiles": SMILES.encode(), "sdf": MOL.encode() * 2}
    with warnings.catch_warnings(), TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        for name, kind in FORMATS.items():
            if kind.files or kind.save:
                path = Path(folder, f"{name}{'.zip' if kind.several else '.file'}")
                formats.write(many, path, name)
                made[name] = path.read_bytes()
                if kind.several and name != "tu":
                    formats.write(many[:1], path.with_suffix(".file"), name)
                    made[f"{name} file"] = path.with_suffix(".file").read_bytes()
    lines = made["jsonl"]
    packed = {"gzip": gzip.compress(lines), "xz": lzma.compress(lines), "bzip2": bz2.compress(lines)}
    return made | packed | {"tar": _tar(lines), "tar.xz": lzma.compress(_tar(lines)), "zip": made["tu"]}


def format_of(name: str) -> str | None:
    """The format a whole file is read as; None where the file itself is asked."""
    return None if name.split()[0] not in FORMATS else name.split()[0]


def spoiled(name: str, steps: Iterable[Step]) -> bytes:
    """The whole file of that name after these steps. Of a zip the members are spoiled: it has checksums."""
    content = whole_files()[name]
    steps = list(steps)
    if content[:4] != b"PK\x03\x04" or name == "zip":
        return _spoiled(content, steps)
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive, zipfile.ZipFile(target, "w") as made:
        names = archive.namelist()
        for k, member in enumerate(names):
            mine = [step for place, step in enumerate(steps) if place % len(names) == k]
            made.writestr(member, _spoiled(archive.read(member), mine))
    return target.getvalue()


def _spoiled(content: bytes, steps: Iterable[Step]) -> bytes:
    for kind, place, extent, token in steps:
        at = int(place * len(content))
        to = min(len(content), at + 1 + int(extent**4 * len(content)))
        word = TOKENS[token % len(TOKENS)]
        if kind == "flip":
            content = (
                content[:at] + bytes([(content[at] if at < len(content) else 0) ^ 1 << token % 8]) + content[at + 1 :]
            )
        elif kind == "cut":
            content = content[:at] + content[to:]
        elif kind == "repeat":
            content = content[:to] + content[at:to] * (1 + token % 3) + content[to:]
        elif kind == "insert":
            content = content[:at] + word + content[at:]
        elif kind == "replace":
            content = content[:at] + word + content[to:]
        elif kind == "swap":
            lines = content.split(b"\n")
            here, there = at % len(lines), to % len(lines)
            lines[here], lines[there] = lines[there], lines[here]
            content = b"\n".join(lines)
        else:
            content = content[:at]
    return content[: 1 << 16]


def _tar(content: bytes) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for name in ("a.jsonl", "b.jsonl"):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return target.getvalue()
