"""Commands that show answers: the service with its page, and a report as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from infmcs.cli import arguments
from infmcs.cli.index import Searched
from infmcs.cli.output import say, warn


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command("serve", epilog="Example: infmcs serve molecules --port 0")(_serve)
    app.command("report", epilog="Example: infmcs report molecules 17 --top 3 -o report.html")(_report)


def _serve(
    index: Searched,
    host: Annotated[
        str, typer.Option(help="Where to listen. Others than this machine need INFMCS_TOKEN.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any free one.")] = 8760,
    writable: Annotated[bool, typer.Option("--writable", help="Graphs may be added and deleted.")] = False,
    model: Annotated[list[str] | None, typer.Option(help="A model to offer, by name or file. May be repeated.")] = None,
    processes: Annotated[int, typer.Option(min=1, help="How many; each has the index mapped.")] = 1,
    workers: Annotated[int | None, typer.Option(min=1, help="Answers worked on at a time, in each process.")] = None,
    seconds: Annotated[float, typer.Option(help="That one answer may take.")] = 10.0,
    max_nodes: Annotated[int, typer.Option(min=1, help="Of a graph that is sent.")] = 500,
) -> None:
    """Serve a page and an HTTP interface on which graphs are searched, compared and explained.

    The description of the interface is at /docs. Ctrl-C lets answers that are under way come to their end.
    """
    from infmcs.web import Limits
    from infmcs.web.serving import Serving, run

    limits = Limits(nodes=max_nodes, edges=10 * max_nodes, seconds=seconds, **({"workers": workers} if workers else {}))
    run(Serving(index, host, port, writable, tuple(model or ()), processes, limits), warn)


def _report(
    index: Searched,
    query: Annotated[str, typer.Argument(help="A file of graphs, the id of a graph of the index, or a SMILES.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The HTML file to write.", **arguments.PATH)],
    top: Annotated[int | None, typer.Option(min=1, help="How many; 10, or all that reach the threshold.")] = None,
    threshold: Annotated[float | None, typer.Option(min=0, max=1, help="Only graphs at least this similar.")] = None,
    metric: arguments.Metric = arguments.MetricName.mcs,
    seconds: Annotated[float | None, typer.Option(help="Stop after this long, with what is proven by then.")] = None,
    number: Annotated[int, typer.Option(help="Which graph of the query's file, from 0.")] = 0,
    smiles: Annotated[bool, typer.Option("--smiles", help="The query is a SMILES.")] = False,
    model: Annotated[str | None, typer.Option(help="A model whose view stands beside the proof.")] = None,
) -> None:
    """Write the answer of a search as one HTML file: hits, intervals, what is common, and why the rest is not."""
    import infmcs
    from infmcs import report
    from infmcs.cli.index import _query
    from infmcs.solve import Budget
    from infmcs.web.serving import opened

    searched = opened(index)
    found = report.write(
        searched,
        _query(searched, query, number, smiles=smiles),
        output,
        top=top,
        threshold=threshold,
        metric=metric.value,
        budget=None if seconds is None else Budget(seconds=seconds),
        model=None if model is None else infmcs.load(model),
    )
    size = output.stat().st_size
    say(f"{output.name}: {len(found.hits)} hits, {'proven' if found.complete else 'not proven'}, {size / 1e3:,.0f} kB")
