"""Graphs in requests and answers: sent as JSON, as SMILES or as text of any format the package reads."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StrictInt, StrictStr
from pydantic.config import JsonDict

from infmcs import formats
from infmcs.collection import Collection
from infmcs.errors import FormatError, GraphError
from infmcs.graph import Graph
from infmcs.vocabulary import Name
from infmcs.web.limits import Limits
from infmcs.web.problems import RefusedError

Number: TypeAlias = Annotated[StrictFloat, Field(allow_inf_nan=False)]
Atom: TypeAlias = StrictStr | StrictInt | Number
Label: TypeAlias = Atom | list[Atom] | None
Node: TypeAlias = Annotated[StrictInt, Field(ge=0, le=2**31 - 1)]
Ends: TypeAlias = Annotated[list[Node], Field(min_length=2, max_length=2)]
Id: TypeAlias = Annotated[StrictInt, Field(ge=0, le=2**53)]

PROPANOL: JsonDict = {"edges": [[0, 1], [1, 2], [2, 3]], "node_labels": ["C", "C", "C", "O"]}


class GraphJson(BaseModel):
    """A graph: nodes are 0 to n - 1. The same keys as in JSON lines files."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [PROPANOL]})

    n: Node | None = Field(None, description="How many nodes; left out: as many as labels")
    edges: list[Ends] = Field(description="Pairs of node numbers, from 0")
    node_labels: list[Label] | None = Field(None, description="One a node: a name, a number, or a list of those")
    edge_labels: list[Label] | None = Field(None, description="One an edge")
    features: list[list[Number | StrictInt]] | None = Field(None, description="One row of numbers a node")
    directed: bool = False
    name: str | None = Field(None, max_length=500)

    @classmethod
    def of(cls, graph: Graph) -> GraphJson:
        """The JSON form of a graph."""
        names = graph.edge_label_names
        return cls.model_construct(
            n=graph.size,
            edges=graph.edges.tolist(),
            node_labels=[json_name(name) for name in graph.label_names] if graph.labelled else None,
            edge_labels=None if names is None else [json_name(name) for name in names],
            features=None if graph.features is None else graph.features.tolist(),
            directed=graph.directed,
            name=graph.name,
        )

    def graph(self, limits: Limits) -> Graph:
        """The graph, checked in full."""
        size = self.n
        if size is None:
            known = self.node_labels if self.node_labels is not None else self.features
            if known is None:
                raise GraphError("the number of nodes is missing", hint="add n or node_labels")
            size = len(known)
        _require_room(size, len(self.edges), limits)
        return Graph.from_edges(
            size, self.edges, self.node_labels, self.edge_labels, self.features, self.directed, self.name
        )


class Source(BaseModel):
    """Where a graph comes from: exactly one of an id in the index, a graph, SMILES, or text of a graph format."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"id": 0}, {"graph": PROPANOL}]})

    id: Id | None = Field(None, description="A graph of the index")
    graph: GraphJson | None = None
    smiles: str | None = Field(None, max_length=5_000, description="A molecule; needs RDKit on the server")
    text: str | None = Field(None, max_length=1_000_000, description="One graph as text; see `format`")
    format: str | None = Field(None, max_length=40, description="Of the text; left out: recognised from it")

    def sent(self, limits: Limits) -> Graph | None:
        """The graph that was sent, or None where it is named by its id."""
        given = [name for name in ("id", "graph", "smiles", "text") if getattr(self, name) is not None]
        if len(given) != 1:
            raise RefusedError(
                422, f"a graph is given by {' and '.join(given) or 'nothing'}", "give one of id, graph, smiles, text"
            )
        if self.graph is not None:
            return self.graph.graph(limits)
        if self.smiles is not None:
            return checked(Graph.from_smiles(self.smiles), limits)
        if self.text is not None:
            found = read(self.text.encode(), "text", self.format, limits)
            if len(found) != 1:
                raise RefusedError(422, f"the text holds {len(found)} graphs, expected one", "choose one of them")
            return found[0]
        return None


def checked(graph: Graph, limits: Limits) -> Graph:
    """The graph, if it is not larger than allowed."""
    _require_room(graph.size, len(graph.edges), limits)
    return graph


def read(content: bytes, name: str, format_: str | None, limits: Limits) -> Collection:
    """The graphs of a file that was sent, in any format the package reads. `name` tells formats apart by its ending."""
    if format_ is not None and format_ not in formats.FORMATS:
        raise RefusedError(422, f"{format_!r:.60} is no format", f"formats are {', '.join(sorted(formats.FORMATS))}")
    own = "".join(c if c.isalnum() or c in "._- " else "_" for c in name.replace("\\", "/").rpartition("/")[2])
    own = own.lstrip(". ")[-100:] or "upload"
    allowed = formats.Limits(expanded=8 * limits.body, ratio=100, nodes=limits.nodes * limits.graphs, members=1_000)
    with tempfile.TemporaryDirectory(prefix="infmcs-") as folder:
        path = Path(folder, own)
        path.write_bytes(content)
        try:
            found = formats.read(path, format_, limits=allowed)
        except FormatError as error:
            raise FormatError(error.message.replace(str(path), own), hint=error.hint) from None
    if len(found) > limits.graphs:
        raise RefusedError(
            413, f"the file holds {len(found):,} graphs; {limits.graphs:,} can be sent", "send it in parts"
        )
    for place in (int(found.sizes.argmax()), int(found.edge_counts.argmax())) if len(found) else ():
        _require_room(int(found.sizes[place]), int(found.edge_counts[place]), limits, f"graph {place}: ")
    return found


def _require_room(nodes: int, edges: int, limits: Limits, where: str = "") -> None:
    for count, most, what in ((nodes, limits.nodes, "nodes"), (edges, limits.edges, "edges")):
        if count > most:
            raise GraphError(
                f"{where}a graph of {count:,} {what}; this service takes up to {most:,}",
                hint="the operator can raise the limit: infmcs serve --max-nodes",
            )


def json_name(name: Name) -> Any:
    """A label's name as JSON has it: tuples are lists."""
    return [json_name(part) for part in name] if isinstance(name, tuple) else name
