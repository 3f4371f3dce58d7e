"""A report is one file that needs no other: it shows what the search found, and nothing in it runs."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

from infmcs import Collection, Graph, datasets, report
from infmcs.errors import InfmcsError
from infmcs.index import Index
from infmcs.pairs import Metric
from infmcs.solve import Budget

INDEX = Index.build(datasets.load("molecules")[:60])


class Reader(HTMLParser):
    """What is in a file: its tags, what they point to, and its words."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.pointers: list[str] = []
        self.ids: set[str] = set()
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name in ("src", "href", "xlink:href", "data", "action"):
                self.pointers.append(value or "")
            if name == "id":
                self.ids.add(value or "")
            assert not name.startswith("on"), f"{tag} runs something on {name}"

    def handle_data(self, data: str) -> None:
        self.words += data


def read(path: Path) -> Reader:
    reader = Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    return reader


@pytest.mark.parametrize("metric", ["mcs", "ged"])
def test_a_report_shows_the_hits_and_needs_no_other_file(tmp_path: Path, metric: Metric) -> None:
    path = tmp_path / "report.html"
    found = report.write(INDEX, INDEX.graph(4), path, top=3, metric=metric, budget=Budget(seconds=20))
    seen = read(path)
    assert len(found.hits) == 3
    for hit in found:
        assert hit.name is not None
        assert hit.name in seen.words
        assert f"{hit.similarity:.4f}" in seen.words
    assert found.complete == ("proven: no other graph" in seen.words)
    assert "script" not in seen.tags
    assert seen.tags.count("svg") == 1 + 3 + 3  # the query, three bars, three pairs
    assert all(pointer.startswith("#") and pointer[1:] in seen.ids for pointer in seen.pointers)
    text = path.read_text()
    assert "url(" not in text.replace("url(#", "")
    assert "http" not in text.replace("http://www.w3.org/", "")


def test_names_are_text_whatever_they_hold(tmp_path: Path) -> None:
    name = "<script>alert(1)</script> & \"'"
    graph = Graph.from_edges(2, [(0, 1)], labels=[name, "C"], name=name)
    report.write(Index.build(Collection.from_graphs([graph])), graph, tmp_path / "r.html")
    seen = read(tmp_path / "r.html")
    assert "script" not in seen.tags
    assert name in seen.words


def test_a_report_of_nothing_says_so(tmp_path: Path) -> None:
    alone = Graph.from_edges(1, [], labels=["unheard of"])
    report.write(INDEX, alone, tmp_path / "r.html", threshold=0.9)
    assert "no graph is that similar" in read(tmp_path / "r.html").words


def test_an_empty_query_is_reported(tmp_path: Path) -> None:
    report.write(INDEX, Graph.from_edges(0, []), tmp_path / "r.html", top=2)
    assert read(tmp_path / "r.html").tags.count("section") == 2


def test_a_folder_that_is_not_there_is_told_before_any_search(tmp_path: Path) -> None:
    with pytest.raises(InfmcsError, match="no folder"):
        report.write(INDEX, INDEX.graph(0), tmp_path / "nowhere" / "r.html")
