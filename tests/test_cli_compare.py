"""`infmcs compare` and `infmcs demo`: what they print, and what they say about what cannot be done."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from infmcs import Graph, Index, cli
from infmcs.errors import FormatError, InfmcsError, QuestionError

TWO = '{"id": "path", "n": 3, "edges": [[0, 1], [1, 2]]}\n{"id": "ring", "n": 3, "edges": [[0, 1], [1, 2], [0, 2]]}\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "two.jsonl"
    path.write_text(TWO)
    return path


def run(*words: object) -> Any:
    """The result of a command; our own errors as `main` would meet them."""
    result = CliRunner().invoke(cli.app, [str(word) for word in words])
    if isinstance(result.exception, InfmcsError):
        raise result.exception
    return result


@pytest.mark.parametrize("metric", ["mcs", "ged"])
def test_two_graphs_of_a_file_are_compared_by_number_and_by_name(file: Path, metric: str) -> None:
    for left, right in (("0", "1"), ("path", "ring"), ("path", "1")):
        result = run("compare", f"{file}#{left}", f"{file}#{right}", "--metric", metric, "--json")
        assert result.exit_code == 0
        told = json.loads(result.stdout)
        assert told["proved"]
        assert told["value"] == ([2, 2] if metric == "mcs" else [1, 1])
        assert told["left"] == {"name": "path", "nodes": 3, "edges": 2}


def test_the_table_says_what_is_proved_and_by_whom(file: Path) -> None:
    shown = run("compare", f"{file}#path", f"{file}#ring", "--explain").stdout
    assert "path (3 nodes) and ring (3 nodes)" in shown
    assert "0.6667" in shown
    assert "proved" in shown
    assert "exact" in shown
    assert "is unmatched: " in shown


def test_a_budget_leaves_an_interval(tmp_path: Path) -> None:
    dense = {"n": 40, "edges": [[u, v] for v in range(40) for u in range(v) if (u * v + u + v) % 3]}
    other = {"n": 40, "edges": [[u, v] for v in range(40) for u in range(v) if (u * u + v) % 3]}
    (tmp_path / "a.jsonl").write_text(json.dumps(dense) + "\n" + json.dumps(other) + "\n")
    words = ("compare", f"{tmp_path}/a.jsonl#0", f"{tmp_path}/a.jsonl#1", "--visits", "50")
    told = json.loads(run(*words, "--json").stdout)
    assert not told["proved"]
    assert told["lower"] <= told["similarity"] <= told["upper"]
    assert told["source"] == "search"
    assert json.loads(run(*words, "--json").stdout) | {"seconds": 0} == told | {"seconds": 0}
    assert f"{told['lower']:.4f}–{told['upper']:.4f}" in run(*words).stdout


def test_options_change_the_question(file: Path) -> None:
    def value(*words: str) -> Any:
        return json.loads(run("compare", *words, "--json").stdout)["value"][0]

    assert value("CO", "CN") == 1
    assert value("CO", "CN", "--no-labels") == 2
    assert value("C#N", "C=N") == 2
    assert value("C#N", "C=N", "--edge-labels") == 1
    assert value("CC.O", "CC.O", "--smiles") == 2
    assert value("CC.O", "CC.O", "--smiles", "--no-connected") == 3
    assert value("CO", "CN", "--smiles", "--metric", "ged") == 1


def test_a_picture_is_drawn(file: Path, tmp_path: Path) -> None:
    for metric in ("mcs", "ged"):
        assert "drawn: " in run("compare", "CCO", "CCN", "--metric", metric, "--draw", tmp_path / "a.svg").stdout
        assert (tmp_path / "a.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("{file}", "{file}#0"), "holds 2 graphs"),
        (("{file}#2", "{file}#0"), "holds graphs 0 to 1, so no 2"),
        (("{file}#disc", "{file}#0"), "no graph named 'disc'"),
        (("CCO", "CCN", "--draw", "a.gif"), "not .gif"),
        (("CCO", "CCN", "--draw", "picture"), "ends in neither"),
        (("", "CCN"), "names no graph"),
        (("CCO", "CCN", "--seconds", "0"), "allows no search"),
        (("{file}#0", "{file}#1", "--directed"), "undirected"),
    ],
)
def test_what_cannot_be_compared_is_refused(words: tuple[str, ...], message: str, file: Path) -> None:
    with pytest.raises(QuestionError, match=message):
        run("compare", *(word.format(file=file) for word in words))


def test_a_file_that_is_not_there_is_named(file: Path) -> None:
    with pytest.raises(FormatError, match=r"nothing\.jsonl: is not there"):
        run("compare", "nothing.jsonl", f"{file}#0")
    with pytest.raises(FormatError, match="no such model"):
        run("compare", f"{file}#0", f"{file}#1", "--model", "nothing.safetensors")


def test_wrong_usage_exits_with_2(file: Path) -> None:
    assert run("compare", f"{file}#0").exit_code == 2
    assert run("compare", f"{file}#0", f"{file}#1", "--metric", "hed").exit_code == 2
    assert run("compare", f"{file}#0", f"{file}#1", "--metric", "ged", "--no-connected").exit_code == 2


def test_ctrl_c_shows_what_is_known_and_stops(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    for name in ("a", "b"):
        edges = [[u, v] for v in range(80) for u in range(v) if rng.random() < 0.3]
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"n": 80, "edges": edges}) + "\n")
    here = threading.main_thread().ident

    def press_when_searching() -> None:
        while True:
            frame = sys._current_frames().get(here or 0)
            while frame is not None:
                if frame.f_code.co_name == "max_common_subgraph":
                    os.kill(os.getpid(), signal.SIGINT)
                    return
                frame = frame.f_back
            time.sleep(0.01)

    thread = threading.Thread(target=press_when_searching, daemon=True)
    thread.start()
    result = run("compare", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "--seconds", "60")
    thread.join()
    assert result.exit_code in (1, 130)  # typer's own, or that of our main
    assert "search" in result.stdout
    assert "–" in result.stdout


@pytest.mark.parametrize("command", ["compare", pytest.param("demo", marks=pytest.mark.slow)])
def test_the_example_of_the_help_works(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = run(command, "--help").stdout
    example = " ".join(shown.split("Example: infmcs ")[1].split())
    assert run(*example.split()).exit_code == 0


def test_the_demo_proves_its_hits_draws_them_and_keeps_its_index(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    shown = run("demo", "--folder", folder).stdout
    assert "NSC5039" in shown  # theobromine, caffeine without one methyl group
    assert "read by the model molecules-mcs" in shown
    assert "bounds alone ruled out" in shown
    assert "Proven: no other molecule" in shown
    assert "With your own graphs" in shown
    assert (folder / "hits.svg").read_text().count("in common with the query") == 1
    again = shown.split("Search again: infmcs ")[1].splitlines()[0]
    assert "NSC5039" in run(*again.split()).stdout
    assert "opened in" in run("demo", "--folder", folder, "--query", "NSC180", "--top", "1").stdout
    for file in (folder / "molecules.index").iterdir():
        file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(QuestionError, match=r"cannot be used: .*is damaged"):
        run("demo", "--folder", folder)
    Index.build([Graph.from_edges(1, [])]).save(tmp_path / "molecules.index")
    with pytest.raises(QuestionError, match="not an index of the demo"):
        run("demo", "--folder", tmp_path)
    with pytest.raises(QuestionError, match="none named 'NSC0'"):
        run("demo", "--query", "NSC0")
