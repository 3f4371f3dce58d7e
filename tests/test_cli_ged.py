"""`infmcs ged`: the distance or its interval, the edits in words, a picture; refusals that say the way out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from infmcs import Collection, Graph, certify, formats, solve
from infmcs.cli import app
from infmcs.explain import edits_in_words
from infmcs.solve import Interrupted


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["ged", *words])


@pytest.fixture
def pair(tmp_path: Path) -> tuple[str, str]:
    a = Graph.from_edges(3, [(0, 1), (1, 2)], labels=[*"CCO"], edge_labels=["single", "double"])
    b = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)], labels=[*"CCNC"], edge_labels=["single"] * 3)
    file = tmp_path / "two.jsonl"
    formats.write(Collection.from_graphs([a, b]), file)
    return f"{file}#0", f"{file}#1"


def test_the_distance_is_told_with_every_edit_in_words(pair: tuple[str, str]) -> None:
    told = run(*pair)
    assert told.exit_code == 0
    assert "edit distance: 3, proved" in told.stdout
    for words in ("relabel node 2 (O) to 2′ (N)", "insert node 3′ (C)", "insert edge 2′–3′ (single)"):
        assert words in told.stdout


def test_the_json_holds_what_the_library_says(pair: tuple[str, str]) -> None:
    told = json.loads(run(*pair, "--edge-labels", "--price", "relabel-edge=0.5", "--json").stdout)
    assert (told["distance"], told["lower"], told["upper"], told["proved"]) == (3.5, 3.5, 3.5, True)
    assert sum(edit["cost"] for edit in told["edits"]) == 3.5
    assert told["mapping"] == [[0, 0], [1, 1], [2, 2]]


@pytest.mark.parametrize("method", ["astar", "beam", "hungarian", "vj", "branch", "descent"])
def test_every_method_shows_a_path(pair: tuple[str, str], method: str) -> None:
    told = json.loads(run(*pair, "--method", method, "--json").stdout)
    assert told["method"] == method
    assert told["lower"] <= 3 <= told["upper"] == sum(edit["cost"] for edit in told["edits"])


def test_hed_says_that_it_is_a_lower_bound(pair: tuple[str, str]) -> None:
    assert "lower bound" in run(*pair, "--method", "hed").stdout
    told = json.loads(run(*pair, "--method", "hed", "--json").stdout)
    assert set(told) == {"method", "lower", "seconds"}
    assert told["lower"] <= 3


def test_a_question_about_a_threshold_is_answered(pair: tuple[str, str]) -> None:
    assert "at most 2: no" in run(*pair, "--below", "2").stdout
    assert "at most 3: yes" in run(*pair, "--below", "3").stdout


def test_the_edits_are_drawn(pair: tuple[str, str], tmp_path: Path) -> None:
    told = run(*pair, "--draw", str(tmp_path / "edits.svg"))
    assert told.exit_code == 0
    assert (tmp_path / "edits.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--price", "magic=1"], "edits are"),
        (["--price", "insert-node"], "no price"),
        (["--method", "vj", "--below", "1"], "--below belongs to"),
        (["--method", "vj", "--visits", "9"], "takes no budget"),
        (["--method", "hed", "--draw", "x.svg"], "no edit path"),
        (["--method", "magic"], "magic"),
    ],
)
def test_wrong_usage_is_refused(pair: tuple[str, str], words: list[str], message: str) -> None:
    told = run(*pair, *words)
    assert told.exit_code == 2
    assert message in " ".join(told.output.replace("│", " ").split())


def test_ctrl_c_shows_what_is_known_by_then(pair: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(left: Graph, right: Graph, *_: object) -> None:
        raise Interrupted(solve.descent(left, right))

    monkeypatch.setattr(solve, "edit_distance", stopped)
    told = run(*pair)
    assert told.exit_code == 130
    assert "edit distance" in told.stdout


def test_the_example_of_the_help_works() -> None:
    shown = run("--help").stdout
    example = " ".join(shown.split("Example: infmcs ged ")[1].split())
    assert run(*example.split()).exit_code == 0


def test_directed_edges_are_told_with_arrows() -> None:
    a = Graph.from_edges(2, [(0, 1)], directed=True)
    b = Graph.from_edges(2, [(1, 0), (0, 1)], directed=True)
    costs = certify.EditCosts(directed=True)
    assert edits_in_words(a, b, solve.edit_distance(a, b, costs).path) in (["insert edge 1′→0′"], ["insert edge 0′→1′"])
