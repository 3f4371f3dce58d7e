"""Prices from a file: the costs they make are those that Python would be given; nonsense is named with its key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from infmcs import Collection, EditCosts, Graph, formats, prices, solve
from infmcs.cli import app
from infmcs.errors import ConfigError
from tests.kit import comparable_graphs

LEFT = Graph.from_edges(3, [(0, 1), (1, 2)], labels=["C", "C", 8], edge_labels=["single", "double"])
RIGHT = Graph.from_edges(3, [(0, 1), (1, 2)], labels=["C", "N", "S"], edge_labels=["single", "single"])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "prices.toml"


def read(file: Path, text: str, **instead: Any) -> EditCosts:
    file.write_text(text, encoding="utf-8")
    return prices.read(file, LEFT, RIGHT, **instead)


def test_numbers_and_what_counts_are_taken_as_they_are(file: Path) -> None:
    text = "edge_labels = true\ninsert_node = 2\nrelabel_edge = 0.5\n"
    assert read(file, text) == EditCosts(edge_labels=True, insert_node=2, relabel_edge=0.5)
    assert read(file, text, insert_node=3.0, edge_labels=False).insert_node == 3.0
    assert read(file, "") == EditCosts()


def test_a_table_prices_every_label_of_its_side_by_name_or_by_star(file: Path) -> None:
    found = read(file, 'insert_node = { N = 2, "*" = 1 }\ndelete_node = { C = 3, 8 = 4 }')
    assert found.insert_node == {"C": 1, "N": 2, "S": 1}
    assert found.delete_node == {"C": 3, 8: 4}


def test_relabelling_looks_at_the_nearest_row_first(file: Path) -> None:
    found = read(file, '[relabel_node]\nC.N = 0.25\nC."*" = 0.5\n"*".N = 0.75\n"*"."*" = 2')
    assert found.relabel_node == {
        ("C", "N"): 0.25,
        ("C", "S"): 0.5,
        (8, "C"): 2,
        (8, "N"): 0.75,
        (8, "S"): 2,
    }
    assert read(file, 'relabel_node = { C = 0.5, "*" = 1 }').relabel_node == {
        ("C", "N"): 0.5,
        ("C", "S"): 0.5,
        (8, "C"): 1,
        (8, "N"): 1,
        (8, "S"): 1,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("insert_nodes = 2", "no setting insert_nodes\nhint: did you mean insert_node"),
        ("directed = 1", "directed must be true or false, not 1"),
        ("insert_node = -1", "insert_node must be a number, finite and not negative, not -1"),
        ("insert_node = nan", "insert_node must be"),
        ("insert_node = inf", "insert_node must be"),
        ("insert_node = true", "insert_node must be"),
        ("insert_node = '2'", "insert_node must be"),
        ("insert_node = [2]", "insert_node must be"),
        ("insert_node.C = -2", r"insert_node\.C must be"),
        ("insert_node.C.N = 2", r"insert_node\.C must be"),
        ("relabel_node.C.N = -2", r"relabel_node\.C\.N must be"),
        ("relabel_node.C.N.O = 2", r"relabel_node\.C\.N must be"),
        ("insert_node.C = 1", "insert_node names no price for label N\nhint: .* every other"),
        ("relabel_node.C.N = 1", "relabel_node names no price for label C to S"),
        ("insert_edge.single = 1", "labels of edges do not count\nhint: edge_labels = true"),
        ("insert_node", "not TOML"),
    ],
)
def test_nonsense_is_refused_with_the_file_and_the_key(file: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as told:
        read(file, text)
    assert "prices.toml: " in str(told.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: there is no such file"):
        prices.read(tmp_path / "none.toml", LEFT, RIGHT)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    comparable_graphs(max_nodes=4, directed=False), st.lists(st.sampled_from([0.5, 1, 2, 3]), min_size=6, max_size=6)
)
def test_a_star_alone_is_the_number(tmp_path: Path, pair: tuple[Graph, Graph], values: list[float]) -> None:
    file = tmp_path / "prices.toml"
    numbers: dict[str, Any] = dict(zip(prices.EDITS, values, strict=True))
    file.write_text("edge_labels = true\n" + "\n".join(f'{edit}."*" = {value}' for edit, value in numbers.items()))
    by_label = solve.edit_distance(*pair, prices.read(file, *pair))
    assert by_label.upper == pytest.approx(solve.edit_distance(*pair, EditCosts(edge_labels=True, **numbers)).upper)


def run(*words: object) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_the_command_line_takes_a_file_of_costs(file: Path, tmp_path: Path) -> None:
    graphs = tmp_path / "two.jsonl"
    formats.write(Collection.from_graphs([LEFT, RIGHT]), graphs)
    pair = (f"{graphs}#0", f"{graphs}#1")
    file.write_text('edge_labels = true\nrelabel_edge = 0.5\nrelabel_node = { C.N = 0.25, "*" = 1 }\n')
    told = json.loads(run("ged", *pair, "--costs", file, "--json").stdout)
    assert (told["distance"], told["proved"]) == (0.25 + 1 + 0.5, True)
    told = json.loads(run("ged", *pair, "--costs", file, "--price", "relabel-edge=0.125", "--json").stdout)
    assert told["distance"] == 0.25 + 1 + 0.125
    told = json.loads(run("ged", *pair, "--costs", file, "--no-edge-labels", "--json").stdout)
    assert told["distance"] == 0.25 + 1
    told = json.loads(run("compare", *pair, "--metric", "ged", "--costs", file, "--json").stdout)
    assert told["value"] == [1.75, 1.75]
    told = json.loads(
        run("label", graphs, "--metric", "ged", "--costs", file, "-o", tmp_path / "l.parquet", "--json").stdout
    )
    assert told["exact"] == told["pairs"] == 1
    for command in (("compare", *pair), ("label", graphs, "-o", tmp_path / "m.parquet")):
        assert run(*command, "--costs", file).exit_code == 2
