"""The command that shows what this package does, on the molecules that come with it."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from infmcs.cli import arguments
from infmcs.cli.output import progress, say, show_table

if TYPE_CHECKING:
    from infmcs.collection import Collection
    from infmcs.index import Index, Result

CAFFEINE = "NSC5036"
MODEL = "molecules-mcs"
OWN_GRAPHS = (
    ("two graphs", "infmcs compare a.jsonl b.jsonl --draw common.svg"),
    ("a collection", "infmcs index graphs/ -o graphs.index && infmcs search graphs.index query.jsonl"),
    ("a model", "infmcs train graphs/ -o my-model && infmcs index graphs/ -o graphs.index --model my-model"),
    ("in Python", "infmcs.compare(infmcs.Graph.from_networkx(a), infmcs.Graph.from_networkx(b)).similarity"),
)


def register(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command("demo", epilog="Example: infmcs demo --query NSC180 --folder demo")(_demo)


def _demo(
    query: Annotated[str, typer.Option(help="The molecule to search for, by its name.")] = CAFFEINE,
    top: Annotated[int, typer.Option(min=1, help="How many hits.")] = 5,
    folder: Annotated[Path, typer.Option(help="Where the index and the picture go.", **arguments.PATH)] = Path(
        "infmcs-demo"
    ),
) -> None:
    """Search 4,991 real molecules for those most like a query, with proof, and draw what they have in common."""
    from infmcs import datasets, draw
    from infmcs.errors import QuestionError

    graphs = datasets.load("molecules")
    names = list(graphs.names or ())
    if query not in names:
        raise QuestionError(f"the bundled molecules hold none named {query!r}", hint=f"{CAFFEINE} is caffeine")
    wanted = graphs[names.index(query)]
    folder.mkdir(parents=True, exist_ok=True)
    index = _index(graphs, folder / "molecules.index")
    told = " (caffeine)" if query == CAFFEINE else ""
    say(f"Which are most similar to {query}{told}, by their largest connected common subgraph?")
    result = index.search(wanted, top)
    _show(result, wanted.size, graphs)

    picture = folder / "hits.svg"
    found = [(graphs[hit.id], hit.mapping, f"{hit.name}: {hit.similarity:.3f}") for hit in result]
    draw.save(picture, draw.hits(wanted, found, title=f"Most similar to {query}{told}"))
    say(f"Picture with the common subgraphs: {picture}")
    say(f"Search again: infmcs search {folder / 'molecules.index'} {names.index(query)}")
    say("\nWith your own graphs:")
    for what, command in OWN_GRAPHS:
        say(f"  {what:13} {command}")


def _index(graphs: Collection, path: Path) -> Index:
    """The index of an earlier demo, or a new one."""
    import torch

    from infmcs.errors import InfmcsError, QuestionError
    from infmcs.index import Index

    started = perf_counter()
    torch.set_num_threads(1)  # these products are small: threads would wait for one another
    if path.exists():
        way_out = f"remove {path}, or choose another --folder"
        try:
            index = Index.open(path)
            same = index.model is not None and index.collection().digest == graphs.digest
        except InfmcsError as error:
            raise QuestionError(f"the demo's index cannot be used: {error.message}", hint=way_out) from error
        if not same:
            raise QuestionError(f"{path} is not an index of the demo", hint=way_out)
        say(f"{len(index):,} molecules of the NCI open set, opened in {perf_counter() - started:.2f} s.")
        return index
    with progress("indexing", len(graphs)) as tell:
        index = Index.build(graphs, MODEL, progress=tell)
    index.save(path)
    say(
        f"{len(graphs):,} molecules of the NCI open set, read by the model {MODEL} and indexed "
        f"in {perf_counter() - started:.2f} s."
    )
    return index


def _show(result: Result, size: int, graphs: Collection) -> None:
    show_table(
        ["", "molecule", "similarity", "interval", "proved", "atoms in common", "model's score", "SMILES"],
        [
            [
                place,
                hit.name,
                f"{hit.similarity:.4f}",
                f"[{hit.lower:.4f}, {hit.upper:.4f}]",
                hit.proved,
                f"{hit.common} of {size} and {graphs[hit.id].size}",
                None if hit.score is None else f"{hit.score:.4f}",
                graphs.columns["smiles"][hit.id],
            ]
            for place, hit in enumerate(result, 1)
        ],
    )
    share = result.bounded / max(1, result.graphs)
    say(
        f"{result.seconds * 1000:.1f} ms: bounds alone ruled out {result.bounded:,} of {result.graphs:,} molecules "
        f"({share:.1%}); {result.solved:,} pairs were solved exactly."
    )
    if result.complete:
        say("Proven: no other molecule is more similar than the last of these.")
    elif result.beyond is not None:
        say(f"Not proven: a molecule that is not listed may be up to {result.beyond:.4f} similar.")
