"""What is served: the index, the models a request may choose, and the one place where the index changes."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from infmcs import provenance
from infmcs.collection import Collection, Texts
from infmcs.errors import QuestionError
from infmcs.graph import Graph
from infmcs.index import Index
from infmcs.web.graphs import Source, json_name
from infmcs.web.limits import Limits
from infmcs.web.problems import RefusedError


@dataclass(frozen=True)
class Listing:
    """Ids, names and sizes of all graphs, for looking through them."""

    ids: Any
    names: Texts | None
    nodes: Any
    edges: Any


class Shelf:
    """The index and its models. Changes are made one at a time and saved before they are confirmed."""

    def __init__(self, index: Index, models: Mapping[str, Any], limits: Limits, writable: bool) -> None:
        self.index, self.limits, self.writable = index, limits, writable
        own = getattr(index, "model", None)
        self.models = ({"index": own} if own is not None else {}) | dict(models)
        self._writing = threading.Lock()
        self._listing: Listing | None = None

    def graph(self, source: Source) -> Graph:
        """The graph a request means."""
        sent = source.sent(self.limits)
        return sent if sent is not None else self.of_id(source.id or 0)

    def of_id(self, id_: int) -> Graph:
        """A graph of the index."""
        if id_ not in self.index:
            raise RefusedError(
                404, f"the index has no graph {id_}", f"GET /api/graphs lists its {len(self.index):,} graphs"
            )
        return self.index.graph(id_)

    def model(self, name: str | None) -> Any:
        """A model by the name under which it is offered; None for None."""
        if name is None:
            return None
        if name not in self.models:
            offered = ", ".join(sorted(self.models)) or "none"
            raise RefusedError(404, f"no model {name!r:.60} is offered here", f"offered: {offered}")
        return self.models[name]

    def facts(self) -> dict[str, Any]:
        """What a client should know before it asks."""
        return {
            "version": provenance.version(),
            "graphs": len(self.index),
            "writable": self.writable,
            "models": sorted(self.models),
        }

    def page(self, first: int, count: int, name: str | None) -> tuple[int, list[dict[str, Any]]]:
        """How many graphs there are (of that name), and `count` of them from the `first`, in the order of ids."""
        listing = self._listed()
        places: Any = range(len(listing.ids))
        if name:
            wanted = name.casefold()
            places = [
                place
                for place in places
                if wanted in (listing.names[place].casefold() if listing.names is not None else "")
                or wanted == str(listing.ids[place])
            ]
        rows = [
            {
                "id": int(listing.ids[place]),
                "name": None if listing.names is None else listing.names[place],
                "nodes": int(listing.nodes[place]),
                "edges": int(listing.edges[place]),
            }
            for place in places[first : first + count]
        ]
        return len(places), rows

    def frequent_labels(self, sample: int, most: int = 24) -> list[Any]:
        """Names of node labels, the most frequent of the first graphs, those first."""
        from collections import Counter

        counted: Counter[Any] = Counter()
        for id_ in self.index.ids[:sample].tolist():
            counted.update(name for name in self.index.graph(id_).label_names if name is not None)
        return [json_name(name) for name, _ in counted.most_common(most)]

    def _listed(self) -> Listing:
        if self._listing is None:
            graphs = self.index.collection()
            self._listing = Listing(self.index.ids, graphs.names, graphs.sizes, graphs.edge_counts)
        return self._listing

    # -- changes -----------------------------------------------------------------------------------------------

    def add(self, graphs: Collection) -> list[int]:
        """Add graphs and save; their ids. When they cannot be stored, nothing is added."""
        with self._writing:
            self._require_writable()
            ids = [int(one) for one in self.index.add(graphs)]
            self._store(lambda: self.index.delete(ids))
            return ids

    def delete(self, id_: int) -> None:
        """Take a graph out and save."""
        with self._writing:
            self._require_writable()
            graph = self.of_id(id_)
            self.index.delete(id_)
            self._store(lambda: self.index.add(Collection.from_graphs([graph])))

    def _require_writable(self) -> None:
        if not self.writable:
            raise RefusedError(403, "this index is not to be changed", "infmcs serve INDEX --writable")

    def _store(self, take_back: Any) -> None:
        self._listing = None
        if self.index.path is None:
            return
        try:
            self.index.save()
        except (OSError, QuestionError) as error:
            take_back()
            told = error.message if isinstance(error, QuestionError) else error.strerror
            raise RefusedError(507, f"the index could not be saved: {told}", "nothing was changed") from error
