"""What several commands take alike: one graph, a model, a budget, which common subgraph is meant."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from infmcs.cli.given import files

if TYPE_CHECKING:
    from infmcs.certify import EditCosts
    from infmcs.collection import Collection
    from infmcs.graph import Graph
    from infmcs.models import Infmcs
    from infmcs.solve import Budget

GRAPH_HELP = "A file of one graph, FILE#NUMBER or FILE#NAME for one of several, DATASET#NUMBER, or a SMILES."


def place(text: str) -> Path:
    """A path that an option names; the word must not be empty, as it is where a script's variable was never set."""
    if not text:
        raise typer.BadParameter("an empty word names no file")
    return Path(text)


PATH: dict[str, Any] = {"parser": place, "metavar": "PATH", "autocompletion": files}  # of options that are paths


class MetricName(StrEnum):
    """The metrics, as the command line knows them."""

    mcs = "mcs"
    ged = "ged"


Metric = Annotated[MetricName, typer.Option(help="mcs: by the largest common subgraph. ged: by the edit distance.")]
Costs = Annotated[
    Path | None,
    typer.Option(help="A TOML file of prices by label, and of what counts; options here stand in its place.", **PATH),
]
# Of an edit distance: None where nothing is said, so that a file of costs may say it.
Labels = Annotated[
    bool | None, typer.Option("--labels/--no-labels", help="Labels of nodes count.", show_default="labels")
]
EdgeLabels = Annotated[
    bool | None,
    typer.Option("--edge-labels/--no-edge-labels", help="Labels of edges count.", show_default="no-edge-labels"),
]
Directed = Annotated[
    bool | None, typer.Option("--directed/--undirected", help="Directions of edges count.", show_default="undirected")
]
Draw = Annotated[Path | None, typer.Option(help="Draw it into this .svg or .png file.", **PATH)]
Smiles = Annotated[bool, typer.Option("--smiles", help="Read both graphs as SMILES.")]
Seconds = Annotated[float | None, typer.Option(help="Time for the search.", show_default="1")]
Visits = Annotated[int | None, typer.Option(help="Search nodes instead of seconds: the same result every time.")]
Model = Annotated[str | None, typer.Option(help="Ask this model where the exact answer is too dear.")]


def graph(text: str, *, smiles: bool = False) -> Graph:
    """The one graph that an argument names."""
    from infmcs import datasets
    from infmcs.cli.given import graphs as read
    from infmcs.errors import QuestionError
    from infmcs.graph import Graph

    if smiles:
        return Graph.from_smiles(text)
    if not text.strip():
        raise QuestionError("an empty argument names no graph", hint="a file, FILE#NUMBER, or a SMILES")
    file, place = text, ""
    if not Path(text).exists() and text not in datasets.NAMES:
        file, _, place = text.rpartition("#")
        if not file or (not Path(file).exists() and file not in datasets.NAMES):
            if _is_smiles(text):
                return Graph.from_smiles(text)
            file, place = file or text, ""
    graphs = read(file)
    if not place:
        if len(graphs) != 1:
            raise QuestionError(f"{Path(file).name} holds {len(graphs):,} graphs", hint=f"which one? {file}#0, say")
        return graphs[0]
    names = graphs.names
    if names is not None and place in (found := [names[k] for k in range(len(graphs))]):
        if found.count(place) > 1:
            raise QuestionError(
                f"{Path(file).name} holds {found.count(place)} graphs named {place!r}",
                hint=f"name it by its number: {file}#{found.index(place)}",
            )
        return graphs[found.index(place)]
    if not place.isdecimal():
        raise QuestionError(f"{Path(file).name} holds no graph named {place!r}", hint="or give its number, from 0")
    if int(place) >= len(graphs):
        raise QuestionError(f"{Path(file).name} holds graphs 0 to {len(graphs) - 1}, so no {place}")
    return graphs[int(place)]


def budget(seconds: float | None, visits: int | None) -> Budget:
    """The budget that the options name; a second where they name none."""
    from infmcs.answers import BUDGET
    from infmcs.solve import Budget

    return BUDGET if seconds is None and visits is None else Budget(visits, seconds)


def counted(labels: bool | None, edge_labels: bool | None, directed: bool | None) -> dict[str, Any]:
    """What the options say of what counts, by the names that questions and costs have for it."""
    given = {"node_labels": labels, "edge_labels": edge_labels, "directed": directed}
    return {name: value for name, value in given.items() if value is not None}


def costs(file: Path | None, left: Graph | Collection, right: Graph | Collection, given: dict[str, Any]) -> EditCosts:
    """The costs that a file names, with what is given in its place."""
    from infmcs import prices
    from infmcs.certify import EditCosts

    return EditCosts(**given) if file is None else prices.read(file, left, right, **given)


def model(name: str | None, metric: MetricName) -> Infmcs | None:
    """The model that an option names; it must have learned this metric."""
    if name is None:
        return None
    from infmcs import models
    from infmcs.errors import ModelError

    plan = models.record(name).get("plan") or {}
    learned = plan.get("train", {}).get("metric", metric.value)
    if learned != metric.value:
        raise ModelError(f"{name} has learned {learned}, so it cannot say what is asked for: {metric.value}")
    return models.load(name)


def _is_smiles(text: str) -> bool:
    """Whether an argument that is no file is meant as a SMILES: RDKit reads it, and it looks like no file's name."""
    from infmcs.errors import GraphError
    from infmcs.graph import Graph

    if Path(text).suffix[1:].isalpha():
        return False
    try:
        return Graph.from_smiles(text).size > 0
    except GraphError:
        return False
