"""Numbers and labels as words, for the formats that are lines of words; values as Python's own, for all writers.

A word that is a whole number in its usual form is that number, so that 6 in a file equals 6 in a program; any other
word is text ('007', '1.5' and '1e5' too: nobody knows whether they are numbers or names).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from infmcs.collection import Column, Texts
from infmcs.errors import FormatError
from infmcs.graph import Floats
from infmcs.vocabulary import Name

WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")


def label(word: str) -> str | int:
    """The label a word stands for."""
    return int(word) if WHOLE.fullmatch(word) else word


def number(word: str) -> int:
    """The node a word names, or a ValueError."""
    if not word.isascii() or not word.removeprefix("-").isdigit() or len(word) > 18:
        raise ValueError(word)
    return int(word)


def word_for(name: Name, refused: str = "") -> str:
    """The word that is read as this label again; '' for None. `refused` are characters with a meaning of their own."""
    if name is None:
        return ""
    word = str(name) if isinstance(name, str | int) else ""
    if word.split() == [word] and label(word) == name and not set(word) & set(refused):
        return word
    raise FormatError(
        f"the label {name!r:.60} cannot be said here: labels are whole numbers, or words without blanks",
        hint="write .jsonl or .infmcs, which hold any label",
    )


def words_for(names: Sequence[Name], refused: str = "") -> Callable[[int], str]:
    """Code to word; a label that no graph uses is never asked for."""
    return functools.cache(lambda code: word_for(names[code], refused))


def decimals(features: Floats) -> npt.NDArray[np.float64]:
    """The shortest decimal numbers that are read as these float32 again."""
    return features.astype("U32").astype(np.float64)


def values_of(column: Column) -> list[Any]:
    """A column as strings or Python numbers."""
    return list(column) if isinstance(column, Texts) else list(column.tolist())
