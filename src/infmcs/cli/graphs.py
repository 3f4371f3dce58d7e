"""Commands about graphs themselves: from one format to another, and what is in a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from infmcs.cli.given import complete, graphs, told_warnings
from infmcs.cli.output import Json, progress, say, show_json, show_table

Input = Annotated[
    str,
    typer.Argument(
        help="A file, folder or archive of graphs; - for standard input; or the name of a data set.",
        autocompletion=complete,
    ),
]
From = Annotated[str | None, typer.Option("--from", help="Its format, where the file should not be asked.")]
FirstNode = Annotated[int | None, typer.Option(min=0, max=1, help="The number of the first node in the file.")]
Directed = Annotated[bool | None, typer.Option("--directed/--undirected", help="Read so, whatever the file says.")]
Label = Annotated[str | None, typer.Option(help="The attribute that is the node label.")]
EdgeLabel = Annotated[str | None, typer.Option(help="The attribute that is the edge label.")]
Features = Annotated[str | None, typer.Option(help="The attributes that are node features, with commas between.")]


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command("convert", epilog="Example: infmcs convert molecules molecules.graphml")(_convert)
    app.command("stats", epilog="Example: infmcs stats molecules")(_stats)


def _convert(
    given: Input,
    output: Annotated[str, typer.Argument(help="Where to: a file, a .zip or a folder; - for standard output.")],
    from_: From = None,
    to: Annotated[str | None, typer.Option("--to", help="The format to write, where the name does not tell.")] = None,
    first_node: FirstNode = None,
    directed: Directed = None,
    label: Label = None,
    edge_label: EdgeLabel = None,
    features: Features = None,
    as_json: Json = False,
) -> None:
    """Write graphs in another format: .infmcs (opens at once), .jsonl, .graphml, .gxl, .gspan, .g6 and others.

    What the format cannot hold is left out with a warning; what it would change stops the command, and no file is left.
    """
    from infmcs import formats

    choice = {"first_node": first_node, "directed": directed, "label": label, "edge_label": edge_label}
    collection = graphs(given, from_, **choice, features=features)
    with told_warnings(), progress(f"writing {Path(output).name}", 1000) as tell:
        target: Any = sys.stdout.buffer if output == "-" else output
        formats.write(
            collection,
            target,
            to or ("jsonl" if output == "-" else None),
            progress=lambda share: tell(round(1000 * share)),
        )
    if output == "-":
        sys.stdout.buffer.flush()
    elif as_json:
        show_json({"graphs": len(collection), "output": output})
    else:
        say(f"{Path(output).name}: {len(collection):,} graphs")


def _stats(
    given: Input,
    from_: From = None,
    first_node: FirstNode = None,
    directed: Directed = None,
    label: Label = None,
    edge_label: EdgeLabel = None,
    features: Features = None,
    as_json: Json = False,
) -> None:
    """Count what is in a file of graphs: sizes, edges, labels, features, columns."""
    from infmcs.statistics import statistics

    choice = {"first_node": first_node, "directed": directed, "label": label, "edge_label": edge_label}
    found = statistics(graphs(given, from_, **choice, features=features))
    if as_json:
        show_json(found)
    else:
        show_table(("what", "value"), _rows(found), title=None if given == "-" else Path(given).name)


def _rows(found: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The numbers as lines for people."""
    yield "graphs", f"{found['graphs']:,}"
    if found["graphs"]:
        span = f"{found['nodes_min']:,}–{found['nodes_max']:,}"
        yield "nodes", f"{span}, mean {found['nodes_mean']:,.2f}, median {found['nodes_median']:,g}"
        kind = "directed" if found["directed"] else "undirected"
        yield "edges", f"mean {found['edges_mean']:,.2f}, {kind}; {found['directed_edges_mean']:,.2f} as directed edges"
        yield "connected", f"{found['connected']:,} ({found['connected'] / found['graphs']:.1%})"
    for key, title in (("loops", "loops"), ("without_nodes", "without nodes"), ("without_edges", "without edges")):
        if found[key]:
            yield title, f"{found[key]:,}"
    for key, title in (("node_labels", "node labels"), ("edge_labels", "edge labels")):
        if found[key]:
            listed = ", ".join(f"{name} {count:,}" for name, count in found[key]["commonest"])
            more = " …" if found[key]["different"] > len(found[key]["commonest"]) else ""
            yield title, f"{found[key]['different']:,}: {listed}{more}"
        else:
            yield title, "none"
    if found["features"]:
        yield "features", f"{found['features']} a node"
    for key, column in found["columns"].items():
        yield f"column {key}", f"{column['kind']}, {column['different']:,} different"
    yield "digest", found["digest"]
