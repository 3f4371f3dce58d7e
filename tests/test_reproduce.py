"""Tables and figures from records alone: what stands in them, and what is said where a run is missing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from infmcs import reproduce
from infmcs.errors import ConfigError, DatasetError
from tests.kit.places import real_data

HERE = Path(__file__).parent.parent / "reproduction"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "records").mkdir()
    for seed, error in enumerate((0.001, 0.003)):
        row = {"name": "model", "mse": error, "rho": 0.9, "microseconds a pair": 2.0, "p@10": {"expected": 0.5}}
        record = {
            "set": "aids",
            "metric": "mcs",
            "protocol": "paper",
            "queries": 5,
            "database": 5,
            "pairs": 10,
            "mean": 0.4,
            "chance": {"p@10": 0.1},
            "parameters": 1234,
            "rows": [{**row, "name": "exact", "mse": 0.0}, row],
            "model": {"pairs": 2_000_000, "seconds": 90},
            "ranking": [{"query": 3, "graphs": [1, 2], "said": [0.5, 0.4], "true": [0.5, 0.3], "best": [0.5, 0.4]}],
            "positions": {"components": [[0.0, 1.0], [1.0, 0.0]], "explained": [0.6, 0.3], "distances": [0.0, 1.4]},
            "labels": [0] * 10 + [5] + [0] * 9,
        }
        (tmp_path / "records" / f"run-{seed}.json").write_text(json.dumps(record))
    (tmp_path / "table.toml").write_text(
        """title = "A table"
[[part]]
set = "AIDS"
trivial = "run-0"
[[part.rows]]
name = "ours"
records = ["run-0", "run-1", "run-2"]
paper = { mse = 0.3 }
[[part.rows]]
name = "later"
records = ["run-9"]
"""
    )
    return tmp_path


def test_seeds_are_averaged_and_missing_runs_are_said(folder: Path) -> None:
    (path,) = reproduce.rebuild("table", folder)
    text = path.read_text()
    assert "| ours, ours | **0.2** ± 0.14 | **0.900** ± 0 | **0.500** ± 0 | 2 seeds, 2 M pairs, 1.5 min" in text
    assert "| ours, as the paper prints it | 0.3 | – | – | |" in text
    assert "| later, ours | | | | no run yet." in text
    assert "| exact | 0 | 0.900 | 0.500 | 2 µs a pair |" in text


@pytest.mark.parametrize("kind", ["positions", "ranking", "labels"])
def test_figures_are_drawn_from_records_alone_and_alike_each_time(folder: Path, kind: str) -> None:
    (folder / "figure.toml").write_text(f'title = "A figure"\nkind = "{kind}"\nrecords = ["run-0", "run-7"]\n')
    page, drawing = reproduce.rebuild("figure", folder)
    assert "## run-7\n\nNo run yet." in page.read_text()
    first = drawing.read_text()
    assert first.startswith("<?xml")
    assert reproduce.rebuild("figure", folder)[1].read_text() == first


def test_inferred_subgraphs_are_drawn_the_papers_way_and_certified(folder: Path) -> None:
    real_data("LINUX")
    (folder / "figure.toml").write_text('title = "Inferred"\nkind = "inferred"\nmodels = ["linux-mcs"]\n')
    page, *pictures = reproduce.rebuild("figure", folder)
    ways = [f"figure-linux-mcs-{number}-{way}.svg" for number in range(3) for way in ("paper", "certified")]
    assert [path.name for path in pictures] == ways
    assert all(f"({path.name})" in page.read_text() and path.read_text().startswith("<svg") for path in pictures)
    assert page.read_text().count(" true. The paper's ") == 3


def test_without_the_graphs_nothing_is_drawn_and_the_page_says_so(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INFMCS_DATA", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    (folder / "figure.toml").write_text('title = "Inferred"\nkind = "inferred"\nmodels = ["linux-mcs"]\n')
    (page,) = reproduce.rebuild("figure", folder)
    assert "Not drawn: linux:" in page.read_text()


def test_what_is_not_there_is_an_error_with_a_way_out(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="there are table"):
        reproduce.rebuild("table-3", folder)
    with pytest.raises(DatasetError, match="--folder"):
        reproduce.names(tmp_path / "nowhere")
    (folder / "records" / "run-0.json").write_text("{")
    with pytest.raises(DatasetError, match="no whole record"):
        reproduce.rebuild("table", folder)
    (folder / "odd.toml").write_text('title = "x"\nmeasure = ["mse"]\n')
    with pytest.raises(ConfigError, match="did you mean measures"):
        reproduce.rebuild("odd", folder)


def test_the_tables_in_the_repository_are_those_of_its_records(tmp_path: Path) -> None:
    shutil.copytree(HERE, tmp_path / "reproduction", ignore=shutil.ignore_patterns("built"))
    for name in reproduce.names(tmp_path / "reproduction"):
        if name == "figure-inferred":
            real_data("AIDS")
        for path in reproduce.rebuild(name, tmp_path / "reproduction"):
            if path.suffix == ".md":
                assert path.read_text() == (HERE / "built" / path.name).read_text(), f"infmcs reproduce {name}"
