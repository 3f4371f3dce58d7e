"""Pictures are well-formed, the same every time, bounded, and say in words what they show."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infmcs import Graph, Question, draw, solve
from infmcs.draw import canvas, layout
from infmcs.errors import CertificateError, QuestionError
from tests.kit import comparable_graphs, graphs

SVG = "{http://www.w3.org/2000/svg}"
few = settings(max_examples=20)


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)  # noqa: S314  (our own text)


def shapes(svg: str, kind: str) -> list[ElementTree.Element]:
    return list(parsed(svg).iter(SVG + kind))


def words(svg: str) -> list[str]:
    return ["".join(text.itertext()) for text in shapes(svg, "text")]


@few
@given(comparable_graphs(labels=None, edge_labels=None, directed=None, loops=True), st.booleans())
def test_any_two_graphs_and_what_they_share_make_a_well_formed_picture(
    pair: tuple[Graph, Graph], induced: bool
) -> None:
    a, b = pair
    mapping = solve.max_common_subgraph(a, b).mapping if not a.directed or not b.directed else ()
    svg = draw.pair(a, b, mapping, molecule=False)
    root = parsed(svg)
    assert root.attrib["role"] == "img"
    assert [child.tag for child in root][:2] == [SVG + "title", SVG + "desc"]
    assert svg == draw.pair(a, b, mapping, molecule=False)
    tips = [tip.text or "" for tip in root.iter(SVG + "title")]
    assert sum(tip.startswith("node ") for tip in tips) == a.size + b.size
    assert sum("partner of" in tip for tip in tips) == 2 * len(mapping)


def test_partners_stand_at_the_same_place_and_carry_the_colour_of_the_common_part() -> None:
    a = Graph.from_edges(5, [(0, 1), (1, 2), (2, 3), (3, 4)], labels=list("xyzxy"))
    b = Graph.from_edges(5, [(4, 3), (3, 2), (2, 1), (1, 4)], labels=list("uxyzx"))
    svg = draw.pair(a, b, [(0, 1), (1, 2), (2, 3)], molecule=False)
    common = [c for c in shapes(svg, "circle") if "f-common" in c.attrib["class"] and c.find(SVG + "title") is not None]
    left, right = common[:3], common[3:]
    apart = {round(float(r.attrib["cx"]) - float(x.attrib["cx"]), 1) for x, r in zip(left, right, strict=True)}
    assert len(apart) == 1
    assert [c.attrib["cy"] for c in left] == [c.attrib["cy"] for c in right]


def test_whatever_a_label_holds_is_shown_as_text() -> None:
    evil = '<script>alert("x")</script>&\x00\x1b'
    a = Graph.from_edges(2, [(0, 1)], labels=[evil, "]]>"], edge_labels=["</svg>"], name="<b>&'\"\ud800")
    svg = draw.pair(a, a, [(0, 0), (1, 1)], title=evil)
    assert "<script" not in svg
    assert "<b>" not in svg
    assert any("alert" in tip for tip in (t.text or "" for t in shapes(svg, "title")))
    svg.encode()


def test_two_pictures_on_one_page_have_different_names_for_the_reader() -> None:
    a, b = Graph.from_edges(2, [(0, 1)]), Graph.from_edges(3, [(0, 1)])
    ids = re.findall(r' id="([^"]+)"', draw.graph(a) + draw.graph(b))
    assert len(ids) == len(set(ids)) == 4


def test_an_edit_path_shows_what_is_kept_deleted_inserted_and_relabelled() -> None:
    a = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)], labels=list("xyzw"))
    b = Graph.from_edges(5, [(0, 1), (1, 2), (0, 3), (3, 4)], labels=list("xyvpq"))
    path = solve.edit_distance(a, b).path
    svg = draw.edit_path(a, b, path, molecule=False)
    kinds = {edit.kind.split()[0] for edit in path.edits}
    legend = [text for text in words(svg) if re.match(r"(kept|relabelled|deleted|inserted): ", text)]
    past = {"delete": "deleted", "insert": "inserted", "relabel": "relabelled"}
    assert {text.split(":")[0] for text in legend} == {"kept"} | {past[kind] for kind in kinds}
    assert f"cost {path.cost:g}" in (shapes(svg, "desc")[0].text or "")
    if "delete" in kinds:
        assert 'stroke-dasharray="' in svg


def test_a_large_graph_is_shown_in_part_and_says_so() -> None:
    size = 1000
    ring = Graph.from_edges(size, [(k, (k + 1) % size) for k in range(size)])
    svg = draw.pair(ring, ring, [(k, k) for k in range(2, size)], question=Question())
    assert sum("(200 nodes shown)" in text for text in words(svg)) == 2
    assert len(svg) < 300_000
    dense = Graph.from_edges(150, [(u, v) for u in range(150) for v in range(u)])
    assert any("(1,500 edges shown)" in text for text in words(draw.graph(dense)))


def test_directions_are_arrows_and_edge_labels_are_written() -> None:
    a = Graph.from_edges(3, [(0, 1), (1, 0), (1, 2)], edge_labels=["yes", "no", "back"], directed=True)
    svg = draw.graph(a)
    assert len(shapes(svg, "polygon")) == 3
    assert {"yes", "no", "back"} <= set(words(svg))
    assert len(shapes(draw.pair(a, a.undirected(False), [(0, 0)]), "polygon")) == 0


def test_molecules_are_drawn_as_chemists_do() -> None:
    pytest.importorskip("rdkit")
    aspirin, paracetamol = Graph.from_smiles("CC(=O)Oc1ccccc1C(=O)O"), Graph.from_smiles("CC(=O)Nc1ccc(O)cc1")
    mapping = solve.max_common_subgraph(aspirin, paracetamol).mapping
    svg = draw.pair(aspirin, paracetamol, mapping)
    assert "C" not in words(svg)
    assert words(svg).count("O") == 6
    assert words(svg).count("N") == 1
    assert "C" in words(draw.pair(aspirin, paracetamol, mapping, molecule=False))
    assert "a" in words(draw.graph(Graph.from_edges(2, [(0, 1)], labels=["a", "C"])))


def test_a_picture_is_refused_for_what_cannot_be_drawn(tmp_path: Path) -> None:
    a = Graph.from_edges(2, [(0, 1)], labels=["a", "b"])
    with pytest.raises(CertificateError, match="node 7"):
        draw.pair(a, a, [(7, 0)])
    with pytest.raises(CertificateError, match="labelled"):
        draw.pair(a, a, [(0, 1)], question=Question())
    with pytest.raises(QuestionError, match="molecule"):
        draw.graph(a, molecule=True)
    with pytest.raises(QuestionError, match=r"\.gif"):
        draw.save(tmp_path / "a.gif", draw.graph(a))
    with pytest.raises(QuestionError, match="no folder"):
        draw.save(tmp_path / "no" / "a.svg", draw.graph(a))
    with pytest.raises(QuestionError, match="no picture"):
        draw.save(tmp_path / "a.png", "<svg")
    assert not list(tmp_path.iterdir())


def test_a_picture_is_saved_as_svg_and_as_png(tmp_path: Path) -> None:
    a = Graph.from_edges(4, [(0, 1), (1, 2), (3, 3)], labels=["long label", "$x$", "日本", 1], edge_labels=[1, 2, 3])
    svg = draw.pair(a, a, [(0, 0), (1, 1)])
    for name in ("a.svg", "a.png", "b.PNG"):
        draw.save(tmp_path / name, svg)
    assert (tmp_path / "a.svg").read_text() == svg
    assert (tmp_path / "a.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.PNG").read_bytes()


@few
@given(graphs(max_nodes=12))
def test_every_node_has_a_place_of_its_own(graph: Graph) -> None:
    placed = layout.positions(graph)
    assert placed.shape == (graph.size, 2)
    assert np.isfinite(placed).all()
    apart = np.hypot(*(placed[:, None] - placed[None, :]).transpose(2, 0, 1))
    np.fill_diagonal(apart, 9)
    assert apart.min(initial=9) > 0.1
    held = {node: (float(node), -1.0) for node in range(0, graph.size, 2)}
    again = layout.positions(graph, held)
    assert all(tuple(again[node]) == place for node, place in held.items())


def test_a_path_is_laid_out_straight() -> None:
    placed = layout.positions(Graph.from_edges(6, [(k, k + 1) for k in range(5)]))
    np.testing.assert_allclose(np.diff(placed[:, 0]), np.diff(placed[:, 0])[0], atol=0.1)
    np.testing.assert_allclose(np.abs(np.diff(placed[:, 0])), 1, atol=0.1)
    np.testing.assert_allclose(placed[:, 1], 0, atol=0.1)


def test_words_stand_out_against_what_they_stand_on() -> None:
    def light(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    grounds = {"ink": ("paper", "plain"), "faint": ("paper",)}
    grounds |= {role: (role.removeprefix("on-"),) for role in canvas.COLOURS if role.startswith("on-")}
    grounds["ink"] += tuple(role for role in canvas.COLOURS if role.endswith("-tint"))
    for word, places in grounds.items():
        for place in places:
            for mode in (0, 1):
                low, high = sorted((light(canvas.COLOURS[word][mode]), light(canvas.COLOURS[place][mode])))
                assert (high + 0.05) / (low + 0.05) >= 4.5, (word, place, mode)


def test_hits_stand_beside_their_query_with_what_they_share() -> None:
    query = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)], labels=list("xyzw"))
    others = [Graph.from_edges(3, [(0, 1), (1, 2)], labels=list(names)) for names in ("xyz", "yzw", "qqq")]
    found = [(other, solve.max_common_subgraph(query, other).mapping, f"hit {k}") for k, other in enumerate(others)]
    svg = draw.hits(query, found, title="Nearest", question=Question())
    assert {"Nearest", "hit 0", "hit 1", "hit 2"} <= set(words(svg))
    tips = [tip.text or "" for tip in parsed(svg).iter(SVG + "title")]
    assert sum("partner of query node" in tip for tip in tips) == 6
    assert draw.hits(query, []).count("<circle") == 5  # four nodes and the legend
    with pytest.raises(CertificateError):
        draw.hits(query, [(others[0], ((0, 1),), "wrong")], question=Question())
