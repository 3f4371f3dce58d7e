"""Graphs of PyTorch Geometric (pip install 'infmcs[pyg]'): any list of Data objects can be compared and searched."""

import torch
from torch_geometric.data import Data

from infmcs import Graph, Index, compare


def ladder(rungs: int) -> Data:
    """A ladder as a PyG dataset would give it: edges both ways, a kind for each node."""
    sides = [(k, k + 2) for k in range(2 * rungs - 2)]
    steps = [(2 * k, 2 * k + 1) for k in range(rungs)]
    edges = torch.tensor(sides + steps + [(v, u) for u, v in sides + steps]).t().contiguous()
    kinds = torch.arange(2 * rungs) % 2
    return Data(edge_index=edges, kind=kinds, num_nodes=2 * rungs)


def main() -> None:
    """Convert, compare, search, and back."""
    dataset = [ladder(rungs) for rungs in range(2, 12)]
    graphs = [Graph.from_pyg(data, labels="kind") for data in dataset]
    print(graphs[0])
    print(compare(graphs[2], graphs[5]).headline)

    index = Index.build(graphs)
    for hit in index.search(graphs[4], top=3):
        print(f"ladder of {hit.id + 2} rungs: {hit.similarity:.3f}, proved: {hit.proved}")

    back = graphs[0].to_pyg()
    print("as Data again:", tuple(back.edge_index.shape), back.num_nodes, "nodes")


if __name__ == "__main__":
    main()
