"""`infmcs index` and `infmcs search`, end to end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from infmcs.cli import app
from infmcs.errors import FormatError, QuestionError
from infmcs.web.serving import opened

LINES = [
    {"n": 3, "edges": [[0, 1], [1, 2]], "node_labels": ["C", "C", "O"]},
    {"n": 4, "edges": [[0, 1], [1, 2], [2, 3]], "node_labels": ["C", "C", "O", "N"]},
    {"n": 2, "edges": [[0, 1]], "node_labels": ["N", "N"]},
]


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    graphs = tmp_path / "graphs.jsonl"
    graphs.write_text("\n".join(json.dumps(line) for line in LINES))
    assert "3 graphs" in run("index", graphs, "-o", tmp_path / "my.index").stdout
    return tmp_path / "my.index"


def test_an_index_is_made_added_to_and_searched(folder: Path) -> None:
    made = json.loads(run("index", folder.parent / "graphs.jsonl", "-o", folder, "--add", "--json").stdout)
    assert made["graphs"] == 6
    found = json.loads(run("search", folder, "0", "--json").stdout)
    assert found["complete"]
    assert [hit["id"] for hit in found["hits"]][:2] == [0, 3]
    assert found["hits"][0]["similarity"] == 1
    assert found["hits"][2]["mapping"] == [[0, 0], [1, 1], [2, 2]]


def test_what_is_no_index_is_indexed_for_the_moment(folder: Path) -> None:
    graphs = folder.parent / "graphs.jsonl"
    several = folder.parent / "several"
    several.mkdir()
    (several / "graphs.jsonl").write_bytes(graphs.read_bytes())
    for given in (graphs, several):
        found = json.loads(run("search", given, "0", "--json").stdout)
        assert found["hits"] == json.loads(run("search", folder, "0", "--json").stdout)["hits"]
        assert json.loads(run("duplicates", given, "--json").stdout)["same"] == []
    found = json.loads(run("search", "molecules", "17", "--top", "2", "--json").stdout)
    assert [hit["id"] for hit in found["hits"]] == [17, 1323]


def test_a_table_says_what_is_proven(folder: Path) -> None:
    shown = run("search", folder, folder.parent / "graphs.jsonl", "--top", "2").stdout
    assert "proved" in shown
    assert "no other graph is more similar" in shown
    assert "ruled out by bounds" in shown


def test_a_search_can_be_narrowed(folder: Path) -> None:
    found = json.loads(run("search", folder, "0", "--where", "nodes=3..", "--threshold", "0.5", "--json").stdout)
    assert [hit["id"] for hit in found["hits"]] == [0, 1]
    found = json.loads(run("search", folder, "0", "--where", "nodes=2", "--metric", "ged", "--json").stdout)
    assert [hit["id"] for hit in found["hits"]] == [2]


def test_duplicates_are_named(folder: Path) -> None:
    run("index", folder.parent / "graphs.jsonl", "-o", folder, "--add")
    assert json.loads(run("duplicates", folder, "--json").stdout)["same"] == [[0, 3], [1, 4], [2, 5]]
    shown = run("duplicates", folder, "--threshold", "0.8").stdout
    assert "same: 1 4" in shown
    assert "3 of 6 graphs are copies" in shown
    assert "1 pairs of different graphs are at least 0.8 similar" in shown


def test_an_empty_word_is_not_the_current_folder(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(FormatError, match="names no graphs"):
        run("index", "", "-o", tmp_path / "other.index")
    assert not (tmp_path / "other.index").exists()
    with pytest.raises(FormatError, match="names no graphs"):
        run("search", folder, "")
    with pytest.raises(FormatError, match="names no index"):
        opened("")


@pytest.mark.parametrize("metric", ["mcs", "ged"])
def test_hits_are_drawn(folder: Path, metric: str) -> None:
    run("search", folder, "1", "--top", "2", "--metric", metric, "--draw", folder.parent / "pictures")
    names = sorted(file.name for file in (folder.parent / "pictures").iterdir())
    assert names == ["hit-001-1.svg", "hit-002-0.svg"]
    assert "<svg" in (folder.parent / "pictures" / names[0]).read_text()


def test_the_examples_of_the_help_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for command in ("index", "search", "duplicates"):
        example = next(line for line in run(command, "--help").stdout.splitlines() if "Example:" in line)
        done = run(*example.split("infmcs ", 1)[1].strip(" │\n").split())
        assert done.exit_code == 0, example


def test_clusters_are_shown_written_and_proven(folder: Path) -> None:
    told = json.loads(run("cluster", folder, "--threshold", "0.8", "--json").stdout)
    assert told["complete"]
    assert told["clusters"] == [{"centre": 0, "members": [0, 1]}, {"centre": 2, "members": [2]}]
    file = folder.parent / "clusters.csv"
    shown = run("cluster", folder, "--threshold", "0.8", "-o", file).stdout
    assert "3 graphs: 1 clusters of several, 1 alone" in shown
    assert "proven: all neighbours are known" in shown
    assert file.read_text() == "id,name,cluster,centre\n0,,0,0\n1,,0,0\n2,,1,2\n"
    assert "the 0 largest are shown" in run("cluster", folder, "--threshold", "0.8", "--show", "0").stdout


@pytest.mark.parametrize("threshold", ["0", "1.2", "nan"])
def test_a_threshold_that_clusters_nothing_or_all_is_refused(folder: Path, threshold: str) -> None:
    with pytest.raises(QuestionError, match="above 0 and at most 1"):
        run("cluster", folder, "--threshold", threshold)
