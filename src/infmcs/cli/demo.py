"""The command that shows what this package does, on the molecules that come with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from infmcs.cli.output import show_table

if TYPE_CHECKING:
    from infmcs.index import Result

CAFFEINE = "NSC5036"
OWN_GRAPHS = (
    ("two graphs", "infmcs compare a.jsonl b.jsonl --draw common.svg"),
    ("a collection", "infmcs index graphs/ -o graphs.index && infmcs search graphs.index query.jsonl"),
    ("in Python", "infmcs.compare(infmcs.Graph.from_networkx(a), infmcs.Graph.from_networkx(b)).similarity"),
)


def register(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command("demo", epilog="Example: infmcs demo --query NSC180 -o hits.svg")(_demo)


def _demo(
    query: Annotated[str, typer.Option(help="The molecule to search for, by its name.")] = CAFFEINE,
    top: Annotated[int, typer.Option(min=1, help="How many hits.")] = 5,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the picture goes.")] = Path("infmcs-demo.svg"),
) -> None:
    """Search 5,000 real molecules for those most like a query, with proof, and draw what they have in common."""
    from time import perf_counter

    from infmcs import datasets, draw
    from infmcs.errors import QuestionError
    from infmcs.index import Index

    started = perf_counter()
    graphs = datasets.load("molecules")
    names = list(graphs.names or ())
    if query not in names:
        raise QuestionError(f"the bundled molecules hold none named {query!r}", hint=f"{CAFFEINE} is caffeine")
    wanted = graphs[names.index(query)]
    index = Index.build(graphs)
    built = perf_counter()
    typer.echo(f"{len(graphs):,} molecules of the NCI open set, indexed in {built - started:.2f} s.")
    told = " (caffeine)" if query == CAFFEINE else ""
    typer.echo(f"Which are most similar to {query}{told}, by their largest connected common subgraph?")

    result = index.search(wanted, top)
    show_table(
        ["", "molecule", "similarity", "interval", "proved", "atoms in common", "SMILES"],
        [
            [k, hit.name, f"{hit.similarity:.4f}", f"[{hit.lower:.4f}, {hit.upper:.4f}]", hit.proved,
             f"{hit.common} of {wanted.size} and {graphs[hit.id].size}", graphs.columns["smiles"][hit.id]]
            for k, hit in enumerate(result, 1)
        ],
    )  # fmt: skip
    _proof(result)
    found = [(graphs[hit.id], hit.mapping, f"{hit.name}: {hit.similarity:.3f}") for hit in result]
    draw.save(output, draw.hits(wanted, found, title=f"Most similar to {query}{told}"))
    typer.echo(f"Picture with the common subgraphs: {output}\n\nWith your own graphs:")
    for what, command in OWN_GRAPHS:
        typer.echo(f"  {what:13} {command}")


def _proof(result: Result) -> None:
    share = result.bounded / max(1, result.graphs)
    typer.echo(
        f"{result.seconds * 1000:.1f} ms: bounds alone ruled out {result.bounded:,} of {result.graphs:,} molecules "
        f"({share:.1%}); {result.solved:,} pairs were solved exactly."
    )
    if result.complete:
        typer.echo("Proven: no other molecule is more similar than the last of these.")
    elif result.beyond is not None:
        typer.echo(f"Not proven: a molecule that is not listed may be up to {result.beyond:.4f} similar.")
