"""What requests look like and what comes back: the models behind the description at /openapi.json."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt
from pydantic.config import JsonDict

from infmcs.web.graphs import PROPANOL, GraphJson, Number, Source

Couple = Annotated[list[StrictInt], Field(min_length=2, max_length=2)]  # a left and a right node; or an edge's ends
Point = Annotated[list[float], Field(min_length=2, max_length=2)]
Seconds = Annotated[Number | StrictInt, Field(gt=0, description="Work on the answer for at most so long")]
ETHANOL: JsonDict = {"edges": [[0, 1], [1, 2]], "node_labels": ["C", "C", "O"]}


class Search(BaseModel):
    """Which graphs of the index are most similar to the query."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"query": {"graph": PROPANOL}, "top": 5}, {"query": {"id": 0}, "threshold": 0.8}]
        },
    )

    query: Source
    top: StrictInt | None = Field(None, ge=1, description="How many; left out: 10, or all above the threshold")
    threshold: Number | None = Field(None, ge=0, le=1, description="Only graphs of at least this similarity")
    exact: StrictBool = Field(True, description="Go on until the ranking is proven, or solve only the most promising")
    metric: Literal["mcs", "ged"] = "mcs"
    seconds: Seconds | None = None


class Pair(BaseModel):
    """Two graphs to compare."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"left": {"graph": PROPANOL}, "right": {"graph": ETHANOL}}]},
    )

    left: Source
    right: Source
    metric: Literal["mcs", "ged"] = "mcs"
    model: str | None = Field(None, max_length=100, description="One of GET /api/models; left out: none")
    seconds: Seconds | None = None


class Explain(BaseModel):
    """Two graphs, and the model whose view of them is asked for."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"left": {"graph": PROPANOL}, "right": {"graph": ETHANOL}, "model": "index"}]},
    )

    left: Source
    right: Source
    model: str = Field(max_length=100, description="One of GET /api/models")
    seconds: Seconds | None = None


class Picture(BaseModel):
    """Two graphs and the pairs of nodes to show as common; or one graph, without a `right`."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"left": {"graph": PROPANOL}, "right": {"graph": ETHANOL}, "mapping": [[1, 0], [2, 1], [3, 2]]}
            ]
        },
    )

    left: Source
    right: Source | None = None
    mapping: list[Couple] = Field([], max_length=10_000)


# -- answers -----------------------------------------------------------------------------------------------------------


class Health(BaseModel):
    """The service answers."""

    status: Literal["ok"]


class About(BaseModel):
    """What is served, and how much one may ask for."""

    version: str
    graphs: int
    writable: bool
    models: list[str]
    formats: dict[str, str]
    limits: dict[str, float]
    labels: list[Any] = Field(description="The most frequent node labels, for drawing a query")


class Models(BaseModel):
    """Models that a request may name."""

    models: list[dict[str, Any]]


class Row(BaseModel):
    """One graph of the index, in short."""

    id: int
    name: str | None
    nodes: int
    edges: int


class Page(BaseModel):
    """Some graphs of the index."""

    total: int
    graphs: list[Row]


class Stored(GraphJson):
    """A graph of the index."""

    id: int


class Uploaded(BaseModel):
    """The graphs of an upload that can be asked about: the first hundred, and how many there are."""

    total: int
    graphs: list[GraphJson]


class Added(BaseModel):
    """Ids of the graphs that were added."""

    ids: list[int]


class HitJson(BaseModel):
    """A graph of the index and how similar it is: proven to lie in [lower, upper]; `mapping` shows `lower`."""

    id: int
    name: str | None
    similarity: float
    lower: float
    upper: float
    proved: bool
    mapping: list[Couple]
    score: float | None
    nodes: int
    edges: int


class ResultJson(BaseModel):
    """Hits, best first. `complete`: the ranking is proven to be the exact one."""

    hits: list[HitJson]
    complete: bool
    tied: list[int]
    graphs: int
    seconds: float


class Outside(BaseModel):
    """A node outside the common subgraph, and why."""

    side: Literal["left", "right"]
    node: int
    reason: Literal["label", "taken", "apart", "structure", "free"]
    text: str
    partner: int | None


class Positions(BaseModel):
    """Where nodes stand: partners at the same place, an edge about 1 long, y downwards."""

    left: list[Point]
    right: list[Point]
    molecule: bool


class PairJson(BaseModel):
    """How similar two graphs are, proven to lie in [lower, upper], and the certified mapping that shows it."""

    left: GraphJson
    right: GraphJson
    metric: Literal["mcs", "ged"]
    similarity: float
    lower: float
    upper: float
    proved: bool
    mapping: list[Couple]
    score: float | None
    source: str
    seconds: float
    edges: list[Couple] = Field(description="Common edges, as edges of the left graph")
    unmatched: list[Outside]
    edits: list[dict[str, Any]] | None = Field(description="The edit path, where the metric is ged")
    positions: Positions


class Top(BaseModel):
    """The paper's answer: the nodes of highest score of one graph, and whether they are any common subgraph."""

    side: Literal["left", "right"]
    nodes: list[int]
    holds: bool | None = Field(description="Whether the other graph contains them; null where time did not suffice")


class ViewJson(BaseModel):
    """What a model sees in two graphs, beside what is proven."""

    model: str
    similarity: float
    expected: float = Field(description="Common nodes that the model expects")
    scores: dict[Literal["left", "right"], list[float]]
    partners: list[Annotated[list[float], Field(min_length=3, max_length=3)]] = Field(
        description="The strongest pairs of nodes: left, right, weight"
    )
    top: Top
    decoded: list[Couple] = Field(description="A valid common subgraph read out of the scores alone")
    mapping: list[Couple] = Field(description="After improvement by the solver; certified")
    lower: float
    upper: float
    proved: bool
    unmatched: list[Outside]
