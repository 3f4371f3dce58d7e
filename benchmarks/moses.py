"""A million real molecules: the training set of MOSES as the PyPI package `molsets` carries it, read with RDKit.

`pip download --no-deps molsets` gives the file; nothing of it is installed or kept in this repository.
"""

from __future__ import annotations

import gzip
import io
import zipfile
from array import array
from itertools import islice
from pathlib import Path

import numpy as np
from rdkit import Chem, rdBase

from infmcs import Collection, Vocabulary

MEMBER = "moses/dataset/data/train.csv.gz"


def read(wheel: Path, count: int) -> Collection:
    """The first molecules of the set: element symbols, bonds without kinds, which the default question ignores."""
    rdBase.DisableLog("rdApp.*")
    sizes, numbers, bonds, ends = array("i"), array("i"), array("i"), array("i")
    with zipfile.ZipFile(wheel) as archive, archive.open(MEMBER) as packed:
        lines = io.TextIOWrapper(gzip.GzipFile(fileobj=packed))
        next(lines)
        for line in islice(lines, count):
            molecule = Chem.MolFromSmiles(line.split(",", 1)[0], sanitize=False)
            sizes.append(molecule.GetNumAtoms())
            bonds.append(molecule.GetNumBonds())
            numbers.extend(atom.GetAtomicNum() for atom in molecule.GetAtoms())
            for bond in molecule.GetBonds():
                ends.append(bond.GetBeginAtomIdx())
                ends.append(bond.GetEndAtomIdx())
    edges = np.sort(np.array(ends, np.int32).reshape(-1, 2), axis=1)
    owner = np.repeat(np.arange(len(bonds)), np.array(bonds))
    edges = edges[np.lexsort((edges[:, 1], edges[:, 0], owner))]
    kinds, codes = np.unique(np.array(numbers, np.int32), return_inverse=True)
    table = Chem.GetPeriodicTable()
    return Collection.from_arrays(
        node_offsets=np.concatenate(([0], np.cumsum(np.array(sizes, np.int64)))),
        edge_offsets=np.concatenate(([0], np.cumsum(np.array(bonds, np.int64)))),
        labels=codes.astype(np.int32),
        edges=edges,
        vocabulary=Vocabulary([table.GetElementSymbol(int(kind)) for kind in kinds]),
    )
