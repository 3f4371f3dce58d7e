"""Commands about indexes: making one, searching it, and what is alike in the whole of it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from infmcs import durable
from infmcs.cli import arguments
from infmcs.cli.given import Graphs, complete
from infmcs.cli.given import graphs as read
from infmcs.cli.output import Json, plain, progress, say, show_json, show_table, warn

if TYPE_CHECKING:
    from infmcs.cluster import Clusters
    from infmcs.graph import Graph
    from infmcs.index import Index, Result


class PrecisionName(StrEnum):
    """The precisions, as the command line knows them."""

    float32 = "float32"
    float16 = "float16"
    int8 = "int8"


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command("index", epilog="Example: infmcs index molecules -o molecules.index")(_index)
    app.command("search", epilog="Example: infmcs search molecules.index 17 --top 5")(_search)
    app.command("duplicates", epilog="Example: infmcs duplicates molecules.index")(_duplicates)
    app.command("cluster", epilog="Example: infmcs cluster molecules.index --threshold 0.95 -o clusters.csv")(_cluster)


Searched = Annotated[
    str,
    typer.Argument(
        metavar="INDEX",
        help="An index; or a file or folder of graphs, or the name of a data set: then one is made for the moment.",
        show_default=False,
        autocompletion=complete,
    ),
]


def _index(
    graphs: Graphs,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to make, or to add to.", **arguments.PATH)],
    add: Annotated[bool, typer.Option("--add", help="Add to the index that is there.")] = False,
    model: Annotated[str | None, typer.Option(help="A model to carry: a name or a file.")] = None,
    precision: Annotated[PrecisionName, typer.Option(help="Of what the model stores.")] = PrecisionName.int8,
    as_json: Json = False,
) -> None:
    """Make an index of graphs, or add graphs to one. The old index stays readable until the new one is whole."""
    from infmcs.index import Index

    given = read(graphs)
    with progress("indexing", len(given)) as tell:
        if add:
            index = Index.open(output)
            index.add(given, tell)
        else:
            index = Index.build(given, model, precision=precision.value, progress=tell)
        index.save(output)
    size = sum(file.stat().st_size for file in output.iterdir())
    if as_json:
        show_json({"graphs": len(index), "bytes": size})
    else:
        say(f"{output.name}: {len(index):,} graphs, {size / 1e6:,.1f} MB")


def _search(
    searched: Searched,
    query: Annotated[
        str,
        typer.Argument(help="A file of graphs, the id of a graph of the index, or a SMILES.", autocompletion=complete),
    ],
    top: Annotated[int | None, typer.Option(min=1, help="How many; 10, or all that reach the threshold.")] = None,
    threshold: Annotated[float | None, typer.Option(min=0, max=1, help="Only graphs at least this similar.")] = None,
    metric: arguments.Metric = arguments.MetricName.mcs,
    approximate: Annotated[bool, typer.Option("--approximate", help="Solve only the most promising few.")] = False,
    where: Annotated[
        list[str] | None, typer.Option(help="What a column must hold: class=1, nodes=10..20. May be repeated.")
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after this long, with what is proven by then.")] = None,
    number: Annotated[int, typer.Option(help="Which graph of the query's file, from 0.")] = 0,
    smiles: Annotated[bool, typer.Option("--smiles", help="The query is a SMILES.")] = False,
    drawn: Annotated[
        Path | None, typer.Option("--draw", help="A folder for a picture of each hit.", **arguments.PATH)
    ] = None,
    as_json: Json = False,
) -> None:
    """The graphs of an index most similar to a query, with proven intervals, and whether the ranking is proven."""
    from infmcs.solve import Budget
    from infmcs.web.serving import opened

    index = opened(searched)
    wanted = _query(index, query, number, smiles=smiles)
    result = _within_patience(
        index.search,
        wanted,
        top,
        not approximate,
        threshold,
        dict(_condition(text) for text in where) if where else None,
        None if seconds is None else Budget(seconds=seconds),
        metric=metric.value,
    )
    if drawn is not None:
        _draw(index, wanted, result, drawn)
    if as_json:
        show_json(result.to_dict())
    else:
        _show(result)


def _within_patience(search: Callable[..., Result], *given: Any, **named: Any) -> Result:
    """A search that Ctrl-C ends with what is known by then."""
    from infmcs.solve import Interrupted

    try:
        return search(*given, **named)
    except Interrupted as stopped:
        warn("stopped; this is what is known so far")
        found: Result = stopped.found
        return found


def _draw(index: Index, query: Graph, result: Result, folder: Path) -> None:
    from infmcs import certify, draw

    folder.mkdir(parents=True, exist_ok=True)
    for rank, hit in enumerate(result, 1):
        graph, title = index.graph(hit.id), f"{hit.name or hit.id}: {hit.similarity:.4f}"
        if result.metric == "mcs":
            svg = draw.pair(query, graph, hit.mapping, title=title)
        else:
            svg = draw.edit_path(query, graph, certify.edit_path(query, graph, hit.mapping), title=title)
        draw.save(folder / f"hit-{rank:03}-{hit.id}.svg", svg)
    warn(f"{len(result)} pictures in {folder}")


def _duplicates(
    searched: Searched,
    threshold: Annotated[float, typer.Option(help="Below 1: near duplicates of at least this similarity, too.")] = 1.0,
    threads: Annotated[int, typer.Option(min=1, help="How many at once.")] = 1,
    as_json: Json = False,
) -> None:
    """Graphs that occur more than once in an index: isomorphic ones, and near ones on request."""
    from infmcs.web.serving import opened

    index = opened(searched)
    with progress("comparing", len(index)) as tell:
        found = index.duplicates(threshold, threads=threads, progress=tell)
    if as_json:
        show_json(found.to_dict())
        return
    for group in found.same:
        say("same: " + " ".join(_named(index, one) for one in group))
    if found.near:
        rows = [[_named(index, i), _named(index, j), value] for i, j, value in found.near]
        show_table(["graph", "near", "similarity"], rows)
    doubled = sum(len(group) - 1 for group in found.same)
    say(f"{doubled:,} of {len(index):,} graphs are copies, up to renumbering, of one before them")
    if threshold < 1:
        say(f"{len(found.near):,} pairs of different graphs are at least {threshold:g} similar")


def _cluster(
    searched: Searched,
    threshold: Annotated[
        float, typer.Option(help="Every graph is at least so similar to the centre of its cluster.", show_default=False)
    ],
    metric: arguments.Metric = arguments.MetricName.mcs,
    seconds: Annotated[
        float | None, typer.Option(help="Stop looking for neighbours of a graph after this long.", show_default="none")
    ] = None,
    threads: Annotated[int, typer.Option(min=1, help="How many at once.")] = 1,
    shown: Annotated[int, typer.Option("--show", min=0, help="How many of the largest clusters to print.")] = 20,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="A CSV file: id, name, cluster and centre of each graph.", **arguments.PATH
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Groups of similar graphs, each around one of its members (Butina's way); similarities are proven."""
    from infmcs import cluster
    from infmcs.solve import Budget
    from infmcs.web.serving import opened

    index = opened(searched)
    with progress("finding neighbours", len(index)) as tell:
        found = cluster.butina(
            index,
            threshold,
            metric=metric.value,
            budget=None if seconds is None else Budget(seconds=seconds),
            threads=threads,
            progress=tell,
        )
    if output is not None:
        durable.write_text(output, _assignment(index, found))
    if as_json:
        show_json(found.to_dict())
        return
    groups = [one for one in found.clusters if len(one.members) > 1]
    if groups[:shown]:
        rows = [
            [rank, len(one.members), _named(index, one.centre), " ".join(map(str, one.members[1:9]))
             + " …" * (len(one.members) > 9)]
            for rank, one in enumerate(groups[:shown])
        ]  # fmt: skip
        show_table(["cluster", "graphs", "centre", "around it"], rows)
    alone = len(found.clusters) - len(groups)
    say(f"{len(index):,} graphs: {len(groups):,} clusters of several, {alone:,} alone")
    if len(groups) > shown:
        say(f"the {shown:,} largest are shown; --show names more, -o writes all")
    claim = "proven: all neighbours are known" if found.complete else "not proven: the time of some graphs ran out"
    say(claim)


