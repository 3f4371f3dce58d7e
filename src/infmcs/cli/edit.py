"""The command about edit distances."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from infmcs.cli import arguments
from infmcs.cli.output import Json, say, show_json, show_table

if TYPE_CHECKING:
    from infmcs.certify import EditCosts
    from infmcs.graph import Graph
    from infmcs.solve import Budget, EditBound, EditSolution


class MethodName(StrEnum):
    """The methods, as the command line knows them."""

    exact = "exact"
    astar = "astar"
    beam = "beam"
    hungarian = "hungarian"
    vj = "vj"
    branch = "branch"
    descent = "descent"
    hed = "hed"


EDITS = ("insert_node", "delete_node", "relabel_node", "insert_edge", "delete_edge", "relabel_edge")


def register(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command("ged", epilog="Example: infmcs ged molecules#17 molecules#20 --visits 10000")(_ged)


def _ged(
    left: Annotated[str, typer.Argument(help=arguments.GRAPH_HELP, show_default=False)],
    right: Annotated[str, typer.Argument(help="The other graph, given alike.", show_default=False)],
    method: Annotated[MethodName, typer.Option(help="exact, or one of the classical bounds.")] = MethodName.exact,
    width: Annotated[int, typer.Option(min=1, help="How many paths --method beam keeps open.")] = 10,
    below: Annotated[float | None, typer.Option(min=0, help="Ask only whether the distance is at most this.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after this long, with what is proven by then.")] = None,
    visits: Annotated[int | None, typer.Option(help="Stop after so many search nodes: the same every time.")] = None,
    price: Annotated[
        list[str] | None,
        typer.Option(help=f"EDIT=NUMBER, else 1; may be repeated. Edits: {', '.join(EDITS).replace('_', '-')}."),
    ] = None,
    costs: arguments.Costs = None,
    labels: arguments.Labels = None,
    edge_labels: arguments.EdgeLabels = None,
    directed: arguments.Directed = None,
    smiles: arguments.Smiles = False,
    draw: arguments.Draw = None,
    as_json: Json = False,
) -> None:
    """The edit distance of two graphs, proven or as an interval, and the edits that show it.

    Edits are insertions and deletions of nodes and edges, and relabellings; nodes of the right graph are written 3′.
    """
    from infmcs.solve import Budget, Interrupted

    a, b = arguments.graph(left, smiles=smiles), arguments.graph(right, smiles=smiles)
    given = arguments.counted(labels, edge_labels, directed) | _prices(price or [])
    wanted = arguments.costs(costs, a, b, given)
    if method is not MethodName.exact and below is not None:
        raise typer.BadParameter(f"--below belongs to --method exact, not to {method.value}")
    if method is MethodName.hed and draw is not None:
        raise typer.BadParameter("hed is a lower bound: it has no edit path to draw")
    stopped = False
    try:
        found = _found(a, b, wanted, method, width, Budget(visits, seconds), below)
    except Interrupted as interruption:  # Ctrl-C: what is known by now is shown all the same
        found, stopped = interruption.found, True
    if draw is not None:
        _draw(a, b, found, draw)
    if as_json:
        show_json(_told(a, b, found, method))
    else:
        _show(a, b, found, method, below)
        if draw is not None:
            say(f"drawn: {draw}")
    if stopped:
        raise KeyboardInterrupt


def _found(
    a: Graph, b: Graph, costs: EditCosts, method: MethodName, width: int, budget: Budget, below: float | None
) -> EditSolution | EditBound:
    from infmcs import solve

    if method is MethodName.exact:
        return solve.edit_distance(a, b, costs, budget, below)
    if method is MethodName.astar:
        return solve.astar(a, b, costs, budget)
    if method is MethodName.beam:
        return solve.beam(a, b, costs, width, budget)
    quick: Any = getattr(solve, method.value)
    if budget != solve.Budget():
        raise typer.BadParameter(f"{method.value} does not search, so it takes no budget")
    answer: EditSolution | EditBound = quick(a, b, costs)
    return answer


def _prices(prices: list[str]) -> dict[str, float]:
    given: dict[str, float] = {}
    for text in prices:
        edit, _, number = text.partition("=")
        edit = edit.strip().replace("-", "_")
        if edit not in EDITS:
            raise typer.BadParameter(f"{text!r}: edits are {', '.join(EDITS).replace('_', '-')}")
        try:
            given[edit] = float(number)
        except ValueError:
            raise typer.BadParameter(f"{text!r} has no price; write {edit.replace('_', '-')}=2") from None
    return given


def _draw(a: Graph, b: Graph, found: EditSolution | EditBound, file: Path) -> None:
    from infmcs import draw
    from infmcs.solve import EditSolution

    assert isinstance(found, EditSolution)
    draw.save(file, draw.edit_path(a, b, found.path))


def _told(a: Graph, b: Graph, found: EditSolution | EditBound, method: MethodName) -> dict[str, Any]:
    from infmcs.explain import edits_in_words
    from infmcs.solve import EditBound

    if isinstance(found, EditBound):
        return {"method": method.value, "lower": found.lower, "seconds": found.seconds}
    edits = [
        {
            "kind": edit.kind,
            "left": list(edit.left) if isinstance(edit.left, tuple) else edit.left,
            "right": list(edit.right) if isinstance(edit.right, tuple) else edit.right,
            "cost": edit.cost,
            "words": words,
        }
        for edit, words in zip(found.path.edits, edits_in_words(a, b, found.path), strict=True)
    ]
    return {
        "method": method.value,
        "distance": found.upper if found.proved else None,
        "lower": found.lower,
        "upper": found.upper,
        "proved": found.proved,
        "visited": found.visited,
        "seconds": found.seconds,
        "mapping": [list(pair) for pair in found.mapping],
        "edits": edits,
    }


def _show(a: Graph, b: Graph, found: EditSolution | EditBound, method: MethodName, below: float | None) -> None:
    from infmcs.explain import edits_in_words
    from infmcs.solve import EditBound

    if isinstance(found, EditBound):
        say(f"edit distance: at least {found.lower:g} (hed is a lower bound; it shows no edit path)")
        return
    if found.proved:
        say(f"edit distance: {found.upper:g}, proved")
    else:
        say(f"edit distance: between {found.lower:g} and {found.upper:g}")
    if below is not None:
        answer = "yes" if found.upper <= below else "no" if found.lower > below else "not known within the budget"
        say(f"at most {below:g}: {answer}")
    words = edits_in_words(a, b, found.path)
    rows = [[k, line, edit.cost] for k, (edit, line) in enumerate(zip(found.path.edits, words, strict=True), 1)]
    if rows:
        show_table(["step", "edit", "cost"], rows)
    kept = len(found.mapping)
    say(
        f"{kept} of {a.size} and {b.size} nodes keep their place; {len(rows)} edit{'s' * (len(rows) != 1)}; "
        f"{method.value}, {found.visited:,} search nodes, {found.seconds:.3g} s"
    )
