"""Training, validation and test graphs. Three protocols, which results must never mix.

paper           80/10/10 over graphs, as the study has it. Equal graphs may stand on both sides.
class-disjoint  80/10/10, but all graphs of an isomorphism class go to one part: no test graph is a training graph.
function        80/10/10 over function names (column `function` of control-flow graphs); all graphs of one together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from infmcs.certify import Question
from infmcs.collection import Collection
from infmcs.datasets import catalog
from infmcs.datasets.lists import Places, order, stored
from infmcs.errors import DatasetError, QuestionError
from infmcs.solve import classes

Protocol: TypeAlias = Literal["paper", "class-disjoint", "function"]
PROTOCOLS: tuple[Protocol, ...] = get_args(Protocol)
PARTS = ("train", "validation", "test")
SHARES = np.array([0.8, 0.1, 0.1])
STORED_SEEDS = range(5)


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Places of the graphs of each part, ascending; together all graphs, each once."""

    train: Places
    validation: Places
    test: Places
    protocol: Protocol
    seed: int


def split(
    graphs: str | Collection, protocol: Protocol = "paper", seed: int = 0, question: Question = Question()
) -> Split:
    """The graphs of a data set, or of any collection, in three parts; the same for the same seed, everywhere.

    The lists of the study's sets are stored for the first five seeds. The question says which graphs count as equal.
    """
    if protocol not in PROTOCOLS:
        raise QuestionError(f"no protocol is named {protocol!r}", hint=f"known: {', '.join(PROTOCOLS)}")
    if isinstance(graphs, str):
        catalog.described(graphs)
        if question == Question() and (letters := stored().get(f"{graphs}/{protocol}/{seed}")) is not None:
            return _split(np.array(["tvx".index(letter) for letter in letters]), protocol, seed)
        graphs = catalog.load(graphs)
    return _split(_parts(graphs, protocol, seed, question), protocol, seed)


def without_test(split: Split) -> Places:
    """Training and validation graphs together, ascending."""
    return np.sort(np.concatenate((split.train, split.validation)))


def _split(parts: npt.NDArray[Any], protocol: Protocol, seed: int) -> Split:
    train, validation, test = (np.flatnonzero(parts == part) for part in range(len(PARTS)))
    return Split(train, validation, test, protocol, seed)


def _parts(graphs: Collection, protocol: Protocol, seed: int, question: Question) -> npt.NDArray[Any]:
    """The part of each graph."""
    if protocol == "paper":
        return _by_count(len(graphs), seed, "split by graph")
    if protocol == "function":
        names = functions(graphs)
        _, owner = np.unique(names, return_inverse=True)
        return _by_count(int(owner.max(initial=-1)) + 1, seed, "split by function")[owner]
    return _by_room(classes(graphs, question), seed)


def _by_count(count: int, seed: int, purpose: str) -> npt.NDArray[Any]:
    """A tenth of the things to test, a tenth to validation, the rest to training, by chance."""
    tenth = round(count * SHARES[1])
    parts = np.zeros(count, np.int64)
    shuffled = order(count, seed, purpose)
    parts[shuffled[:tenth]], parts[shuffled[tenth : 2 * tenth]] = 2, 1
    return parts


def _by_room(owner: npt.NDArray[Any], seed: int) -> npt.NDArray[Any]:
    """Whole classes by chance, each to the part that has most room left: the shares are kept as well as can be."""
    sizes = np.bincount(owner)
    room = SHARES * len(owner)
    part_of = np.zeros(len(sizes), np.int64)
    for one in order(len(sizes), seed, "split by class"):
        part_of[one] = np.argmax(room)
        room[part_of[one]] -= sizes[one]
    return np.asarray(part_of[owner])


def functions(graphs: Collection) -> list[str]:
    """The function name of each control-flow graph."""
    if "function" not in graphs.columns:
        raise DatasetError(
            "these graphs have no column 'function'",
            hint="data sets that have it: openssl, openssl20, openssl50, ffmpeg",
        )
    return [str(name) for name in graphs.columns["function"]]
