"""What a training is told: which model, which labels, how long, with which help. TOML on disk, frozen here."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from infmcs import config, models
from infmcs.errors import ConfigError
from infmcs.models import Settings


@dataclass(frozen=True)
class Recipe:
    """How a model is trained. The defaults are the paper's: mean squared error, Adam at 1e-3, nothing else.

    metric      what is learned: mcs, ged, or class: whether two graphs have the same value in `column`.
    pairs       seen in the whole training, each time drawn afresh; models that are compared see equally many.
    graphs      drawn a step. All their pairs are trained on, so that a graph is encoded once for many pairs.
    loss        similarity: squared error of the similarity; nodes: of the number of common nodes; entropy: binary
                cross entropy, for class.
    visits      search nodes a label may cost. A pair whose value stays open is trained towards its proven interval.
    balance     pairs count in inverse proportion to how common their tenth of the similarity scale is in the step.
    copies      share of a step's graphs that are edited copies of training graphs, labelled like any other. The
                paper's protocol has none. Each training graph gets `edited` copies of 1 to `edits` edits.
    node_weight       of the node scores' cross entropy to how often optimal common subgraphs use a node.
    attention_weight  of the attention's cross entropy to how often they pair two nodes.
    mappings    at most so many optimal common subgraphs of a pair are looked at for that.
    rate        of Adam. schedule: constant, or cosine: a short rise, then a fall to a hundredth. clip: longest
                gradient.
    decay       of the weights, decoupled (AdamW).
    average     share of the old mean in the running mean of the weights that is validated and saved; 0: no mean.
    epoch       pairs between two validations. patience: epochs without a better one before an early stop; 0: none.
    """

    metric: Literal["mcs", "ged", "class"] = "mcs"
    column: str = "class"
    pairs: int = 4_000_000
    graphs: int = 32
    loss: Literal["similarity", "nodes", "entropy"] = "similarity"
    visits: int = 100_000
    balance: bool = False
    copies: float = 0.0
    edited: int = 20
    edits: int = 4
    node_weight: float = 0.0
    attention_weight: float = 0.0
    mappings: int = 1000
    rate: float = 1e-3
    schedule: Literal["constant", "cosine"] = "constant"
    clip: float = 0.0
    decay: float = 0.0
    average: float = 0.0
    epoch: int = 100_000
    patience: int = 0

    def __post_init__(self) -> None:
        for name, least in (("pairs", 1), ("graphs", 2), ("visits", 1), ("edits", 1), ("edited", 1), ("epoch", 1)):
            if getattr(self, name) < least:
                raise ConfigError(f"train.{name} = {getattr(self, name)}, but it must be at least {least}")
        for name in ("copies", "average"):
            if not 0 <= getattr(self, name) < 1:
                raise ConfigError(f"train.{name} = {getattr(self, name)} is no share below 1")
        for name in ("node_weight", "attention_weight", "clip", "decay", "patience"):
            if not getattr(self, name) >= 0:
                raise ConfigError(f"train.{name} = {getattr(self, name)} is below zero")
        if not self.rate > 0:
            raise ConfigError(f"train.rate = {self.rate} teaches nothing")
        if (self.metric == "class") != (self.loss == "entropy"):
            raise ConfigError(f"train.metric = {self.metric!r} does not go with loss = {self.loss!r}")
        if self.metric != "mcs" and (self.node_weight or self.attention_weight):
            raise ConfigError("nodes can only be supervised by common subgraphs", hint="train.metric = 'mcs'")
        if self.metric == "class" and self.copies:
            raise ConfigError("an edited copy has no class", hint="train.copies = 0")

    @property
    def a_step(self) -> int:
        """Pairs of one step."""
        return self.graphs * (self.graphs - 1) // 2

    @property
    def steps(self) -> int:
        """Steps of the whole training."""
        return -(-self.pairs // self.a_step)

    @property
    def epoch_steps(self) -> int:
        """Steps between two validations."""
        return min(self.steps, max(1, round(self.epoch / self.a_step)))


@dataclass(frozen=True)
class Plan:
    """A model and its training."""

    model: Settings = field(default_factory=Settings)
    train: Recipe = field(default_factory=Recipe)

    def __post_init__(self) -> None:
        if self.model.lines and self.train.metric == "ged":
            raise ConfigError("a model of line graphs compares edges, edit distances count nodes too")
        if self.model.lines and (self.train.node_weight or self.train.attention_weight):
            raise ConfigError(
                "a model of line graphs scores edges, and what is known of optimal common subgraphs is of nodes",
                hint="train.node_weight = 0 and train.attention_weight = 0",
            )


def plan(name_or_path: str | Path, **changes: object) -> Plan:
    """A preset, or the plan in a TOML file; changes replace settings of its training ("rate") or its model
    ("model.width", given by **{...}).
    """
    path = Path(name_or_path)
    given = config.read(path) if path.suffix == ".toml" else tomllib.loads(models.preset(str(name_or_path)))
    for key, value in changes.items():
        table, _, setting = key.rpartition(".")
        given.setdefault(table or "train", {})[setting] = value
    return config.parse(Plan, given, source=str(name_or_path))
