"""`infmcs mcs`: the size or its interval, partners, a picture; questions and budgets as options."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from infmcs import Collection, Graph, Question, certify, formats, solve
from infmcs.cli import app


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["mcs", *words])


@pytest.fixture
def pair(tmp_path: Path) -> tuple[str, str]:
    a = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)], labels=[*"CCON"], edge_labels=["single", "double", "single"])
    b = Graph.from_edges(4, [(0, 1), (1, 2), (0, 3)], labels=[*"CCOC"], edge_labels=["single"] * 3)
    file = tmp_path / "two.jsonl"
    formats.write(Collection.from_graphs([a, b]), file)
    return f"{file}#0", f"{file}#1"


def test_the_size_is_told_with_every_two_partners(pair: tuple[str, str]) -> None:
    told = run(*pair)
    assert told.exit_code == 0
    assert "3 nodes, proved" in told.stdout
    assert "0.75" in told.stdout


@pytest.mark.parametrize(
    ("options", "question"),
    [
        ((), Question()),
        (("--no-connected", "--no-labels"), Question(connected=False, node_labels=False)),
        (("--edge-labels",), Question(edge_labels=True)),
        (("--no-induced",), Question(induced=False)),
        (("--edges", "--edge-labels"), Question(induced=False, count="edges", edge_labels=True)),
    ],
)
def test_the_json_answers_the_question_that_the_options_ask(
    pair: tuple[str, str], options: tuple[str, ...], question: Question
) -> None:
    told = json.loads(run(*pair, *options, "--json").stdout)
    a, b = (formats.read(name.split("#")[0])[k] for k, name in enumerate(pair))
    assert (told["lower"], told["upper"], told["proved"]) == (solve.max_common_subgraph(a, b, question).lower,) * 2 + (
        True,
    )
    shown = certify.common_subgraph(a, b, [(v, w) for v, w in told["mapping"]], question)
    assert shown.size == told["lower"]
    assert [list(edge) for edge in shown.edges] == told["edges"]


def test_a_spent_budget_is_an_interval_and_above_may_be_refuted(tmp_path: Path) -> None:
    import numpy as np

    rng = np.random.default_rng(1)
    two = [Graph.from_edges(30, np.argwhere(np.triu(rng.random((30, 30)) < 0.4, 1))) for _ in range(2)]
    file = tmp_path / "hard.jsonl"
    formats.write(Collection.from_graphs(two), file)
    told = run(f"{file}#0", f"{file}#1", "--visits", "100")
    assert told.exit_code == 0
    assert "not proved" in told.stdout
    assert "not above 3 nodes, proved" in run("CCC", "CCO", "--smiles", "--above", "3").stdout


def test_the_picture_is_written(pair: tuple[str, str], tmp_path: Path) -> None:
    assert run(*pair, "--draw", str(tmp_path / "out.svg")).exit_code == 0
    assert (tmp_path / "out.svg").read_text().startswith("<svg")


def test_the_example_of_the_help_runs() -> None:
    shown = run("--help").stdout
    example = " ".join(shown.split("Example: infmcs mcs ")[1].split())
    told = run(*example.split())
    assert told.exit_code == 0
    assert "edges, proved" in told.stdout
