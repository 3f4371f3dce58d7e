"""The model that an index carries, so that it can score queries wherever it is opened."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from infmcs.collection import Collection
from infmcs.errors import FormatError, ModelError
from infmcs.index import vectors
from infmcs.index.vectors import Array, Precision

if TYPE_CHECKING:
    from infmcs.models import Infmcs


class Carried:
    """A model's file, the model itself once it is needed, and how precisely its vectors are stored."""

    def __init__(self, content: bytes, precision: Precision) -> None:
        if precision not in vectors.PRECISIONS:
            raise ModelError(f"vectors are stored as {', '.join(vectors.PRECISIONS)}, not as {precision!r}")
        self.content = content
        self.precision: Precision = precision
        self.digest = hashlib.blake2b(content, digest_size=16).hexdigest()

    @classmethod
    def of(cls, model: Infmcs | str | os.PathLike[str], precision: Precision) -> Carried:
        """A model, or one by name or path."""
        from infmcs import models

        if isinstance(model, str | os.PathLike):
            model = models.load(model)
        vectors.require(model)
        carried = cls(models.packed(model, dict(model.state_dict())), precision)
        carried.__dict__["model"] = model.eval()
        return carried

    @classmethod
    def read(cls, path: Path, digest: str, precision: Any) -> Carried:
        """The model of an index on disk."""
        carried = cls(path.read_bytes(), precision)
        if carried.digest != digest:
            raise FormatError("is damaged, or the model of another index", path=os.fspath(path), hint="build it again")
        return carried

    @cached_property
    def model(self) -> Infmcs:
        """The model, ready to compare."""
        from infmcs import models

        with tempfile.NamedTemporaryFile(suffix=".safetensors") as file:
            file.write(self.content)
            file.flush()
            return models.load(file.name)

    def vectors(self, graphs: Collection, progress: Callable[[int], object] | None = None) -> dict[str, Array]:
        """What to store of these graphs."""
        return vectors.encoded(self.model, graphs, self.precision, progress)
