"""The file of each data set as a collection: labels get the names they stand for, ids and splits are kept.

Nothing is dropped but what a set's definition leaves out; where labels are codes whose meaning is not certain, they
stay numbers.
"""

from __future__ import annotations

import dataclasses
import json
import lzma
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from infmcs import formats
from infmcs.collection import Collection, Texts
from infmcs.datasets import lists
from infmcs.errors import DatasetError
from infmcs.graph import Graph
from infmcs.vocabulary import Vocabulary

BUNDLED = Path(__file__).parent / "bundled" / "molecules.jsonl.xz"

# The codes of the TU edition, by its own AIDS_label_readme.txt.
AIDS_ELEMENTS = (
    "C O N Cl F S Se P Na I Co Br Li Si Mg Cu As B Pt Ru K Pd Au Te W Rh Zn Bi Pb Ge Sb Sn Ga Hg Ho Tl Ni Tb"
)
VALENCES = {0: "single", 1: "double", 2: "triple"}
# Only codes that matching with PTC_MR confirms; the others stay numbers.
PTC_ELEMENTS = {1: "P", 2: "O", 3: "N", 4: "Na", 5: "C", 6: "Cl", 7: "S", 8: "Br", 9: "F", 11: "K", 13: "Cu", 16: "Ba"}
PTC_ELEMENTS |= {17: "Sn"}
PTC_BONDS = {0: "triple", 1: "double", 2: "single", 3: "aromatic"}


def any_format(path: Path) -> Collection:
    """What the file says, unchanged."""
    return formats.read(path)


json_lines = any_format


def bundled(path: Path) -> Collection:
    """The molecules that come with the package; column `smiles` numbers its atoms as the graph its nodes."""
    return formats.read(path, "jsonl")


def aids(path: Path) -> Collection:
    """The 1,500 graphs of the stored list, named by their number in the TU set. Coordinates and charges are dropped."""
    whole = formats.read(path)
    eligible = np.flatnonzero((whole.sizes >= 2) & (whole.sizes <= 15))
    named = _renamed(whole, dict(enumerate(AIDS_ELEMENTS.split())), VALENCES, features=False)
    if len(eligible) != lists.AIDS_ELIGIBLE:
        raise DatasetError(f"{path}: {len(eligible)} graphs have 2–15 nodes, expected {lists.AIDS_ELIGIBLE}")
    return named.take(eligible[np.array(lists.stored()["aids"])])


def ptc_mm(path: Path) -> Collection:
    """All graphs, named by their number in the TU set."""
    return _renamed(formats.read(path), PTC_ELEMENTS, PTC_BONDS)


def valences(path: Path) -> Collection:
    """Bonds given by their valence, 1 to 3, under the names all molecules here use."""
    return _renamed(formats.read(path), {}, {valence + 1: name for valence, name in VALENCES.items()}, names=False)


def control_flow(path: Path, least: int) -> Collection:
    """The control-flow graphs with at least so many blocks, in the order of the archive."""
    graphs = formats.read(path, "acfg")
    return graphs if least <= graphs.sizes.min(initial=least) else graphs.take(graphs.sizes >= least)


def mivia(path: Path, percent: int) -> Collection:
    """Graphs 2k and 2k + 1 are the k-th pair. Undirected, edges unlabelled; nodes labelled as `percent` asks for."""
    graphs = []
    for pair in mivia_pairs(path):
        for side in "ab":
            labels = None if not percent else mivia_labels(pair[f"attr_{side}"], percent)
            edges = [(u, v) for u, v, _ in pair[f"edges_{side}"]]
            graphs.append(Graph.from_edges(pair[f"n_{side}"], edges, labels, name=pair[side]))
    return Collection.from_graphs(graphs)


def mivia_pairs(path: Path) -> list[dict[str, Any]]:
    """The lines of the file: both graphs of a pair and what is known of them."""
    try:
        with lzma.open(path, "rt", encoding="utf-8") as file:
            return [json.loads(line) for line in file]
    except (OSError, lzma.LZMAError, ValueError, EOFError) as error:
        raise DatasetError(f"{path}: cannot be read: {error}") from None


def mivia_labels(attributes: list[int], percent: int) -> list[int]:
    """The labels at `percent` %: the leading bits of a node's 16-bit attribute, as many as tell n·percent/100 apart.

    The number of bits falls one short of that, as in the programs whose results are published.
    """
    wanted, reach, bits, before = len(attributes) * percent // 100, 1, 0, 0
    while reach < wanted and before < 16:
        reach, before, bits = 2 * reach, bits, bits + 1
    return [attribute >> (16 - before) for attribute in attributes] if before else [0] * len(attributes)


def _renamed(
    graphs: Collection, nodes: Mapping[Any, str], edges: Mapping[Any, str], features: bool = True, names: bool = True
) -> Collection:
    """The same graphs with names for label codes, and each named by its number from 1."""
    vocabulary = Vocabulary(
        [nodes.get(name, name) for name in graphs.vocabulary.nodes],
        [edges.get(name, name) for name in graphs.vocabulary.edges],
    )
    return dataclasses.replace(
        graphs,
        vocabulary=vocabulary,
        features=graphs.features if features else None,
        names=Texts.of(str(number) for number in range(1, len(graphs) + 1)) if names else graphs.names,
    )
