"""Which graphs of a collection are the same but for the numbers of their nodes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from infmcs import _native
from infmcs.certify import Question, require_directions
from infmcs.collection import Collection
from infmcs.graph import frozen

DEFAULT = Question()


def classes(collection: Collection, question: Question = DEFAULT) -> npt.NDArray[np.int32]:
    """The isomorphism class of each graph, numbered as they first occur: graphs of one class have the same values.

    The question says what counts: node labels, edge labels, directions. Node features never do.
    """
    key = ("classes", question.node_labels, question.edge_labels, question.directed)
    found: npt.NDArray[np.int32] = collection.cached(key, lambda these: frozen(_found(these, question)))
    return found


def _found(collection: Collection, question: Question) -> npt.NDArray[np.int32]:
    require_directions(question, collection, collection)
    graphs = collection if question.directed else collection.undirected(question.edge_labels)
    return np.asarray(
        _native.isomorphism_classes(
            graphs.node_offsets,
            graphs.edge_offsets,
            graphs.label_ids,
            graphs.edges,
            graphs.edge_label_ids,
            graphs.directed,
            question.node_labels,
            question.edge_labels,
        )
    )
