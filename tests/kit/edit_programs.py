"""Edit distances as integer programs, solved by HiGHS: an oracle for graphs too large to try everything."""

from __future__ import annotations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from infmcs import EditCosts, Graph


def edit_distance(left: Graph, right: Graph, costs: EditCosts = EditCosts()) -> float:
    """The distance of two undirected graphs without loops: keep what saves most against deleting and inserting all.

    x[u, v]: node u becomes v. y[e, f, way]: edge e becomes f, in this of two ways; it needs both of its nodes kept so.
    """
    names, images = left.label_names, right.label_names
    here, there = (graph.edge_label_names or (None,) * len(graph.edges) for graph in (left, right))
    if not costs.edge_labels:
        here, there = (None,) * len(here), (None,) * len(there)
    everything = sum(costs.of("delete_node", name) for name in names) + sum(costs.of("delete_edge", e) for e in here)
    everything += sum(costs.of("insert_node", name) for name in images) + sum(costs.of("insert_edge", f) for f in there)
    savings: list[float] = []
    rows: list[tuple[dict[int, int], int]] = []  # coefficients of a row, and the most their sum may be
    x = np.arange(left.size * right.size).reshape(left.size, right.size)
    for u in range(left.size):
        rows.append(({int(i): 1 for i in x[u]}, 1))
        for v in range(right.size):
            gone = costs.of("delete_node", names[u]) + costs.of("insert_node", images[v])
            savings.append(costs.node(names[u], images[v]) - gone)
    rows += [({int(i): 1 for i in x[:, v]}, 1) for v in range(right.size)]
    for (u, w), e in zip(left.edges.tolist(), here, strict=True):
        # At each end of this edge: of all edges it may become with that end at v, at most one, and only if u is at v.
        ends: dict[tuple[int, int], dict[int, int]] = {}
        for (v, z), f in zip(right.edges.tolist(), there, strict=True):
            for a, b in ((v, z), (z, v)):
                y = len(savings)
                savings.append(min(0.0, costs.edge(e, f) - costs.of("delete_edge", e) - costs.of("insert_edge", f)))
                ends.setdefault((u, a), {})[y] = 1
                ends.setdefault((w, b), {})[y] = 1
        rows += [({**ys, int(x[node, at]): -1}, 0) for (node, at), ys in ends.items()]
    if not savings:
        return everything
    entries = [(r, c, value) for r, (row, _) in enumerate(rows) for c, value in row.items()]
    where_row, where_column, values = zip(*entries, strict=True)
    matrix = coo_array((values, (where_row, where_column)), shape=(len(rows), len(savings))).tocsr()
    answer = milp(
        savings,
        constraints=LinearConstraint(matrix, ub=[most for _, most in rows]),
        integrality=np.ones(len(savings)),
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": 0.0},
    )
    assert answer.success, answer.message
    return everything + float(answer.fun)