def _assignment(index: Index, found: Clusters) -> str:
    """One line a graph, in the order of their ids."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(["id", "name", "cluster", "centre"])
    lines.writerows(
        sorted(
            (id_, index.graph(id_).name or "", number, one.centre)
            for number, one in enumerate(found.clusters)
            for id_ in one.members
        )
    )
    return text.getvalue()


def _named(index: Index, id_: int) -> str:
    name = index.graph(id_).name
    return str(id_) if name is None else f"{id_} ({plain(name)})"


def _show(result: Result) -> None:
    shows = "common" if result.metric == "mcs" else "edits"
    rows = []
    for rank, hit in enumerate(result, 1):
        interval = "" if hit.proved else f"{hit.lower:.4f}–{hit.upper:.4f}"
        worth = hit.common if result.metric == "mcs" else hit.distance
        rows.append([rank, hit.id, hit.name, hit.similarity, interval or "proved", worth, hit.score])
    show_table(["rank", "id", "name", "similarity", "interval", shows, "score"], rows)
    left = result.bounded
    say(
        f"{result.graphs:,} graphs in {result.seconds * 1000:,.1f} ms: {left:,} ruled out by bounds, "
        f"{result.solved:,} pairs solved ({result.visited:,} search nodes)"
    )
    if result.tied:
        say(f"{len(result.tied):,} more are exactly as similar as the last")
    say(_claim(result))


def _claim(result: Result) -> str:
    if result.complete and not len(result):
        return "proven: there is no such graph"
    if result.complete:
        return "proven: no other graph is more similar than the last of these"
    if result.beyond is None:
        return "not proven: some intervals are open"
    return f"not proven: a graph that is not listed may be up to {result.beyond:.4f} similar"


def _query(index: Index, given: str, number: int, *, smiles: bool) -> Graph:
    from infmcs.errors import QuestionError
    from infmcs.graph import Graph

    if smiles:
        return Graph.from_smiles(given)
    if given.isdecimal() and not Path(given).exists():
        return index.graph(int(given))
    graphs = read(given)
    if not 0 <= number < len(graphs):
        raise QuestionError(f"{Path(given).name} has {len(graphs)} graphs, so there is no number {number}")
    if len(graphs) > 1 and number == 0:
        warn(f"{Path(given).name} has {len(graphs):,} graphs; the query is the first (--number names another)")
    return graphs[number]


def _condition(text: str) -> tuple[str, Any]:
    column, equals, value = text.partition("=")
    if not equals:
        raise typer.BadParameter(f"{text!r} is no condition; write column=value or column=least..most")
    least, dots, most = value.partition("..")
    if dots:
        return column.strip(), (_value(least) if least else None, _value(most) if most else None)
    return column.strip(), _value(value)


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
