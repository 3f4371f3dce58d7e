"""Commands about data sets and labels."""

from __future__ import annotations

import enum
import os
from pathlib import Path
from typing import Annotated, Any

import typer

from infmcs.cli import arguments
from infmcs.cli.given import Graphs, graphs
from infmcs.cli.output import Json, progress, show_json, show_table, warn


class Part(enum.StrEnum):
    """Part of a split."""

    train = "train"
    validation = "validation"
    test = "test"


class Protocol(enum.StrEnum):
    """How graphs are split."""

    paper = "paper"
    class_disjoint = "class-disjoint"
    function = "function"


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command("datasets", epilog="Example: infmcs datasets --json")(_datasets)
    app.command("label", epilog="Example: infmcs label molecules --sample 1000 -o labels.parquet --plot labels.svg")(
        _label
    )


def _datasets(
    name: Annotated[str | None, typer.Argument(help="Only this one, with its statistics.", show_default=False)] = None,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Read every set that is here and print its figures beside the paper's.")
    ] = False,
    as_json: Json = False,
) -> None:
    """What data sets there are, where each was found, how many graphs it has and under which licence.

    Those that do not come with the package are looked for in the folder INFMCS_DATA, then in the user's cache.
    """
    from infmcs import datasets

    names = [datasets.described(name).name] if name else list(datasets.NAMES)
    if name or statistics:
        _statistics(names, as_json, one=name is not None)
        return
    rows = [_facts(each) for each in names]
    if as_json:
        show_json(rows)
        return
    shown = ("name", "graphs", "what", "licence", "where")
    show_table(shown, [[row[key] or "not found" for key in shown] for row in rows])


def _facts(name: str) -> dict[str, Any]:
    from infmcs import datasets

    dataset = datasets.described(name)
    return {
        "name": dataset.name,
        "graphs": dataset.graphs,
        "what": dataset.title,
        "where": datasets.located(dataset.name),
        "licence": dataset.licence,
        "origin": dataset.origin,
        "note": dataset.note,
    }


def _statistics(names: list[str], as_json: bool, *, one: bool) -> None:
    from infmcs import datasets

    rows: dict[str, dict[str, Any]] = {}
    with progress("reading", len(names)) as tell:
        for done, name in enumerate(names):
            tell(done)
            if datasets.located(name) is None and not one:
                warn(f"{name} is not here")
                continue
            rows[name] = _facts(name) | datasets.beside_paper(name)
    if as_json:
        show_json(rows)
        return
    columns = (
        "set",
        "graphs",
        "|V|",
        "|E|",
        "labels",
        "sizes",
        "classes",
        "in one piece",
        "paper: graphs",
        "|V|",
        "|E|",
        "labels",
    )
    show_table(
        columns,
        [
            [
                name,
                row["graphs"],
                *_figures(row),
                f"{row['smallest']}–{row['largest']}",
                row["classes"],
                row["connected"],
                *((row["paper"]["graphs"], *_figures(row["paper"])) if row["paper"] else [None] * 4),
            ]
            for name, row in rows.items()
        ],
        title="|E| counts an undirected edge in both directions, as the paper does",
    )


def _figures(row: dict[str, Any]) -> list[Any]:
    return [f"{row['nodes']:.2f}", f"{row['edges']:.2f}", row["labels"]]


def _label(
    given: Graphs,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The Parquet file to make.", show_default=False, **arguments.PATH)
    ],
    metric: arguments.Metric = arguments.MetricName.mcs,
    sample: Annotated[int | None, typer.Option(min=1, help="So many pairs by chance; all when left out.")] = None,
    seed: Annotated[int, typer.Option(help="Of the sample and of the split.")] = 0,
    part: Annotated[Part | None, typer.Option(help="Only pairs within this part of the split.")] = None,
    protocol: Annotated[Protocol, typer.Option(help="Of the split.")] = Protocol.paper,
    visits: Annotated[
        int | None, typer.Option(min=1, help="Search nodes a pair may take; by default 1,000,000 (mcs), 20,000 (ged).")
    ] = None,
    induced: Annotated[bool, typer.Option(help="Common subgraphs with all edges between their nodes.")] = True,
    connected: Annotated[bool, typer.Option(help="Common subgraphs in one piece.")] = True,
    costs: arguments.Costs = None,
    labels: arguments.Labels = None,
    edge_labels: arguments.EdgeLabels = None,
    directed: arguments.Directed = None,
    threads: Annotated[int | None, typer.Option(min=1, help="As many as the machine has when left out.")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw shares and distributions here (.svg or .png).", **arguments.PATH)
    ] = None,
    as_json: Json = False,
) -> None:
    """The true similarity of pairs of graphs, in a file. Stop it at any time; the same command goes on where it was."""
    from infmcs import datasets, label, pairs
    from infmcs.certify import Question
    from infmcs.solve import Budget

    if costs is not None and metric is not arguments.MetricName.ged:
        raise typer.BadParameter("--costs belongs to --metric ged")
    collection = graphs(given)
    counted = arguments.counted(labels, edge_labels, directed)
    chosen = pairs.among(len(collection))
    if part is not None:
        known: Any = given if given in datasets.NAMES and not Path(given).exists() else collection
        chosen = pairs.among(getattr(datasets.split(known, protocol.value, seed), part.value))
    if sample is not None:
        chosen = pairs.sample(chosen, sample, seed)
    try:
        with progress(f"labelling {len(chosen):,} pairs", len(chosen)) as tell:
            made = label.label(
                collection,
                chosen,
                output=output,
                metric=metric.value,
                question=Question(induced=induced, connected=connected, **counted),
                costs=arguments.costs(costs, collection, collection, counted),
                budget=None if visits is None else Budget(visits=visits),
                threads=threads or cores(),
                progress=tell,
            )
    except KeyboardInterrupt:
        warn(f"{output}: what is finished is kept; the same command goes on from there")
        raise
    if plot is not None:
        label.plot(made, plot)
    summary = made.summary()
    if as_json:
        show_json(summary)
    else:
        show_table(("labels", output.name), summary.items())


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
