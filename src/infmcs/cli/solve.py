"""The command about common subgraphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from infmcs.cli import arguments
from infmcs.cli.output import Json, show_json, show_table

if TYPE_CHECKING:
    from infmcs.certify import Question
    from infmcs.graph import Graph
    from infmcs.solve import Solution


def register(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command("mcs", epilog="Example: infmcs mcs c1ccccc1CO c1ccccc1CN --edges")(_mcs)


def _mcs(
    left: Annotated[str, typer.Argument(help=arguments.GRAPH_HELP, show_default=False)],
    right: Annotated[str, typer.Argument(help="The other graph, given alike.", show_default=False)],
    induced: Annotated[
        bool, typer.Option(help="Partners have an edge between them in both graphs or in neither.")
    ] = True,
    edges: Annotated[
        bool, typer.Option("--edges", help="Most common edges instead of nodes (chemists' MCES); not induced.")
    ] = False,
    connected: Annotated[bool, typer.Option(help="The common subgraph is in one piece.")] = True,
    labels: Annotated[bool, typer.Option(help="Partners have equal labels.")] = True,
    edge_labels: Annotated[bool, typer.Option("--edge-labels", help="Labels of edges count, too.")] = False,
    directed: Annotated[bool, typer.Option("--directed", help="Directions of edges count.")] = False,
    above: Annotated[int | None, typer.Option(min=0, help="Ask only for more than this.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after this long, with what is proven by then.")] = None,
    visits: Annotated[int | None, typer.Option(help="Stop after so many search nodes: the same every time.")] = None,
    smiles: arguments.Smiles = False,
    draw: arguments.Draw = None,
    as_json: Json = False,
) -> None:
    """The largest common subgraph of two graphs, proven or as an interval, and which nodes are partners in it."""
    from infmcs.certify import Question
    from infmcs.solve import Budget, Interrupted, max_common_subgraph

    a, b = arguments.graph(left, smiles=smiles), arguments.graph(right, smiles=smiles)
    question = Question(
        induced=induced and not edges,
        connected=connected,
        node_labels=labels,
        edge_labels=edge_labels,
        directed=directed,
        count="edges" if edges else "nodes",
    )
    stopped = False
    try:
        found = max_common_subgraph(a, b, question, Budget(visits, seconds), above=above)
    except Interrupted as interrupted:
        found, stopped = interrupted.found, True
    if draw is not None:
        from infmcs import draw as drawing

        drawing.save(draw, drawing.pair(a, b, found.mapping, question=question))
    if as_json:
        show_json(_as_dict(a, b, found, question))
    else:
        _show(a, b, found, question, above)
    if stopped:
        raise typer.Exit(130)


def _as_dict(a: Graph, b: Graph, found: Solution, question: Question) -> dict[str, Any]:
    from dataclasses import asdict

    from infmcs import certify, pairs

    sizes = [int(pairs.sizes(graph, "mcs", question)[0]) for graph in (a, b)]
    low, high = pairs.interval("mcs", found.lower, min(found.upper, *sizes), *sizes)
    return {
        "question": asdict(question),
        "sizes": sizes,
        "lower": found.lower,
        "upper": found.upper,
        "proved": found.proved,
        "similarity": [low, high],
        "mapping": [list(pair) for pair in found.mapping],
        "edges": [list(edge) for edge in certify.common_subgraph(a, b, found.mapping, question).edges],
        "visited": found.visited,
        "seconds": found.seconds,
    }


def _show(a: Graph, b: Graph, found: Solution, question: Question, above: int | None) -> None:
    told = _as_dict(a, b, found, question)
    low, high = told["similarity"]
    if found.proved:
        size, alike = f"{found.lower} {question.count}, proved", f"{low:.4g}"
    elif above is not None and found.upper <= above and not found.mapping:
        size, alike = f"not above {above} {question.count}, proved", f"at most {high:.4g}"
    else:
        size, alike = f"{found.lower} to {found.upper} {question.count}, not proved", f"{low:.4g} to {high:.4g}"
    show_table(
        ("", ""),
        [
            ("common", size),
            ("of", f"{told['sizes'][0]} and {told['sizes'][1]}"),
            ("similarity", alike),
            ("search nodes", f"{found.visited:,}"),
            ("seconds", f"{found.seconds:.3g}"),
        ],
    )
    if found.mapping:
        names, others = a.label_names, b.label_names
        show_table(
            ("left", "label", "right", "label"),
            [(v, _name(names[v]), w, _name(others[w])) for v, w in found.mapping],
        )


def _name(label: object) -> str:
    return "–" if label is None else str(label)
