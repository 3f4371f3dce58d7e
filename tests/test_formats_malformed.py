"""What was decided for each malformed input. docs/formats.md tells it in one table; each row is a case here."""

# ruff: noqa: E501  # a table of cases, one a line

from __future__ import annotations

import gzip
import io
import json
import re
import tarfile
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from infmcs import Collection, Graph, formats
from infmcs.errors import FormatError
from infmcs.formats import Limits

TABLE = Path(__file__).parent.parent / "docs" / "formats.md"
Check = Callable[[Collection], bool]


@dataclass(frozen=True)
class Case:
    """A file, or several, and what must come of them: an error with these words, or graphs that pass the check."""

    name: str
    content: bytes | str | dict[str, bytes | str]
    error: str | None = None
    check: Check | None = None
    warning: str | None = None
    options: dict[str, Any] = field(default_factory=dict)

    def path(self, folder: Path) -> Path:
        files = self.content if isinstance(self.content, dict) else {self.name: self.content}
        for name, content in files.items():
            path = folder / "given" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return folder / "given" / self.name


def only(graph: Graph) -> Check:
    return lambda read: len(read) == 1 and read[0] == graph


def zipped(**files: bytes | str) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("DOTS", ".."), content)
    return target.getvalue()


def tarred(*entries: tarfile.TarInfo, mode: str = "w") -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode=mode) as archive:  # type: ignore[call-overload]  # the mode is a plain string
        for entry in entries:
            archive.addfile(entry, io.BytesIO(LINE.encode()[: entry.size]))
    return target.getvalue()


