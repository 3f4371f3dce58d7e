"""The command that compares two graphs."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from infmcs.cli import arguments
from infmcs.cli.given import complete
from infmcs.cli.output import Json, say, show_json, show_table

if TYPE_CHECKING:
    from infmcs.answers import Answer


class Count(StrEnum):
    """What a common subgraph is counted in."""

    nodes = "nodes"
    edges = "edges"


def register(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command("compare", epilog="Example: infmcs compare molecules#17 molecules#20 --explain")(_compare)


def _compare(
    left: Annotated[str, typer.Argument(help=arguments.GRAPH_HELP, show_default=False, autocompletion=complete)],
    right: Annotated[
        str, typer.Argument(help="The other graph, given alike.", show_default=False, autocompletion=complete)
    ],
    metric: arguments.Metric = arguments.MetricName.mcs,
    model: arguments.Model = None,
    seconds: arguments.Seconds = None,
    visits: arguments.Visits = None,
    connected: Annotated[bool, typer.Option(help="The common subgraph is in one piece.")] = True,
    induced: Annotated[bool, typer.Option(help="What is not joined in one graph is not joined in the other.")] = True,
    count: Annotated[Count, typer.Option(help="What the common subgraph is largest in; edges: with --no-induced.")] = (
        Count.nodes
    ),
    costs: arguments.Costs = None,
    labels: arguments.Labels = None,
    edge_labels: arguments.EdgeLabels = None,
    directed: arguments.Directed = None,
    smiles: arguments.Smiles = False,
    explain: Annotated[bool, typer.Option("--explain", help="Say what is matched, and why the rest is not.")] = False,
    draw: arguments.Draw = None,
    as_json: Json = False,
) -> None:
    """How similar two graphs are, between which proven bounds, and what they have in common."""
    from infmcs.answers import compare
    from infmcs.certify import Question
    from infmcs.solve import Interrupted

    edits = metric is arguments.MetricName.ged
    if edits and (not connected or not induced or count is not Count.nodes):
        raise typer.BadParameter("--connected, --induced and --count belong to common subgraphs, not to edits")
    if costs is not None and not edits:
        raise typer.BadParameter("--costs belongs to --metric ged")
    a, b = arguments.graph(left, smiles=smiles), arguments.graph(right, smiles=smiles)
    counted = arguments.counted(labels, edge_labels, directed)
    wishes: dict[str, Any] = (
        {"costs": arguments.costs(costs, a, b, counted)}
        if edits
        else {"question": Question(induced=induced, connected=connected, count=count.value, **counted)}
    )
    asked = arguments.model(model, metric)
    stopped = False
    try:
        answer = compare(a, b, metric.value, asked, arguments.budget(seconds, visits), **wishes)
    except Interrupted as interruption:  # Ctrl-C: what is known by now is shown all the same
        answer, stopped = interruption.found, True
    if draw is not None:
        answer.draw(draw)
    if as_json:
        told = answer.to_dict()
        show_json(told | {"explanation": answer.explain().to_dict()} if explain else told)
    else:
        _show(answer)
        if explain:
            say("\n".join(str(answer.explain()).splitlines()[1:]))
        if draw is not None:
            say(f"drawn: {draw}")
    if stopped:
        raise KeyboardInterrupt


def _show(answer: Answer) -> None:
    low, high = answer.found.lower, answer.found.upper
    row = {
        "similarity": f"{answer.similarity:.4f}",
        "interval": "proved" if answer.proved else f"{answer.lower:.4f}–{answer.upper:.4f}",
        f"common {answer.question.count}" if answer.metric == "mcs" else "edits": f"{low:g}"
        if low == high
        else f"{low:g}–{high:g}",
        "score": None if answer.score is None else f"{answer.score:.4f}",
        "by": answer.source,
        "seconds": f"{answer.seconds:.3g}",
    }
    sizes = " and ".join(_told(graph.name, graph.size) for graph in (answer.left, answer.right))
    show_table(list(row), [list(row.values())], title=sizes)


def _told(name: str | None, size: int) -> str:
    return f"{name or 'a graph'} ({size} node{'s' * (size != 1)})"
