"""A large collection: index it once, open it in a moment, search it, add to it while others read.

Give a file, folder or archive of your own graphs: python large_collection.py graphs/ my.index
Without arguments the bundled molecules take the place of the large collection.
"""

import sys
import time

from infmcs import Index, datasets, formats


def main(arguments: list[str]) -> None:
    """Build and save, open, search with proof, filter by a threshold, add and delete."""
    graphs = formats.read(arguments[0]) if arguments else datasets.load("molecules")
    folder = arguments[1] if len(arguments) > 1 else "large.index"
    started = time.perf_counter()
    Index.build(graphs[:-10]).save(folder)
    print(f"{graphs}\nindexed in {time.perf_counter() - started:.1f} s")

    started = time.perf_counter()
    index = Index.open(folder)
    print(f"opened in {1000 * (time.perf_counter() - started):.1f} ms")

    query = graphs[len(graphs) // 2]
    result = index.search(query, top=5)
    for hit in result:
        print(f"  {hit.similarity:.4f}  {hit.name}")
    print(f"  in {1000 * result.seconds:.1f} ms, proven: {result.complete}, solved {result.solved} of {result.graphs}")

    alike = index.search(query, top=None, threshold=0.8)
    print(f"{len(alike)} graphs are at least 0.8 similar, proven: {alike.complete}")

    new = index.add(graphs[-10:])  # the ten that were left out above
    index.delete(int(new[0]))
    index.save()
    print(f"{len(index)} graphs now; those who read meanwhile still see the old index until they open it again")


if __name__ == "__main__":
    main(sys.argv[1:])
