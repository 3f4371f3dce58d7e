"""Commands that show answers: the service with its page, and a report as one file."""

from __future__ import annotations

from typing import Annotated

import typer

from infmcs.cli.output import warn


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command("serve", epilog="Example: infmcs serve molecules --port 0")(_serve)


def _serve(
    index: Annotated[
        str, typer.Argument(help="An index, a file of graphs, or the name of a data set.", show_default=False)
    ],
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
