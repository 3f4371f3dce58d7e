"""Train a model on your own graphs. Labels are solved exactly while it trains; nothing but the graphs is needed.

This one is small, so that it takes seconds: leave `pairs`, `width` and `graphs` out for the real thing.
"""

import networkx as nx

import infmcs
from infmcs import Collection, models, train
from infmcs.solve import Budget


def graphs(count: int, seed: int) -> Collection:
    """Random sparse graphs with three kinds of nodes; put your own here (or infmcs.formats.read('folder/'))."""
    made = []
    for number in range(count):
        graph = nx.gnm_random_graph(8 + number % 5, 11 + number % 4, seed=seed + number)
        nx.set_node_attributes(graph, {node: "abc"[(node * node + number) % 3] for node in graph}, "label")
        made.append(infmcs.Graph.from_networkx(graph))
    return Collection.from_graphs(made)


def main() -> None:
    """Train, save, load, ask."""
    mine = graphs(60, seed=1)
    plan = train.plan("infmcs", pairs=4_000, graphs=16, epoch=2_000, **{"model.width": 16})
    model = train.fit(mine, plan=plan, seed=0)
    models.save(model, "my-model.safetensors")

    model = infmcs.load("my-model.safetensors")
    left, right = graphs(2, seed=999)
    # Such small graphs are solved exactly, and the model is not even asked; two search nodes make it speak.
    answer = infmcs.compare(left, right, model=model, budget=Budget(visits=2))
    print(answer.headline, "· by", answer.source)
    print(infmcs.compare(left, right, model=model).headline, "· exact")


if __name__ == "__main__":
    main()
