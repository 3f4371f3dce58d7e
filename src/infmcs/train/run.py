"""The folder of a training: its plan, its log, the best weights so far, and a checkpoint to go on from.

    plan.toml                what it was told
    log.jsonl                a line a validation
    model.safetensors        the best weights so far, with their record
    checkpoint.safetensors   everything that changes in a training
Every file is replaced whole; nothing in them is run when they are read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from infmcs import config, durable, models
from infmcs.errors import FormatError, ModelError
from infmcs.models import Infmcs
from infmcs.train.loop import Progress, Training

MODEL, CHECKPOINT, PLAN, LOG = "model.safetensors", "checkpoint.safetensors", "plan.toml", "log.jsonl"


class Run:
    """Where a training leaves its files; `None` leaves none."""

    def __init__(self, path: Path | None, facts: dict[str, Any], board: bool = False) -> None:
        self.path, self.facts = path, facts
        self.lines: list[dict[str, Any]] = []
        self._board = _tensorboard(path) if board else None

    def open(self, training: Training) -> None:
        """A fresh folder, or the training goes on from the checkpoint of an unfinished one with the same plan."""
        if self.path is None:
            return
        with _explained(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
        checkpoint = self.path / CHECKPOINT
        if not checkpoint.is_file():
            if (self.path / MODEL).is_file():
                raise ModelError(f"{self.path}: holds a model already", hint="choose another folder, or remove it")
            with _explained(self.path):
                durable.write_text(self.path / PLAN, config.dump(training.plan))
            return
        _, tensors, told = models.unpacked(checkpoint)
        if told.get("plan") != asdict(training.plan) or told.get("facts") != self.facts:
            raise FormatError(
                "a checkpoint of another training: its plan, seed or graphs differ",
                path=checkpoint,
                hint="choose another folder; or give the plan.toml beside it, its seed and its graphs",
            )
        training.restore(tensors, Progress(**told["progress"]))
        self.lines = told["lines"]
        self._write_lines()

    def save(self, training: Training) -> None:
        """A checkpoint, from which a training goes on exactly."""
        if self.path is None:
            return
        told = {
            "plan": asdict(training.plan),
            "facts": self.facts,
            "progress": asdict(training.progress),
            "lines": self.lines,
        }
        with _explained(self.path):
            durable.write_bytes(self.path / CHECKPOINT, models.packed(training.model, training.tensors(), told))

    def keep(self, model: Infmcs, record: dict[str, Any]) -> None:
        """These are the best weights so far."""
        if self.path is not None:
            with _explained(self.path):
                models.save(model, self.path / MODEL, record)

    def log(self, line: dict[str, Any]) -> None:
        """One more line of the log."""
        self.lines.append(line)
        self._write_lines()
        if self._board is not None:
            for name, value in line.items():
                if isinstance(value, int | float):
                    self._board.add_scalar(name, value, line["step"])
            self._board.flush()

    def _write_lines(self) -> None:
        if self.path is not None:
            with _explained(self.path):
                durable.write_text(self.path / LOG, "".join(json.dumps(line) + "\n" for line in self.lines))


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """A full disk, or a folder that cannot be written, as an error that says what is left and how to go on."""
    try:
        yield
    except OSError as error:
        raise ModelError(
            f"{path}: cannot be written: {error.strerror or error}",
            hint="what was there before is whole; the same training goes on from it once there is room",
        ) from error


def _tensorboard(path: Path | None) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise ModelError("TensorBoard is not installed", hint="pip install 'infmcs[train]'") from None
    if path is None:
        raise ModelError("TensorBoard reads a folder", hint="give the training one: run='my-run'")
    return SummaryWriter(str(path))
