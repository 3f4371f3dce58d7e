"""Learned models of similarity: building, saving and loading any of them by its kind; one file per model.

A saved model is one safetensors file: the weights, and as metadata the settings (TOML) and what it reads of a graph.
Nothing in it is run when it is loaded.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from importlib import resources
from pathlib import Path
from typing import Any

from infmcs import config, durable
from infmcs.batch import Inputs
from infmcs.collection import Collection
from infmcs.errors import ConfigError, FormatError
from infmcs.models.infmcs import Comparison, Folded, Infmcs
from infmcs.models.settings import Settings

__all__ = [
    "NAMES",
    "Comparison",
    "Folded",
    "Infmcs",
    "Settings",
    "build",
    "card",
    "load",
    "preset",
    "presets",
    "pretrained",
    "save",
]

NAMES = ("infmcs",)
FORM = "1"  # of saved models


def build(settings: Settings, graphs: Collection, *, seed: int = 0) -> Infmcs:
    """A fresh model for graphs like these: its labels and features are theirs, its weights drawn by the seed."""
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Infmcs(settings, settings.inputs.of(graphs))
    if graphs.features is not None and len(graphs):
        seen = torch.from_numpy(graphs.features[graphs.nodes_here].copy())
        model.feature_mean.copy_(seen.mean(0))
        spread = seen.std(0, correction=0)
        model.feature_scale.copy_(torch.where(spread > 1e-6, 1 / spread.clamp(min=1e-6), 0.0))
    return model


def presets() -> tuple[str, ...]:
    """Names of the recipes that come with the package."""
    return tuple(sorted(Path(file.name).stem for file in _PRESETS.iterdir() if file.name.endswith(".toml")))


def preset(name: str) -> str:
    """The TOML text of a recipe that comes with the package."""
    if name not in presets():
        raise ConfigError(f"there is no preset {name!r}", hint=f"there are {', '.join(presets())}")
    return (_PRESETS / f"{name}.toml").read_text(encoding="utf-8")


def save(model: Infmcs, path: str | os.PathLike[str], facts: Mapping[str, Any] | None = None) -> None:
    """Write a model whole or not at all; `facts` (a provenance record) go with it."""
    durable.write_bytes(path, packed(model, dict(model.state_dict()), facts))


def packed(model: Infmcs, tensors: Mapping[str, Any], facts: Mapping[str, Any] | None = None) -> bytes:
    """The bytes of a safetensors file that holds these tensors and describes this model."""
    from safetensors.torch import save as to_bytes

    metadata = {
        "form": FORM,
        "settings": config.dump(model.settings),
        "inputs": json.dumps(asdict(model.inputs)),
        "record": json.dumps(dict(facts or {})),
    }
    return to_bytes({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}, metadata)


def pretrained() -> tuple[str, ...]:
    """Names of the trained models that come with the package; `card` says what each was trained on."""
    return tuple(sorted(Path(file.name).stem for file in _TRAINED.iterdir() if file.name.endswith(".safetensors")))


def card(name: str) -> str:
    """What a model of the package was trained on, how good it is, and what it is not for."""
    if name not in pretrained():
        raise ConfigError(f"no trained model is named {name!r}", hint=f"there are {', '.join(pretrained())}")
    return (_TRAINED / f"{name}.md").read_text(encoding="utf-8")


def load(name_or_path: str | os.PathLike[str], device: str = "cpu") -> Infmcs:
    """A model of the package by its name, or a saved one: a file, or the folder of a training. Ready to compare, bit
    for bit the one that was saved.
    """
    path = _located(name_or_path)
    model, tensors, told = unpacked(path)
    if "progress" in told:
        raise FormatError(
            "this is the checkpoint of an unfinished training, not a model",
            path=path,
            hint="model.safetensors beside it holds the best weights so far",
        )
    missing = model.load_state_dict(tensors, strict=False)
    if missing.missing_keys or missing.unexpected_keys:
        odd = [*missing.missing_keys, *missing.unexpected_keys]
        raise FormatError(f"its weights are not those of its settings: {odd[0]}", path=path)
    return model.to(device).eval()


def record(name_or_path: str | os.PathLike[str]) -> dict[str, Any]:
    """Where a saved model comes from."""
    return dict(json.loads(_opened(_located(name_or_path))[0]["record"]))


def _located(name_or_path: str | os.PathLike[str]) -> Path:
    path = Path(name_or_path)
    if path.is_dir():
        return path / "model.safetensors"
    if not path.exists() and str(name_or_path) in pretrained():
        return Path(str(_TRAINED / f"{name_or_path}.safetensors"))
    return path


def unpacked(path: str | os.PathLike[str]) -> tuple[Infmcs, dict[str, Any], dict[str, Any]]:
    """A model with fresh weights, the tensors of the file, and its record."""
    metadata, tensors = _opened(path)
    import tomllib

    settings = config.parse(Settings, tomllib.loads(metadata["settings"]), source=str(path))
    told = json.loads(metadata["inputs"])
    known = {field.name for field in fields(Inputs)}
    inputs = replace(Inputs(), **{k: v for k, v in told.items() if k in known and k != "labels"})
    return Infmcs(settings, replace(inputs, labels=_names(told["labels"]))), tensors, json.loads(metadata["record"])


def _opened(path: str | os.PathLike[str]) -> tuple[dict[str, str], dict[str, Any]]:
    from safetensors import SafetensorError, safe_open

    if not Path(path).is_file():
        names = ", ".join(pretrained())
        raise FormatError("there is no such model", path=path, hint=f"with the package come {names}")
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a mapping)
    except SafetensorError as error:
        raise FormatError(f"no whole safetensors file: {error}", path=path) from None
    if metadata.get("form") != FORM or "settings" not in metadata:
        raise FormatError(
            "these are no weights of an infmcs model", path=path, hint="infmcs train writes model.safetensors"
        )
    return metadata, tensors


def _names(told: list[Any]) -> tuple[Any, ...]:
    return tuple(_names(name) if isinstance(name, list) else name for name in told)


_PRESETS = resources.files(__name__) / "presets"
_TRAINED = resources.files(__name__) / "pretrained"