def entry(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname = kind, link
    made.size = len(LINE) if kind == tarfile.REGTYPE else 0
    return made


def line(**entries: Any) -> str:
    return json.dumps({"n": 2, "edges": [[0, 1]]} | entries) + "\n"


def tu(**tables: str) -> dict[str, bytes | str]:
    given = {"A": "1, 2\n2, 1\n", "graph_indicator": "1\n1\n"} | tables
    return {f"set/T_{table}.txt": content for table, content in given.items() if content != "-"}


def gxl(inner: str, mode: str = "undirected", head: str = "") -> str:
    return f'<?xml version="1.0"?>{head}<gxl><graph id="g" edgemode="{mode}">{inner}</graph></gxl>'


def graphml(inner: str, keys: str = "", default: str = "undirected") -> str:
    return f'<graphml>{keys}<graph edgedefault="{default}">{inner}</graph></graphml>'


def laughs() -> str:
    lines = "".join(f'<!ENTITY l{k + 1} "{f"&l{k};" * 10}">' for k in range(9))
    return gxl('<node id="&l9;"/>', head=f'<!DOCTYPE gxl [<!ENTITY l0 "ha">{lines}]>')


LINE = line()
EDGE = Graph.from_edges(2, [(0, 1)])
LOOP = Graph.from_edges(2, [(0, 0), (0, 1)])
NODES = '<node id="a"/><node id="b"/>'
MOL = "\n\n\n  1  0  0  0  0  0  0  0  0  0999 V2000\n    0.0000    0.0000    0.0000 C   0  0  0  0  0\nM  END\n"
BOMB = gzip.compress(b" " * (20 << 20), 9)

CASES: dict[str, list[Case]] = {
    # -- files ---------------------------------------------------------------------------------------------------
    "missing": [Case("nothing", {}, "nothing: there is no such file or folder")],
    "empty-file": [
        Case(f"x{suffix}", "", "is empty")
        for suffix in (".jsonl", ".gspan", ".gxl", ".graphml", ".gexf", ".gml", ".g6", ".edgelist", ".lad", ".smi", ".sdf")
    ]
    + [Case("x.infmcs", "", "is empty"), Case("x", "", "is empty"), Case("x", " \n\n", "is empty")],
    "empty-folder": [Case("", {"sub/.hidden": "x"}, "none of its 1 files is in a known format")],
    "no-graphs": [
        Case("x", text, "is in no format that could be recognised")
        for text in ("once upon a time\n", "\n" * 99 + "x", "\n \n" * 99 + "t", "#\n" * 99, "<!a>" * 99, "comment\n" * 99)
    ],
    "pickle": [Case("x.pkl", b"\x80\x04\x95\x0b\x00\x00\x00", "is in no format that could be recognised")],
    "several-formats": [Case("", {"a.jsonl": LINE, "b.g6": "A_\n"}, "holds files of several formats: graph6, jsonl")],
    "not-utf8": [Case("x.jsonl", b'{"n": 1, "edges": [], "id": "\xe9"}', r"x\.jsonl, line 1: byte 0xe9 is not UTF-8")],
    "utf16": [
        Case("x.jsonl", LINE.encode("utf-16"), "is UTF-16 or UTF-32 text, expected UTF-8"),
        Case("x", "text".encode("utf-16"), "is UTF-16 text, expected UTF-8"),
    ],
    "byte-order-mark": [Case("x.jsonl", b"\xef\xbb\xbf" + LINE.encode(), check=only(EDGE))],
    "windows-lines": [
        Case("x.jsonl", LINE.replace("\n", "\r\n"), check=only(EDGE)),
        Case("x.g6", "A_\r\n", check=only(EDGE)),
        Case("x.gspan", "t # 0\r\nv 0 C\r\n", check=only(Graph.from_edges(1, [], ["C"]))),
    ],
    "zero-bytes": [Case("x.gspan", b"t # 0\n\0\0\0", "expected t, v or e"), Case("x.jsonl", b"\0" * 9, "holds zero bytes")],
    # -- compressed files and archives ---------------------------------------------------------------------------
    "cut-off": [
        Case("x.jsonl.gz", gzip.compress(LINE.encode() * 99)[:-9], "cannot be unpacked as gzip: it ends too early"),
        Case("x.zip", zipped(a=LINE)[:-30], "is not a whole zip archive"),
        Case("x.tar", tarred(entry("a.jsonl"))[:520], "ends|is not a whole tar archive"),
        Case("x.tar.xz", tarred(entry("a.jsonl"), mode="w:xz")[:-20], "cannot be unpacked as xz|not a whole tar"),
    ],
    "zip-bomb": [
        Case("x.jsonl.gz", BOMB, "unpacks to more than 250 times its size, as a zip bomb does"),
        Case("x.jsonl.gz", gzip.compress(b" " * 999), "unpacks to more than", options={"limits": Limits(expanded=500)}),
        Case("x.zip", zipped(a=LINE + " " * 999), "unpacks to more than", options={"limits": Limits(expanded=500)}),
    ],
    "many-members": [
        Case("", {"a.jsonl": LINE, "b.jsonl": LINE}, "holds more than 1 files", options={"limits": Limits(members=1)}),
        Case("x.zip", zipped(a=LINE, b=LINE), "holds more than 1 files", options={"limits": Limits(members=1)}),
    ],
    "climbing-path": [
        Case("x.zip", zipped(DOTS__a=LINE), r"member '\.\./a' has a path that leads out of the archive"),
        Case("x.zip", zipped(__a=LINE), "'/a' has a path that leads out of the archive"),
        Case("x.tar", tarred(entry("../a.jsonl")), "has a path that leads out of the archive"),
    ],
    "link": [
        Case("x.tar", tarred(entry("a", tarfile.SYMTYPE, "/etc/passwd")), "member 'a' is a link"),
        Case("x.tar", tarred(entry("a", tarfile.CHRTYPE)), "member 'a' is no plain file"),
    ],
    "same-name-twice": [Case("x.tar", tarred(entry("a.jsonl"), entry("a.jsonl")), "holds two members named 'a.jsonl'")],
    # -- edges ---------------------------------------------------------------------------------------------------
    "self-loop": [
        Case("x.jsonl", line(edges=[[0, 0], [0, 1]]), check=only(LOOP)),
        Case("x.gspan", "t # 0\nv 0\nv 1\ne 0 0\ne 0 1\n", check=only(LOOP)),
        Case("x.edgelist", "0 0\n0 1\n", check=only(LOOP)),
        Case("x.gxl", gxl(NODES + '<edge from="a" to="a"/><edge from="a" to="b"/>'), check=only(LOOP)),
        Case("x.lad", "2\n2 0 1\n1 0\n", check=only(LOOP)),
        Case("set", tu(A="1, 1\n1, 2\n2, 1\n"), check=only(LOOP)),
    ],
    "duplicate-edge": [
        Case("x.jsonl", line(edges=[[0, 1], [1, 0], [0, 1]]), check=only(EDGE)),
        Case("x.edgelist", "0 1\n1 0\n", check=only(EDGE)),
        Case("x.gxl", gxl(NODES + '<edge from="a" to="b"/><edge from="b" to="a"/>'), check=only(EDGE)),
        Case("set", tu(A="1, 2\n"), check=only(EDGE)),
    ],
    "two-labels-on-an-edge": [
        Case("x.jsonl", line(edges=[[0, 1], [1, 0]], edge_labels=["a", "b"]), "edge 0–1 is given twice, with labels 'a'"),
        Case("x.gspan", "t # 0\nv 0\nv 1\ne 0 1 a\ne 1 0 b\n", "is given twice, with labels 'a' and 'b'"),
    ],
    "edge-out-of-range": [
        Case("x.jsonl", line(edges=[[0, 5]]), r"x\.jsonl, line 1, graph 0: edge 0–5 names node 5, but the graph has 2 nodes"),
        Case("x.jsonl", line(edges=[[-1, 0]]), "edge -1–0 names node -1"),
        Case("x.jsonl", line(edges=[[0, 2**40]]), "an edge names a node by a number beyond 2147483647"),
        Case("x.gspan", "t # 0\nv 0\ne 0 1\n", "names node 1, but the graph has one node"),
        Case("x.gxl", gxl(NODES + '<edge from="a" to="z"/>'), "edge a–z names node 'z', which the graph does not have"),
        Case("x.gml", "graph [ node [ id 0 ] edge [ source 0 target 7 ] ]", "edge 0–7 names node '7'"),
        Case("set", tu(A="1, 9\n"), "edge 1–9 names node 9, but there are nodes 1–2"),
        Case("x.lad", "1\n1 4\n", "edge 0–4 names node 4"),
    ],
    "numbers-from-1": [
        Case("x.jsonl", line(edges=[[1, 2]]), "pass first_node=1 if the file counts from 1"),
        Case("x.jsonl", line(edges=[[1, 2]]), check=only(EDGE), options={"first_node": 1}),
        Case("x.jsonl", line(edges=[[0, 1]]), "the file seems to count from 0", options={"first_node": 1}),
        Case("x.gspan", "t # 0\nv 1 C\n", "pass first_node=1 if the file counts from 1"),
        Case("x.edgelist", "1 2\n", check=only(EDGE), options={"first_node": 1}),
        Case("x.edgelist", "0 1\n", "node 0, but nodes count from 1", options={"first_node": 1}),
        Case("x.lad", "2\n1 2\n1 1\n", check=only(EDGE), options={"first_node": 1}),
    ],
    "node-numbers-with-gaps": [Case("x.edgelist", "0 3\n", check=only(Graph.from_edges(4, [(0, 3)])))],
    "nodes-by-name": [
        Case("x.edgelist", "Rome Oslo\n", check=only(EDGE)),
        Case("x.gml", 'graph [ node [ id 70 ] node [ id 7 ] edge [ source 7 target 70 ] ]', check=only(EDGE)),
    ],
    "odd-node-number": [
        Case("x.jsonl", line(edges=[[0, 1.0]]), "an edge names a node by 1.0, expected a whole number"),
        Case("x.jsonl", line(edges=[[0, True]]), "an edge names a node by True, expected a whole number"),
        Case("x.jsonl", line(edges=[[0]]), "'edges' must be a list of pairs"),
        Case("x.gspan", "t # 0\nv 0\ne 0 x\n", "an edge names nodes by whole numbers"),
    ],
    "node-twice": [Case("x.gxl", gxl('<node id="a"/><node id="a"/>'), "node 'a' is there twice")],
    "edges-before-nodes": [Case("x.graphml", graphml('<edge source="a" target="b"/>' + NODES), check=only(EDGE))],
    "mixed-directions": [
        Case("x.jsonl", line() + line(directed=True), "graph 1: the graph is directed, those before are not"),
        Case("x.jsonl", line() + line(directed=True), check=lambda c: len(c) == 2, options={"directed": False}),
        Case(
            "x.graphml",
            graphml(NODES + '<edge source="a" target="b" directed="true"/>'),
            "directed and undirected edges in one graph are not read",
        ),
    ],
    # -- numbers, labels, counts ---------------------------------------------------------------------------------
    "nan": [
        Case("x.jsonl", '{"n": 1, "edges": [], "features": [[NaN]]}', "NaN is not a number a graph can hold"),
        Case("x.gexf", '<gexf><graph><attributes class="node"><attribute id="0" title="w" type="float"/></attributes>'
             '<nodes><node id="0"><attvalues><attvalue for="0" value="NaN"/></attvalues></node></nodes></graph></gexf>',
             "a feature of node 0 is not a finite number"),
        Case("x.gml", "graph [ node [ id 0 label NAN ] ]", "a label is NaN, which equals nothing"),
        Case("set", tu(node_attributes="nan\n1\n"), "'nan': expected 1 number"),
    ],
    "infinite": [
        Case("x.jsonl", '{"n": 1, "edges": [], "features": [[1e400]]}', "not a finite number within float32"),
        Case("x.jsonl", '{"n": 1, "edges": [], "features": [[1e39]]}', "within float32"),
        Case("set", tu(node_attributes="1e39\n1\n"), "not a finite number within float32"),
    ],
    "empty-graph": [
        Case("x.jsonl", line(n=0, edges=[]), check=only(Graph.from_edges(0, []))),
        Case("x.g6", "?\n", check=only(Graph.from_edges(0, []))),
        Case("x.gxl", gxl(""), check=only(Graph.from_edges(0, []))),
        Case("x.lad", "0\n", check=only(Graph.from_edges(0, []))),
        Case("x.gspan", "t # 0\n", check=only(Graph.from_edges(0, []))),
    ],
    "wrong-count": [
        Case("x.jsonl", line(node_labels=["a"]), "1 node labels for 2 nodes"),
        Case("x.jsonl", line(edge_labels=["a", "b"]), "2 edge labels for 1 edges"),
        Case("x.jsonl", line(n=-1, edges=[]), "the number of nodes must be a count, not -1"),
        Case("x.jsonl", line(features=[[1], [1, 2]]), "node features must be 2 rows of one length"),
        Case("x.lad", "3\n0\n", "1 lines of neighbours for 3 nodes"),
        Case("x.lad", "2\n1 1\n5 0\n", "expected 'count neighbour ...'"),
        Case("set", tu(node_labels="1\n"), "1 lines for 2 nodes"),
    ],
    "huge-claim": [
        Case("x.jsonl", line(n=10**9, edges=[]), "the graphs have more than 67,108,864 nodes"),
        Case("x.edgelist", "0 999999999\n", "the graphs have more than 67,108,864 nodes"),
        Case("x.s6", ":~~~~~~~~\n", "the graphs have more than|an edge"),
        Case("x.g6", "~~~~~~~~\n", "characters of edges for"),
    ],
    "huge-number": [
        Case("x.jsonl", '{"n": ' + "9" * 5000 + ', "edges": []}', "Exceeds the limit"),
        Case("x.gspan", "t # 0\nv 0\ne 0 " + "9" * 50, "an edge names nodes by whole numbers"),
        Case("x.gml", "graph [ node [ id 0 label " + "9" * 5000 + " ] ]", "a number of 5000 digits"),
    ],
    "deep-nesting": [
        Case("x.jsonl", '{"edges": ' + "[" * 99999, "nested too deeply"),
        Case("x.gxl", gxl("<node id='a'>" + "<attr name='x'><tup>" + "<tup>" * 99), "nested more than 64 deep"),
        Case("x.gml", "graph " + "[ a " * 999, "nested more than 64 deep"),
    ],
    "half-a-character": [
        Case("x.jsonl", '{"n": 1, "edges": [], "id": "\\ud800"}', "holds half a character"),
        Case("x.jsonl", '{"n": 1, "edges": [], "node_labels": ["\\ud800"]}', "holds half a character"),
    ],
    "odd-label": [
        Case("x.jsonl", line(node_labels=[{}, 1]), "cannot be a label"),
        Case("x.jsonl", line(node_labels=[["a", 1], 6.0]), check=lambda c: c[0].label_names == (("a", 1), 6)),
        Case("x.jsonl", line(node_labels=[None, "a"]), check=lambda c: c[0].label_names == (None, "a")),
    ],
    "uneven-columns": [
        Case("x.jsonl", line(fold=1) + line(), "the graph lacks 'fold', which those before have"),
        Case("x.jsonl", line(fold=[1]), "'fold' is neither a number nor a string"),
        Case("x.jsonl", line() + line(features=[[1], [2]]), "the graph has node features, those before have none"),
    ],
    # -- JSON lines, gspan, graph6 -------------------------------------------------------------------------------
    "not-json": [
        Case("x.jsonl", LINE + '{"n": 2, edges}', r"x\.jsonl, line 2: not JSON"),
        Case("x.jsonl", "[1, 2]\n", "expected an object, not list"),
        Case("x.jsonl", '{"n": 2}', "the graph has no 'edges'"),
    ],
    "gspan-order": [
        Case("x.gspan", "t # 0\nv 1 C\nv 0 C\n", "'v 1 C': expected 'v 0 label'"),
        Case("x.gspan", "# only\nv 0 C\nt # 0\n", "'v' before the first 't' line", options={"format": "gspan"}),
        Case("x.gspan", "t # 0\nw 1\n", "a line starts with 'w', expected t, v or e"),
    ],
    "graph6-characters": [
        Case("x.g6", "A_\nA \n", r"x\.g6, line 2: 0 characters of edges for 2 nodes, expected 1"),
        Case("x.g6", "A\x7f\n", "byte 0x7f is not between"),
        Case("x.s6", ";A_\n", "incremental sparse6 is not read"),
    ],
    "edge-list-words": [
        Case("x.edgelist", "0 1 a b\n", "'0 1 a b' is no edge"),
        Case("x.edgelist", "0 1 {'w': 3}\n", "is no edge"),
        Case("x.edgelist", "# a comment\n0, 1 # more\n\n", check=only(EDGE)),
    ],
    # -- TU ------------------------------------------------------------------------------------------------------
    "tu-between-graphs": [Case("set", tu(graph_indicator="1\n2\n"), "edge 1–2 joins graphs 1 and 2")],
    "tu-ragged": [Case("set", tu(A="1, 2\n2\n"), "T_A.txt, line 2: '2': expected 2 whole numbers")],
    "tu-missing-table": [Case("set", tu(graph_indicator="-"), "none of its 1 files is in a known format")],
    "tu-edge-attributes": [Case("set", tu(edge_attributes="1\n1\n"), check=only(EDGE), warning="are not kept")],
    # -- XML -----------------------------------------------------------------------------------------------------
    "billion-laughs": [Case("x.gxl", laughs(), "uses the XML entity 'l0'")],
    "external-entity": [
        Case(
            "x.graphml",
            '<!DOCTYPE g [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + graphml('<node id="&x;"/>'),
            "uses the XML entity 'x'",
        ),
        Case("x.gxl", gxl(NODES, head='<!DOCTYPE gxl SYSTEM "http://example.org/gxl.dtd">'),
             check=only(Graph.from_edges(2, []))),
    ],
    "xml-encodings": [
        Case("x", gxl('<node id="ä"/>').replace('"1.0"', '"1.0" encoding="utf-16"').encode("utf-16"),
             check=only(Graph.from_edges(1, []))),
        Case("x.gxl", gxl('<node id="a"><attr name="l"><string>é</string></attr></node>')
             .replace('"1.0"', '"1.0" encoding="latin1"').encode("latin1"), check=lambda c: c[0].label_names == ("é",)),
        Case("x.gxl", gxl(NODES).replace('"1.0"', '"1.0" encoding="nonsense"'), "unknown encoding|no XML that can be read"),
    ],
    "broken-xml": [
        Case("x.gxl", gxl(NODES)[:-9], r"x\.gxl, line 1: is no whole XML: unclosed token"),
        Case("x.gxl", "<graphml/>", "begins with <graphml>, expected <gxl>"),
        Case("x.gxl", gxl("<node/>"), "<node> has no 'id'"),
        Case("x.gxl", "<gxl></gxl>", "holds no <graph>"),
    ],
    "xml-structure": [
        Case("x.graphml", graphml(NODES + "<hyperedge/>"), "an edge of several nodes"),
        Case("x.gxl", gxl("<rel/>"), "an edge of several nodes"),
        Case("x.graphml", graphml('<node id="a"><graph edgedefault="directed"/></node>'), "a graph inside a graph"),
        Case("x.gexf", '<gexf><graph mode="dynamic"/></gexf>', "changes with time"),
    ],
    "xml-values": [
        Case("x.gxl", gxl('<node id="a"><attr name="x"><int>1.5</int></attr></node>'), "'1.5' is not a whole number"),
        Case("x.graphml", graphml('<node id="a"><data key="k">1</data></node>'), "key 'k', which is not declared"),
    ],
    "attributes-chosen": [
        Case("x.gxl", gxl('<node id="a"><attr name="s"><string>C  </string></attr><attr name="q"><int>1</int></attr>'
             '<attr name="x"><float>0.5</float></attr></node>'),
             check=only(Graph.from_edges(1, [], ["C"], features=[[1, 0.5]]))),
        Case("x.gxl", gxl('<node id="a"><attr name="s"><string>C</string></attr></node>'), "no node has 'kind'",
             options={"label": "kind"}),
        Case("x.gxl", gxl('<node id="a"><attr name="s"><string>C</string></attr><attr name="t"><string>D</string></attr></node>'),
             check=lambda c: c[0].label_names == ("C",), warning="attributes left out: node 't'"),
    ],
    "list-of-graphs": [
        Case("", {"a.gxl": gxl(""), "train.cxl": '<GraphCollection><f><print file="a.gxl" class="1"/></f></GraphCollection>'},
             check=lambda c: list(c.columns["class"]) == [1]),
        Case("l.cxl", {"a.gxl": gxl(""), "l.cxl": '<GraphCollection><print file="a.gxl"/></GraphCollection>'},
             check=lambda c: len(c) == 1),
        Case("l.cxl", {"l.cxl": '<GraphCollection><print file="../a.gxl"/></GraphCollection>'}, "leads out of its folder"),
        Case("l.cxl", {"l.cxl": '<GraphCollection><print file="/etc/x.gxl"/></GraphCollection>'}, "leads out of its folder"),
        Case("l.cxl", {"l.cxl": '<GraphCollection><print file="b.gxl"/></GraphCollection>'}, "'b.gxl', which is not there"),
        Case("", {"a.gxl": gxl(""), "b.gxl": gxl(""), "l.cxl": '<GraphCollection><print file="a.gxl"/></GraphCollection>'},
             check=lambda c: len(c) == 1, warning="1 files that no list names are left out"),
        Case("", {"a.gxl": gxl(""), "1.cxl": '<GraphCollection><print file="a.gxl"/></GraphCollection>',
                  "2.cxl": '<GraphCollection><print file="a.gxl"/></GraphCollection>'}, "which 1.cxl names too"),
    ],
    # -- molecules -----------------------------------------------------------------------------------------------
    "bad-smiles": [
        Case("x.smi", "CCO ethanol\nC1CC\n", r"x\.smi, line 2: 'C1CC' is not a SMILES"),
        Case("x.smi", "smiles name\nC methane gas\n", check=lambda c: list(c.names or ()) == ["methane gas"]),
    ],
    "bad-sdf": [
        Case("x.sdf", MOL + "> <ID>\n7\n\n$$$$\n" + MOL + "> <ID>\n8\n\n$$$$\n", check=lambda c: list(c.columns["ID"]) == [7, 8]),
        Case("x.sdf", MOL.replace(" 1  0", " 9  0", 1) + "$$$$\n", r"x\.sdf, line 1: is no molecule that RDKit can read"),
    ],
    # -- our own store -------------------------------------------------------------------------------------------
    "damaged-store": [
        Case("x.infmcs", b"\x89infmcs\n", "is damaged: it is cut off"),
        Case("x.infmcs", b"nothing of ours", "is no file of infmcs"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("row", CASES)
def test_malformed_input_gets_what_was_decided(row: str, tmp_path: Path) -> None:
    for place, case in enumerate(CASES[row]):
        path = case.path(tmp_path / str(place))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if case.error is None:
                read = formats.read(path, **case.options)
                assert case.check is not None
                assert case.check(read), f"{case.name}: {list(read)}"
            else:
                with pytest.raises(FormatError, match=case.error) as raised:
                    formats.read(path, **case.options)
                assert str(raised.value).startswith(str(path))
        assert [bool(re.search(case.warning or "", str(each.message))) for each in caught] == [True] * bool(
            case.warning
        )


def test_the_table_has_a_row_for_every_case_and_a_case_for_every_row() -> None:
    named, decided = TABLE.read_text().split("## What was decided")
    assert re.findall(r"^\| `([a-z0-9-]+)` \|", decided, re.MULTILINE) == list(CASES)
    rows = dict(re.findall(r"^\| `([a-z0-9-]+)` \|[^|]*\| (yes|no) \|", named, re.MULTILINE))
    assert rows == {name: "yes" if kind.files or kind.save else "no" for name, kind in formats.FORMATS.items()}
