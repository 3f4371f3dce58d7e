"""Your own graphs, made with networkx: how similar are two of them, what do they share, which others are like one?

Run it anywhere: python own_graphs.py
"""

import networkx as nx

import infmcs


def network(machines: int, rings: int) -> nx.Graph:
    """A company's network: a ring of routers, each with its machines; labels say what a node is."""
    graph = nx.cycle_graph(rings)
    nx.set_node_attributes(graph, "router", "label")
    for router in range(rings):
        for _ in range(machines):
            node = len(graph)
            graph.add_node(node, label="printer" if node % 5 == 0 else "computer")
            graph.add_edge(router, node)
    graph.graph["name"] = f"{rings} routers with {machines} machines each"
    return graph


def main() -> None:
    """Compare two, explain, draw; then search among many."""
    left = infmcs.Graph.from_networkx(network(machines=2, rings=4))
    right = infmcs.Graph.from_networkx(network(machines=3, rings=4))
    answer = infmcs.compare(left, right)
    print(answer.headline)
    print("first pairs of partners:", answer.mapping[:3])
    for reason in answer.explain().unmatched[:2]:
        print(f"{reason.side} node {reason.node} stays outside: {reason.text}")
    answer.draw("networks.svg")

    distance = infmcs.compare(left, right, "ged")
    print(distance.headline)

    many = [infmcs.Graph.from_networkx(network(m, r)) for m in range(1, 5) for r in range(3, 9)]
    index = infmcs.Index.build(many)
    result = index.search(left, top=3)
    for hit in result:
        print(f"{hit.similarity:.3f}  {hit.name}  (proved: {hit.proved})")
    print("the ranking is proven:", result.complete)


if __name__ == "__main__":
    main()
